// Training images: files read as RGB, mirror images, and the checks that all trainings begin with.
#include "people/train/samples.h"

#include <fovea/error.h>
#include <fovea/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fovea::people {

ImageFileSet::ImageFileSet(std::vector<std::string> paths) : paths_(std::move(paths)) {}

Image<std::uint8_t> ImageFileSet::read(int index) const {
  if (index < 0 || index >= count())
    throw InvalidArgument(fmt::format("image {} of a set of {} was asked for", index, count()));
  io::AnyImage image = io::drop_alpha(io::read_image(paths_[static_cast<std::size_t>(index)],
                                                     {.orientation = io::Orientation::kApply}));
  if (image.channels() == 1) {
    static constexpr std::array<int, 3> kThrice{0, 0, 0};
    image = io::select_channels(image, kThrice);
  }
  if (image.channels() != 3)
    throw InvalidArgument(fmt::format("{}: {} channels, expected a grey or an RGB image",
                                      paths_[static_cast<std::size_t>(index)], image.channels()));
  return io::to_bytes(std::move(image));
}

Image<std::uint8_t> mirrored(ImageView<const std::uint8_t> image) {
  Image<std::uint8_t> result(image.width, image.height, image.channels);
  const auto step = static_cast<std::ptrdiff_t>(image.channels);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* from = image.row(y);
    std::uint8_t* to = result.row(y) + image.width * step;
    for (int x = 0; x < image.width; ++x, from += step) {
      to -= step;
      std::copy_n(from, step, to);
    }
  }
  return result;
}

void check_train_data(const TrainData& data, Extent window) {
  if (data.positives.count() < 1)
    throw InvalidArgument("train: there are no positives; give crops with a person in the middle");
  if (data.negatives.count() < 1)
    throw InvalidArgument("train: there are no negatives; give whole images without people");
  for (int i = 0; i < data.positives.count(); ++i) {
    const Image<std::uint8_t> crop = data.positives.read(i);
    if (crop.width() < window.width || crop.height() < window.height)
      throw InvalidArgument(fmt::format(
          "train: positive {} has {}x{} pixels, fewer than the window's {}x{}; crop it wider or "
          "choose a smaller window",
          i, crop.width(), crop.height(), window.width, window.height));
  }
}

}  // namespace fovea::people
