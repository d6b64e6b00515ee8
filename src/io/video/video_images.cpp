// Numbered images as a video: each file is a frame.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "io/video/video_source.h"
#include "io/video/yuv.h"

namespace fovea::io {
namespace {

// What all frames of a sequence share.
struct ImageSequence {
  std::vector<std::string> paths;
  FrameDecoder decoder;
  VideoColor color;
  VideoInfo info;
};

// The file is read when it is decoded, so that several are at once.
struct ImagePicture final : StoredPicture {
  std::shared_ptr<const ImageSequence> sequence;
  std::int64_t index = 0;

  void decode(Frame& frame, bool deep) const override {
    if (deep) take(sequence->decoder.words, frame.deep_image);
    else take(sequence->decoder.bytes, frame.image);
  }
  double time_seconds() const override {
    return static_cast<double>(index) / sequence->info.rate.value();
  }

 private:
  template <class Decode, class T>
  void take(const Decode& decode_file, Image<T>& target) const {
    const Extent size = sequence->info.size;
    const std::string& path = sequence->paths[static_cast<std::size_t>(index)];
    Image<T> image = decode_file(path);
    if (image.width() != size.width || image.height() != size.height)
      throw_broken(path, index,
                   fmt::format("is {}x{}, but the sequence began with {}x{}", image.width(),
                               image.height(), size.width, size.height));
    const int channels = sequence->color == VideoColor::kRgb ? 3 : 1;
    if (image.channels() == channels) {
      target = std::move(image);
      return;
    }
    fit(target, size.width, size.height, channels);
    convert_channels(ImageView<const T>(image), target.view());
  }
};

class ImageSource final : public VideoSource {
 public:
  ImageSource(std::vector<std::string> paths, const VideoReadOptions& options,
              FrameDecoder decoder) {
    if (paths.empty()) throw InvalidArgument("a video of images needs at least one image");
    const Image<std::uint8_t> first = decoder.bytes(paths[0]);
    VideoInfo info;
    info.size = {first.width(), first.height()};
    info.rate = frame_rate(options.frame_rate);
    info.frame_count = static_cast<std::int64_t>(paths.size());
    info.format = "images";
    const auto dot = paths[0].rfind('.');
    info.codec = dot == std::string::npos ? "" : paths[0].substr(dot + 1);
    // The file itself, and the pixels of four channels that may come out of it.
    stored_bytes_ = std::uint64_t{8} * static_cast<std::uint64_t>(info.size.width) *
                    static_cast<std::uint64_t>(info.size.height);
    sequence_ = std::make_shared<const ImageSequence>(
        ImageSequence{std::move(paths), std::move(decoder), options.color, std::move(info)});
  }

  const VideoInfo& info() const override { return sequence_->info; }
  bool advance() override { return ++index_ < sequence_->info.frame_count; }
  void store(std::unique_ptr<StoredPicture>& picture) override {
    auto& stored = picture_as<ImagePicture>(picture);
    stored.sequence = sequence_;
    stored.index = index_;
  }
  std::uint64_t stored_bytes() const override { return stored_bytes_; }

 private:
  std::shared_ptr<const ImageSequence> sequence_;
  std::uint64_t stored_bytes_ = 0;
  std::int64_t index_ = -1;
};

// The parts of a pattern such as "shot%04d.png".
struct Pattern {
  std::string before, after;
  int digits = 0;
};

Pattern parse_pattern(const std::string& path) {
  const auto percent = path.find('%');
  const auto letter = path.find('d', percent);
  const std::string digits = path.substr(percent + 1, letter - percent - 1);
  const bool valid = letter != path.npos && digits.find_first_not_of("0123456789") == digits.npos &&
                     digits.size() <= 3 && path.find('%', letter) == path.npos;
  if (!valid)
    throw InvalidArgument(
        path + ": cannot write images: expected one %d or %06d in the name, where numbers go");
  return {path.substr(0, percent), path.substr(letter + 1), digits.empty() ? 0 : std::stoi(digits)};
}

class ImageTarget final : public VideoTarget {
 public:
  ImageTarget(const std::string& path, FrameEncoder encoder)
      : pattern_(parse_pattern(path)), encoder_(std::move(encoder)) {}
  void write(ImageView<const std::uint8_t> frame) override {
    encoder_.bytes(next(), frame);
    ++index_;
  }
  void write(ImageView<const std::uint16_t> frame) override {
    encoder_.words(next(), frame);
    ++index_;
  }
  void finish() override {}

 private:
  std::string next() const {
    return fmt::format("{}{:0{}}{}", pattern_.before, index_, pattern_.digits, pattern_.after);
  }
  Pattern pattern_;
  FrameEncoder encoder_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<VideoSource> open_images(std::vector<std::string> paths,
                                         const VideoReadOptions& options, FrameDecoder decoder) {
  return std::make_unique<ImageSource>(std::move(paths), options, std::move(decoder));
}

std::unique_ptr<VideoTarget> create_images(const std::string& path, FrameEncoder encoder) {
  return std::make_unique<ImageTarget>(path, std::move(encoder));
}

}  // namespace fovea::io
