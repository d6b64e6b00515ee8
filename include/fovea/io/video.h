#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/system.h>
#include <fovea/io/image_io.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fovea::io {

enum class VideoColor : unsigned char { kRgb, kGray };
FOVEA_API std::span<const Choice> choices(VideoColor);
// How RGB is computed from luma and chroma. kAuto follows the file, and uses BT.601 where the file
// does not say.
enum class YuvMatrix : unsigned char { kAuto, kBt601, kBt709, kBt2020 };
FOVEA_API std::span<const Choice> choices(YuvMatrix);
// Whether luma spans 16 to 235 (limited) or 0 to 255 (full). kAuto follows the file; where the file
// does not say, color is limited and gray is full.
enum class YuvRange : unsigned char { kAuto, kLimited, kFull };
FOVEA_API std::span<const Choice> choices(YuvRange);
// What decodes a video file. kAuto tries CUDA and then VAAPI. Where the one asked for cannot be
// had, the processor decodes, and VideoReader::notes() says why.
enum class HardwareDecoding : unsigned char { kNone, kAuto, kCuda, kVaapi };
FOVEA_API std::span<const Choice> choices(HardwareDecoding);

// What becomes of the frames of a camera or stream that come while the last one is worked on.
// kNewest drops them, so that the next frame is always the newest; kAll keeps them, so that results
// come later and later where work is slower than the source. kAuto is kNewest for live sources, and
// kAll for an http address that states its length, which is a recording. Files never lose frames.
enum class LiveFrames : unsigned char { kAuto, kNewest, kAll };
FOVEA_API std::span<const Choice> choices(LiveFrames);

struct VideoReadOptions {
  VideoColor color = VideoColor::kRgb;  // three channels, or one: the gray of these
  bool deep = false;       // 16-bit frames (Frame::deep_image), full range, instead of 8-bit ones
  int start = 0;           // index of the first frame; those before it are decoded and dropped
  int count = 0;           // greatest number of frames; 0 gives all
  double seconds = 0;      // length that is read, in the source's own time; 0 reads all
  int step = 1;            // every step-th frame from the start
  double frame_rate = 25;  // frames per second of image sequences, which do not state it
  YuvMatrix matrix = YuvMatrix::kAuto;             // replaces what the file says
  YuvRange range = YuvRange::kAuto;                // replaces what the file says
  Orientation orientation = Orientation::kIgnore;  // apply turns the frames of video files upright
  int threads = 0;                                 // threads of the decoder; 0 lets it choose
  HardwareDecoding hardware = HardwareDecoding::kNone;  // decoder of video files
  // Refuse frames of more pixels before memory is taken for them; 0: no such limit
  std::uint64_t max_pixels = ImageReadOptions{}.max_pixels;
  LiveFrames live = LiveFrames::kAuto;
  double timeout_seconds = 10;  // how long a camera or stream may send nothing
  bool files_only = false;      // refuse cameras and streams: the source comes from a list
  // Ends the wait for a pipe, camera or stream that is silent, by throwing Cancelled
  std::stop_token stop{};
};
// Lists all but files_only, which the caller knows, and stop.
FOVEA_API void describe(OptionVisitor& visit, VideoReadOptions& options);

// A fraction, such as the frame rate 30000/1001.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

struct VideoInfo {
  Extent size;                    // of the frames that next() returns
  Rational rate;                  // frames per second; the average where it varies
  std::int64_t frame_count = -1;  // frames of the whole source, as it states; -1 if unknown
  double seconds = -1;            // length of a file, as it states; -1 if unknown
  int rotation_degrees = 0;       // clockwise turn that shows frames upright: 0, 90, 180 or 270
  int bits = 8;                   // bits per sample in the source
  std::string format;             // "y4m", "images", "matroska,webm"
  std::string codec;              // "rawvideo", "h264"
  bool live = false;              // a camera or stream, which sets the pace and may never end
};

struct Frame {
  Image<std::uint8_t> image;        // one channel or three (RGB); empty with VideoReadOptions::deep
  Image<std::uint16_t> deep_image;  // the same in 16 bits, only with VideoReadOptions::deep
  std::int64_t frame = -1;          // number of the frame in the source, from 0
  double seconds = 0;               // time since the first frame of the source
};

