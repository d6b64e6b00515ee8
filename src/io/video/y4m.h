// YUV4MPEG2 streams (mjpegtools, yuv4mpeg(5)) by hand: the uncompressed video that every tool can
// pipe. Read from any C stream; memory grows with what was actually read.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/video/video_source.h"
#include "io/video/yuv.h"

namespace fovea::io {

constexpr std::string_view kY4mMagic = "YUV4MPEG2";

struct Y4mHeader {
  YuvFormat format;
  bool alpha = false;  // a fourth plane of full size follows, which is left out
  Rational rate{25, 1};

  // Bytes of a frame behind its own header line.
  std::uint64_t frame_bytes() const;
};

// From the stream's first line without its end. 4:2:0 is sited as its tag says (C420jpeg: center;
// C420paldv: top left; others: left) and does not tell the range, for which XCOLORRANGE stands.
// Throws FormatError that begins with `name`.
Y4mHeader parse_y4m_header(std::string_view line, const std::string& name);

using CloseFile = int (*)(std::FILE*);
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

class Y4mSource final : public VideoSource {
 public:
  // From the stream's first byte on. Throws FormatError for a header that is not one.
  Y4mSource(FilePointer stream, std::string name, const VideoReadOptions& options);

  const VideoInfo& info() const override { return info_; }
  bool advance() override;
  void store(std::unique_ptr<StoredPicture>& picture) override;
  std::uint64_t stored_bytes() const override { return header_.frame_bytes(); }

 private:
  bool read_frame_header();
  void read_frame_data();
  std::int64_t count_frames();

  FilePointer stream_;
  std::string name_;
  VideoColor color_;
  Y4mHeader header_;
  VideoInfo info_;
  std::vector<std::uint8_t> data_;
  std::int64_t index_ = -1;
};

// The standard output for "-", else a file that appears when finished.
std::unique_ptr<VideoTarget> create_y4m(const std::string& path, const VideoWriteOptions& options);

}  // namespace fovea::io
