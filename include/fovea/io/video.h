#pragma once
#include <fovea/core/image.h>
#include <fovea/core/options.h>
#include <fovea/core/system.h>
#include <fovea/io/image_io.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fovea::io {

enum class VideoColor : unsigned char { kRgb, kGray };
FOVEA_API std::span<const Choice> choices(VideoColor);
// How luma and chroma make RGB. kAuto: as the file says, BT.601 where it does not.
enum class YuvMatrix : unsigned char { kAuto, kBt601, kBt709, kBt2020 };
FOVEA_API std::span<const Choice> choices(YuvMatrix);
// Whether luma spans 16 to 235 (limited) or 0 to 255. kAuto: as the file says; where it does not,
// limited for color and full for files that are gray.
enum class YuvRange : unsigned char { kAuto, kLimited, kFull };
FOVEA_API std::span<const Choice> choices(YuvRange);

struct VideoReadOptions {
  VideoColor color = VideoColor::kRgb;  // three channels, or one: the luma of what is colored
  bool deep = false;       // 16-bit frames (Frame::deep_image), full range, instead of 8-bit ones
  int start = 0;           // index of the first frame; those before it are decoded and dropped
  int count = 0;           // frames to give at most; 0 gives all
  int step = 1;            // every step-th frame from the start
  double frame_rate = 25;  // frames per second of image sequences, which do not say
  YuvMatrix matrix = YuvMatrix::kAuto;             // override of what the file says
  YuvRange range = YuvRange::kAuto;                // override of what the file says
  Orientation orientation = Orientation::kIgnore;  // apply turns the frames of video files upright
  int threads = 0;                                 // of the decoder; 0 lets it choose
  // Refuse frames of more pixels before memory is taken for them; 0: no such limit
  std::uint64_t max_pixels = ImageReadOptions{}.max_pixels;
};
FOVEA_API void describe(OptionVisitor& visit, VideoReadOptions& options);

// A fraction, as frame rates are: 30000/1001.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

struct VideoInfo {
  int width = 0, height = 0;      // of the frames as they are given
  Rational rate;                  // frames per second; the average where it varies
  std::int64_t frame_count = -1;  // of the whole source, as the file states it; -1 if unknown
  int rotation_degrees = 0;       // clockwise turn that shows frames upright: 0, 90, 180 or 270
  int bits = 8;                   // of a sample in the source
  std::string format;             // "y4m", "images", "matroska,webm"
  std::string codec;              // "rawvideo", "h264"
};

struct Frame {
  Image<std::uint8_t> image;        // one channel or three (RGB); empty where deep was asked for
  Image<std::uint16_t> deep_image;  // the same in 16 bits where it was
  std::int64_t index = -1;          // in the source, from 0
  double time_seconds = 0;          // since the source's first frame
};

// Frames of a video in order, with exact indices: nothing is sought, frames not asked for are
// decoded and dropped. Sources are
//   a video file         through FFmpeg, or y4m, which is recognized by its content
//   a folder, a glob     of images, in natural order
//   a list of images
//   a stream of y4m      "-" is the standard input; pipes and devices are read the same way
// Interlaced video is given as it is stored. FFmpeg logs to stderr at a level that is one for the
// whole process: opening or creating a video file sets it to quiet where it is still the default.
class FOVEA_API VideoReader {
 public:
  // Throws IoError or FormatError that names the source, InvalidArgument for impossible options.
  explicit VideoReader(const std::string& source, const VideoReadOptions& options = {});
  explicit VideoReader(const std::vector<std::string>& images,
                       const VideoReadOptions& options = {});
  // An open y4m stream, which stays the caller's; `name` stands in errors.
  VideoReader(std::FILE* stream, const std::string& name, const VideoReadOptions& options = {});
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  // The next frame, into the memory of the last one where that fits; false at the end. A broken or
  // truncated source gives the frames before the fault, then throws FormatError that says at which
  // frame and why; so does a frame of another size. After either there is no further frame.
  bool next(Frame& frame);

  const VideoInfo& info() const;
  // How many frames next() gives in all, where the source states its number; else -1.
  std::int64_t expected_frames() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

enum class ChromaSampling : unsigned char { k420, k444 };
FOVEA_API std::span<const Choice> choices(ChromaSampling);

struct VideoWriteOptions {
  double frame_rate = 25;  // frames per second; 29.97 and its kin are written as 30000/1001
  int quality = 90;        // of lossy codecs, 1 to 100
  ChromaSampling chroma = ChromaSampling::k420;  // of y4m in color
  YuvRange range = YuvRange::kAuto;              // of y4m in color; auto is limited
};
FOVEA_API void describe(OptionVisitor& visit, VideoWriteOptions& options);

// Writes frames of one size, gray or RGB, as a video that appears whole or not at all. The format
// follows from the path:
//   .mp4 .m4v .mov   H.264, or MPEG-4 where that encoder is missing or the size is odd
//   .avi             motion JPEG
//   .mkv             FFV1, lossless: 8 and 16 bits, gray and RGB
//   .y4m, -          y4m, BT.601; - is the standard output. Gray is written as mono, full range
//   name%06d.png     numbered images from 0; a folder alone means FOLDER/%06d.png
class FOVEA_API VideoWriter {
 public:
  // Throws WriteError that names the path where the system refuses it, as write() and finish() do.
  explicit VideoWriter(const std::string& path, const VideoWriteOptions& options = {});
  // Without finish() an unfinished file is removed; images already written stay.
  ~VideoWriter();
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  // The first frame written fixes size, channels and depth; others throw InvalidArgument, as does
  // one that the format cannot hold. Such a frame counts for nothing: another may follow. After any
  // other exception the unfinished file is gone, and write() and finish() throw WriteError.
  void write(ImageView<const std::uint8_t> frame);
  void write(ImageView<const std::uint16_t> frame);  // .mkv and images only
  // Completes the file and gives it its name. Throws InvalidArgument where no frame was written.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether video files can be read and written here, and by which FFmpeg or why not.
FOVEA_API Feature video_feature();

}  // namespace fovea::io