// A frame as VideoReader::fetch() takes it from its source, before it is pixels: its place in a y4m
// file, its planes from a y4m pipe, what a decoder gave, or the path of an image. Files must not
// change before it is decoded. It keeps its memory from frame to frame and what it needs of its
// reader, which may be gone when it is decoded.
class FOVEA_API StoredFrame {
 public:
  StoredFrame();
  ~StoredFrame();
  StoredFrame(StoredFrame&&) noexcept;
  StoredFrame& operator=(StoredFrame&&) noexcept;

  // Makes the pixels, into the memory of `frame` where that fits, and sets its index and time. May
  // run in any thread, and for different stored frames at once. Throws what next() throws;
  // InvalidArgument where nothing was fetched.
  void decode(Frame& frame) const;
  // As Frame has them; -1 and 0 where nothing was fetched.
  std::int64_t frame() const;
  double seconds() const;

 private:
  friend class VideoReader;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads the frames of a video in order. Indices are exact, because frames that are not wanted are
// decoded and dropped instead of being skipped. A source is
//   a video file         read through FFmpeg, or y4m, which is recognized by its content
//   a folder or a glob   images in natural order
//   a list of images
//   a stream of y4m      "-" is the standard input; pipes and devices are read in the same way
//   a camera             "camera:0" or /dev/video0, through FFmpeg's libavdevice (Video4Linux)
//   a stream             rtsp:// http:// https:// tcp:// or udp://, through FFmpeg
// Cameras and streams are read by a thread of their own; VideoReadOptions::live says what becomes
// of frames that nobody has time for. A stream is one video: playlists, which refer to further
// addresses or files, are refused. Passwords of addresses appear in no message (source_name()).
// Interlaced video is returned as it is stored. FFmpeg's log level belongs to the whole process:
// opening or creating a video file sets it to quiet where it still is the default.
class FOVEA_API VideoReader {
 public:
  // Throws IoError or FormatError that names the source, InvalidArgument for impossible options.
  explicit VideoReader(const std::string& source, const VideoReadOptions& options = {});
  explicit VideoReader(const std::vector<std::string>& images,
                       const VideoReadOptions& options = {});
  // Reads an open y4m stream, which still belongs to the caller; errors call it `name`.
  VideoReader(std::FILE* stream, const std::string& name, const VideoReadOptions& options = {});
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  // Reads the next frame, into the memory of the last one where that fits, and returns false at the
  // end. A broken or truncated source gives the frames before the fault and then throws FormatError
  // with the number of the frame and the cause; so does a frame of another size. After that there
  // is no further frame.
  bool next(Frame& frame);
  // The first half of next(), which must keep the order and is cheap: StoredFrame::decode() is the
  // other half. Returns false at the end, and throws where the source is broken before the pixels
  // are looked at.
  bool fetch(StoredFrame& stored);

  const VideoInfo& info() const;
  // The number of frames of a live source that were passed over before the last frame given: they
  // came while others were worked on, or were damaged. Frames keep the numbers of the source. Any
  // thread may call it.
  std::int64_t dropped() const;
  // Whether frames are dropped where work is slower than the source.
  bool drops_frames() const;
  // The number of frames that next() gives in all, or -1 where the source does not state it
  // or VideoReadOptions::seconds cuts it.
  std::int64_t expected_frames() const;
  // About how much memory one frame takes, as it is stored and decoded together.
  std::uint64_t frame_bytes() const;
  // What a person may want to know about how the source is read, one sentence each: that the
  // hardware asked for does not decode it. Complete once the first frame was fetched.
  std::vector<std::string> notes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

enum class ChromaSampling : unsigned char { k420, k444 };
FOVEA_API std::span<const Choice> choices(ChromaSampling);

struct VideoWriteOptions {
  double frame_rate = 25;  // frames per second; rates such as 29.97 are written as 30000/1001
  int quality = 90;        // quality of lossy codecs, 1 to 100
  ChromaSampling chroma = ChromaSampling::k420;  // for y4m in color
  YuvRange range = YuvRange::kAuto;              // for y4m in color; auto means limited
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

  // The first frame decides size, channels and depth. A frame that differs, or that the format
  // cannot hold, throws InvalidArgument and is ignored; another frame may follow. After any other
  // exception the unfinished file is gone, and write() and finish() throw WriteError.
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
