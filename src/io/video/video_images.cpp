// Numbered images as a video: each file is a frame.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>

#include "io/video/video_source.h"
#include "io/video/yuv.h"

namespace fovea::io {
namespace {

class ImageSource final : public VideoSource {
 public:
  ImageSource(std::vector<std::string> paths, const VideoReadOptions& options, FrameDecoder decoder)
      : paths_(std::move(paths)), decoder_(std::move(decoder)), color_(options.color) {
    if (paths_.empty()) throw InvalidArgument("a video of images needs at least one image");
    const Image<std::uint8_t> first = decoder_.bytes(paths_[0]);
    info_.width = first.width();
    info_.height = first.height();
    info_.rate = frame_rate(options.frame_rate);
    info_.frame_count = static_cast<std::int64_t>(paths_.size());
    info_.format = "images";
    const auto dot = paths_[0].rfind('.');
    info_.codec = dot == std::string::npos ? "" : paths_[0].substr(dot + 1);
  }

  const VideoInfo& info() const override { return info_; }
  bool advance() override { return ++index_ < info_.frame_count; }
  double get(Frame& frame, bool deep) override {
    if (deep) take(decoder_.words, frame.deep_image);
    else take(decoder_.bytes, frame.image);
    return static_cast<double>(index_) / info_.rate.value();
  }

 private:
  template <class Decode, class T>
  void take(const Decode& decode, Image<T>& target) {
    const std::string& path = paths_[static_cast<std::size_t>(index_)];
    Image<T> image = decode(path);
    if (image.width() != info_.width || image.height() != info_.height)
      throw_broken(path, index_,
                   fmt::format("is {}x{}, but the sequence began with {}x{}", image.width(),
                               image.height(), info_.width, info_.height));
    const int channels = color_ == VideoColor::kRgb ? 3 : 1;
    if (image.channels() == channels) {
      target = std::move(image);
      return;
    }
    fit(target, info_.width, info_.height, channels);
    convert_channels(ImageView<const T>(image), target.view());
  }

  std::vector<std::string> paths_;
  FrameDecoder decoder_;
  VideoColor color_;
  VideoInfo info_;
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
