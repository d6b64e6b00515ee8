// The parts of VideoReader and VideoWriter: a source or a target for each kind of file.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/io/video.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fovea::io {

// One frame as its source stores it. It needs nothing of the source any more, so that several can
// be decoded in several threads at once, each by one thread at a time.
class StoredPicture {
 public:
  virtual ~StoredPicture() = default;
  // As 8- or 16-bit pixels (`deep`).
  virtual void decode(Frame& frame, bool deep) const = 0;
  // Time since the first frame of the source.
  virtual double time_seconds() const = 0;
};

// Frames in order, as they are stored: VideoReader chooses among them and turns them upright.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  virtual const VideoInfo& info() const = 0;
  // Goes to the next frame; false at the end. Throws FormatError where the frame is broken.
  virtual bool advance() = 0;
  // How many frames of a live source the last advance() passed over.
  virtual std::int64_t passed_over() const { return 0; }
  // Whether it passes over frames that come too fast.
  virtual bool drops_frames() const { return false; }
  // Moves the frame advanced to into `picture`, whose memory is used again where it is of this
  // kind.
  virtual void store(std::unique_ptr<StoredPicture>& picture) = 0;
  // About how much memory decoding a frame takes beside its pixels.
  virtual std::uint64_t stored_bytes() const = 0;
  virtual std::vector<std::string> notes() const { return {}; }
};

// The picture as one of type Picture, made anew where it is none.
template <class Picture>
Picture& picture_as(std::unique_ptr<StoredPicture>& picture) {
  if (dynamic_cast<Picture*>(picture.get()) == nullptr) picture = std::make_unique<Picture>();
  return static_cast<Picture&>(*picture);
}

// Removed without finish(), it leaves no file. A frame that it throws InvalidArgument for leaves it
// as it was; after any other exception it is of no use.
class VideoTarget {
 public:
  virtual ~VideoTarget() = default;
  virtual void write(ImageView<const std::uint8_t> frame) = 0;
  virtual void write(ImageView<const std::uint16_t> frame) = 0;
  virtual void finish() = 0;
};

// The readers and writers of image files that sequences need.
struct FrameDecoder {
  std::function<Image<std::uint8_t>(const std::string& path)> bytes;
  std::function<Image<std::uint16_t>(const std::string& path)> words;  // over the full range
};
struct FrameEncoder {
  std::function<void(const std::string& path, ImageView<const std::uint8_t>)> bytes;
  std::function<void(const std::string& path, ImageView<const std::uint16_t>)> words;
};
FrameDecoder image_decoder(std::uint64_t max_pixels);
FrameEncoder image_encoder();

std::unique_ptr<VideoSource> open_images(std::vector<std::string> paths,
                                         const VideoReadOptions& options, FrameDecoder decoder);
// A video file, the address of a stream, or the device of a camera that is called `source`.
std::unique_ptr<VideoSource> open_ffmpeg(const std::string& source,
                                         const VideoReadOptions& options);

std::unique_ptr<VideoTarget> create_images(const std::string& path, FrameEncoder encoder);
std::unique_ptr<VideoTarget> create_ffmpeg(const std::string& path,
                                           const VideoWriteOptions& options);

// The rate as n, as n * 1000/1001 where that is meant (29.97), or else to the nearest thousandth.
Rational frame_rate(double frames_a_second);

// Gives `image` this size and keeps its memory where the size is already right. An image that was
// moved from still reports its old size, but has no memory.
template <class T>
void fit(Image<T>& image, int width, int height, int channels) {
  if (image.view().data == nullptr || image.width() != width || image.height() != height ||
      image.channels() != channels)
    image = Image<T>(width, height, channels);
}

// Throws FormatError where frames of this size have more pixels than the options allow.
void check_frame_size(const std::string& path, Extent size, const VideoReadOptions& options);

// "PATH: frame 12: CAUSE"
[[noreturn]] void throw_broken(const std::string& path, std::int64_t frame,
                               const std::string& cause);

}  // namespace fovea::io
