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

// A file that frames are read from at their places, in any order and in several threads.
class Y4mFile {
 public:
  // Opens the file of `stream` again. Throws an IoError that begins with `name`.
  Y4mFile(std::FILE* stream, std::string name);
  ~Y4mFile();
  Y4mFile(const Y4mFile&) = delete;
  Y4mFile& operator=(const Y4mFile&) = delete;

  // Its length, as it is now.
  std::uint64_t bytes() const;
  // Reads a frame of `bytes` bytes into `data`. Throws a FormatError that names the frame where the
  // file has become shorter, and IoError.
  void read(std::int64_t frame, std::uint64_t place, std::uint64_t bytes,
            std::vector<std::uint8_t>& data) const;

 private:
  int descriptor_;
  std::string name_;
};

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
  void pass_frame_data();
  std::int64_t open_file();  // returns the number of frames, or -1 where it is not known

  FilePointer stream_;
  std::string name_;
  VideoColor color_;
  Y4mHeader header_;
  VideoInfo info_;
  // Frames of a file are read where they are decoded, which several threads do; those of a pipe
  // are read here.
  std::shared_ptr<const Y4mFile> file_{};  // null for a pipe
  std::uint64_t file_bytes_ = 0;           // as far as known; the file may grow
  std::uint64_t place_ = 0;                // of the frame in the file
  std::vector<std::uint8_t> data_;         // of the frame from a pipe
  std::int64_t index_ = -1;
};

// Writes to the standard output for "-", or else to a file that appears when finished.
std::unique_ptr<VideoTarget> create_y4m(const std::string& path, const VideoWriteOptions& options);

}  // namespace fovea::io
