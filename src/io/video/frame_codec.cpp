// Connects sequences of images to the readers and writers of image files.
#include <fovea/io/image_io.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/video/video_source.h"

namespace fovea::io {
namespace {

// Sixteen-bit samples keep their values; all other types are converted through floats from 0 to 1.
Image<std::uint16_t> to_words(AnyImage image) {
  auto* words = std::get_if<Image<std::uint16_t>>(&image.pixels);
  if (words != nullptr && image.facts.white == 65535) return std::move(*words);
  const Image<float> brightness = to_float(std::move(image));
  Image<std::uint16_t> result(brightness.width(), brightness.height(), brightness.channels());
  for (int y = 0; y < result.height(); ++y) {
    const float* from = brightness.row(y);
    for (int i = 0; i < result.width() * result.channels(); ++i) {
      const float value = from[i] > 0 ? std::min(from[i], 1.0F) : 0.0F;  // NaN becomes 0
      result.row(y)[i] = static_cast<std::uint16_t>(std::lround(value * 65535.0F));
    }
  }
  return result;
}

}  // namespace

FrameDecoder image_decoder(std::uint64_t max_pixels) {
  const auto read = [max_pixels](const std::string& path) {
    return read_image(path, {.max_pixels = max_pixels});
  };
  return {[read](const std::string& path) { return to_bytes(read(path)); },
          [read](const std::string& path) { return to_words(read(path)); }};
}
FrameEncoder image_encoder() {
  return {[](const std::string& path, ImageView<const std::uint8_t> frame) {
            write_image(path, AnyView(frame));
          },
          [](const std::string& path, ImageView<const std::uint16_t> frame) {
            write_image(path, AnyView(frame));
          }};
}

}  // namespace fovea::io
