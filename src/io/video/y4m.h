// YUV4MPEG2 streams (mjpegtools, yuv4mpeg(5)), parsed by hand: the uncompressed video that every
// tool can pipe. They are read from any C stream; memory grows with what was actually read.
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
  bool alpha = false;  // whether a fourth plane of full size follows, which is skipped
  Rational rate{25, 1};

  // Bytes of a frame after its own header line.
  std::uint64_t frame_bytes() const;
};

// Parses the stream's first line without its end. The tag of 4:2:0 says where chroma lies
// (C420jpeg: center; C420paldv: top left; others: left), but not its range, which XCOLORRANGE
// states. Throws a FormatError that begins with `name`.
Y4mHeader parse_y4m_header(std::string_view line, const std::string& name);

using CloseFile = int (*)(std::FILE*);
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

class Y4mSource final : public VideoSource {
 public:
  // Begins at the stream's first byte. Throws FormatError where there is no y4m header.
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

// Writes to the standard output for "-", or else to a file that appears when finished.
std::unique_ptr<VideoTarget> create_y4m(const std::string& path, const VideoWriteOptions& options);

}  // namespace fovea::io
