// Converts images of any format and depth to the RGB bytes that training and evaluation use.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/image_set.h>

#include <fmt/format.h>

#include <array>

namespace fovea::io {

Image<std::uint8_t> to_rgb_bytes(const AnyImage& given, const std::string& name) {
  AnyImage image = drop_alpha(given);
  if (image.channels() == 1) {
    static constexpr std::array<int, 3> kThrice{0, 0, 0};
    image = select_channels(image, kThrice);
  }
  if (image.channels() != 3)
    throw InvalidArgument(
        fmt::format("{}: {} channels, expected a gray or an RGB image", name, image.channels()));
  return to_bytes(std::move(image));
}

std::string ImageSet::name(int index) const { return fmt::format("image {}", index); }

Image<std::uint8_t> ImageFileSet::read(int index) const {
  if (index < 0 || index >= count())
    throw InvalidArgument(
        fmt::format("there is no image {} in a set of {}; images count from 0", index, count()));
  const std::string& path = paths_[static_cast<std::size_t>(index)];
  return to_rgb_bytes(
      read_image(path, {.orientation = Orientation::kApply, .max_pixels = max_pixels_}), path);
}

}  // namespace fovea::io
