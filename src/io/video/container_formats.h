// What FFmpeg may take a file or a stream for, and what it is not even asked about. Each of these
// formats holds its own frames. Formats that refer to further files or addresses (hls, dash,
// concat, sdp, image2), that make frames of any bytes (tty) or of nothing (lavfi) are not among
// them.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/words.h"

namespace fovea::io {

inline constexpr std::array<std::string_view, 20> kStreamFormats = {
    "mov",       "mp4", "matroska", "webm", "avi",    "mpegts",      "mpeg",
    "mpegvideo", "flv", "ogg",      "asf",  "mpjpeg", "mjpeg",       "h264",
    "hevc",      "m4v", "ivf",      "obu",  "nut",    "yuv4mpegpipe"};
// What only a file may have.
inline constexpr std::array<std::string_view, 4> kFileFormats = {"gif", "apng", "dv", "mxf"};

// Whether one of the names that FFmpeg has for a format, such as "mov,mp4,m4a,3gp,3g2,mj2", is
// among those above.
inline bool is_container_format(std::string_view names, bool file) {
  const auto among = [](const auto& formats, std::string_view name) {
    return std::find(formats.begin(), formats.end(), name) != formats.end();
  };
  const auto all = fovea::detail::split(names, ',');
  return std::any_of(all.begin(), all.end(), [&](std::string_view name) {
    return among(kStreamFormats, name) || (file && among(kFileFormats, name));
  });
}

// Why a file that begins with these bytes is no video, as a sentence without its subject; empty
// where it may be one. Text is refused here: FFmpeg would draw its letters as frames.
inline std::string why_no_container(std::string_view head) {
  if (head.empty()) return "is empty";
  const bool text = std::all_of(head.begin(), head.end(), [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte >= 0x20 ? byte != 0x7f : byte == '\t' || byte == '\n' || byte == '\r';
  });
  if (!text) return {};
  if (head.starts_with("#EXTM3U") || head.starts_with("ffconcat"))
    return "is a playlist, which names other files; give the video itself";
  return "is text and no video; expected a container such as MP4, Matroska or AVI, or y4m";
}

// Where a Matroska file ends, by what its segment says; 0 where it does not say, and for any other
// file. FFmpeg takes the end of the file for the end of the video.
inline std::uint64_t stated_matroska_end(std::string_view head) {
  constexpr std::uint64_t kHeader = 0x1a45dfa3, kVoid = 0xec, kSegment = 0x18538067;
  std::size_t at = 0;
  // A number of 1 to 8 bytes whose leading zeros tell how many; identities keep the mark.
  const auto number = [&](bool keep_mark) -> std::uint64_t {
    if (at >= head.size() || head[at] == '\0') return 0;
    const auto length =
        static_cast<std::size_t>(std::countl_zero(static_cast<std::uint8_t>(head[at]))) + 1;
    if (at + length > head.size()) return 0;
    std::uint64_t value = 0, unknown = 0;
    for (std::size_t i = 0; i < length; ++i)
      value = value << 8U | static_cast<std::uint8_t>(head[at++]);
    unknown = (std::uint64_t{1} << (7 * length)) - 1;
    return keep_mark ? value : (value & unknown) == unknown ? 0 : value & unknown;
  };
  while (at < head.size()) {
    const std::uint64_t id = number(true), bytes = number(false);
    if (id == kSegment) return bytes > 0 ? at + bytes : 0;
    if ((id != kHeader && id != kVoid) || bytes >= head.size()) return 0;
    at += bytes;
  }
  return 0;
}

}  // namespace fovea::io
