// Maps of disparities in image files.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/disparity_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/text/extension.h"

namespace fovea::io {
namespace {

constexpr float kUnknownDisparity = std::numeric_limits<float>::infinity();
constexpr float kKittiScale = 256;

// A disparity from a sample, which is not known where it is 0 (in integers) or not finite.
template <class T>
Image<float> disparities(ImageView<const T> samples, double scale) {
  Image<float> result(samples.width, samples.height);
  for (int y = 0; y < samples.height; ++y) {
    for (int x = 0; x < samples.width; ++x) {
      const T sample = samples.at(x, y);
      bool known = true;
      if constexpr (std::is_floating_point_v<T>)
        known = std::abs(sample) <= static_cast<T>(std::numeric_limits<float>::max());
      else known = sample != 0;
      result.at(x, y) =
          known ? static_cast<float>(static_cast<double>(sample) / scale) : kUnknownDisparity;
    }
  }
  return result;
}

Image<std::uint16_t> kitti_disparity(const std::string& path, ImageView<const float> disparity) {
  Image<std::uint16_t> pixels(disparity.width, disparity.height);
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const float d = disparity.at(x, y);
      if (!std::isfinite(d)) {
        pixels.at(x, y) = 0;
        continue;
      }
      const double value = std::floor(static_cast<double>(d * kKittiScale) + 0.5);
      if (value < 0 || value > 65535)
        throw InvalidArgument(
            fmt::format("{}: the disparity of pixel ({}, {}) is {}; PNG holds 0 to 255.99, so "
                        "write .pfm, .npy or .tif",
                        path, x, y, d));
      pixels.at(x, y) = static_cast<std::uint16_t>(std::max(value, 1.0));
    }
  }
  return pixels;
}

}  // namespace

void describe(OptionVisitor& visit, DisparityReadOptions& options) {
  visit("scale", options.scale,
        "what the samples of images with integers are divided by; 0 is 256 for 16 bits and 1 for "
        "others",
        0, 1e6);
  visit("max-pixels", options.max_pixels,
        "refuse maps of more pixels before memory is taken for them; 0 is no limit", 0, 0x1p62);
}

Image<float> read_disparity(const std::string& path, const DisparityReadOptions& options) {
  check_options(options);
  const AnyImage image = read_image(path, {.max_pixels = options.max_pixels});
  if (image.channels() != 1)
    throw FormatError(
        fmt::format("{}: has {} channels; a map of disparities has 1", path, image.channels()));
  const bool words = image.type() == SampleType::kUint16;
  return std::visit(
      [&]<class T>(const ImageView<const T>& samples) {
        double scale = options.scale;
        if (std::is_floating_point_v<T>) scale = 1;
        else if (scale == 0) scale = words ? static_cast<double>(kKittiScale) : 1;
        return disparities(samples, scale);
      },
      image.view());
}

void require_disparity_path(const std::string& path) {
  static constexpr std::array<std::string_view, 5> kExtensions{".pfm", ".png", ".npy", ".tif",
                                                               ".tiff"};
  const std::string extension = extension_of(path);
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end())
    throw InvalidArgument(fmt::format(
        "{}: extension '{}' names no map of disparities; use .pfm, .png (KITTI), .npy or .tif",
        path, extension));
}

void write_disparity(const std::string& path, ImageView<const float> disparity) {
  require_disparity_path(path);
  if (disparity.empty() || disparity.channels != 1 || disparity.memory == Memory::kCuda)
    throw InvalidArgument(fmt::format(
        "{}: the map is {}; a map of disparities has one channel and lies in host memory", path,
        fovea::detail::shape_text(disparity)));
  if (extension_of(path) == ".png") write_image(path, kitti_disparity(path, disparity));
  else write_image(path, disparity);
}

}  // namespace fovea::io
