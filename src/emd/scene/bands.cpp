// Images and cubes as bands of floats. Samples keep their values: the first frame alone decides
// what a level is, so that later frames are treated alike.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/emd/scene.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fovea::emd {
namespace {

template <class T>
Stack<float> planes_of(ImageView<T> image) {
  Stack<float> planes(image.width, image.height, image.channels);
  for (int c = 0; c < image.channels; ++c)
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        planes.plane(c).at(x, y) = static_cast<float>(image.at(x, y, c));
  return planes;
}

double white_of(io::SampleType type) { return type == io::SampleType::kUint8 ? 255 : 0; }

}  // namespace

BandFrame read_bands(const std::string& path, const io::CubeReadOptions& options) {
  io::Cube cube = io::read_cube(path, options);
  const double white = white_of(cube.type());
  return {io::to_float(std::move(cube)), path, white};
}

BandFrame bands_of(const io::AnyView& image, std::string name) {
  return {std::visit([](const auto& view) { return planes_of(view); }, image), std::move(name),
          white_of(static_cast<io::SampleType>(image.index()))};
}

Image<float> gray_band(const BandFrame& frame, std::optional<int> band) {
  const int count = frame.bands.count(), width = frame.bands.width(), height = frame.bands.height();
  if (band && *band >= count)
    throw InvalidArgument(
        fmt::format("band is {}, but {} has bands 0 to {}", *band, frame.name, count - 1));
  if (band) return clone(frame.bands.plane(*band));
  if (count == 1) return clone(frame.bands.plane(0));
  if (count != 3)
    throw InvalidArgument(
        fmt::format("{} has {} bands; choose one by the option band, or take the signature bands",
                    frame.name, count));
  Image<float> gray(width, height);
  const auto red = frame.bands.plane(0), green = frame.bands.plane(1), blue = frame.bands.plane(2);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      gray.at(x, y) = 0.299F * red.at(x, y) + 0.587F * green.at(x, y) + 0.114F * blue.at(x, y);
  return gray;
}

LevelRange level_range(ImageView<const float> band, const BandFrame& frame,
                       const std::array<double, 2>& asked) {
  if (asked[0] != asked[1]) return {static_cast<float>(asked[0]), static_cast<float>(asked[1])};
  if (frame.white > 0) return {0, static_cast<float>(frame.white) + 1};
  LevelRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x) {
      if (!std::isfinite(band.at(x, y))) continue;
      range.low = std::min(range.low, band.at(x, y));
      range.high = std::max(range.high, band.at(x, y));
    }
  if (range.low > range.high)
    throw FormatError(fmt::format("{}: all values of its band are NaN or infinite", frame.name));
  if (range.low == range.high) range.high = range.low + std::max(1.0F, std::abs(range.low));
  return range;
}

}  // namespace fovea::emd
