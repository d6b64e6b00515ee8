// Images and cubes as bands of floats. Samples keep their values: the first frame alone decides
// what a level is, so that later frames are treated alike.
#include "emd/scene/bands.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/backend.h"
#include "core/dispatch.h"
#include "emd/scene/backend.h"
#include "emd/scene/scene_math.h"

namespace fovea::emd {
namespace {

template <class T>
Stack<float> planes_of(ImageView<T> image) {
  Stack<float> planes(image.width, image.height, image.channels);
  for (int y = 0; y < image.height; ++y)
    for (int c = 0; c < image.channels; ++c) {
      const T* from = image.row(y) + c;
      float* const to = planes.plane(c).row(y);
      for (int x = 0; x < image.width; ++x, from += image.channels)
        to[x] = static_cast<float>(*from);
    }
  return planes;
}
template <class T>
Stack<float> planes_there(ImageView<T> image, const Exec& exec) {
  const Exec resolved = fovea::detail::resolve_exec("bands of an image", exec, {image});
  const fovea::cuda::ScopedDevice there(resolved.device);
  Stack<float> planes(image.width, image.height, image.channels, 1, Memory::kCuda);
  if (!image.empty()) cuda::split_channels<std::remove_const_t<T>>(image, planes, resolved);
  return planes;
}

double white_of(io::SampleType type) { return type == io::SampleType::kUint8 ? 255 : 0; }

}  // namespace

BandFrame read_bands(const std::string& path, const io::CubeReadOptions& options) {
  io::CubeReadOptions reading = options;
  reading.as_float = true;
  io::Cube cube = io::read_cube(path, reading);
  BandFrame frame{{}, path, white_of(cube.type())};
  if (cube.type() == io::SampleType::kUint16 || cube.type() == io::SampleType::kInt16) {
    frame.bands = io::to_float(cube);
    if (auto* const words = std::get_if<Stack<std::uint16_t>>(&cube.bands))
      frame.samples = std::move(*words);
    else frame.samples = std::move(std::get<Stack<std::int16_t>>(cube.bands));
    return frame;
  }
  frame.bands = io::to_float(std::move(cube));
  return frame;
}

BandFrame bands_of(const io::AnyView& image, std::string name, const Exec& exec) {
  const auto planes = [&](const auto& view) {
    return view.memory == Memory::kCuda ? planes_there(view, exec) : planes_of(view);
  };
  return {std::visit(planes, image), std::move(name),
          white_of(static_cast<io::SampleType>(image.index()))};
}

ImageView<const float> gray_view(const BandFrame& frame, std::optional<int> band,
                                 Image<float>& kept, const Exec& exec) {
  const int count = frame.bands.count();
  if (band && *band >= count)
    throw InvalidArgument(
        fmt::format("band is {}, but {} has bands 0 to {}", *band, frame.name, count - 1));
  if (band) return frame.bands.plane(*band);
  if (count == 1) return frame.bands.plane(0);
  if (count != 3)
    throw InvalidArgument(
        fmt::format("{} has {} bands; choose one by the option band, or take the signature bands",
                    frame.name, count));
  const StackView<const float> bands = frame.bands;
  kept = Image<float>(bands.width, bands.height, 1, bands.memory);
  if (bands.memory == Memory::kCuda) {
    cuda::brightness_of(bands, kept, exec);
    return kept;
  }
  for (int y = 0; y < bands.height; ++y) {
    const float *red = bands.plane(0).row(y), *green = bands.plane(1).row(y),
                *blue = bands.plane(2).row(y);
    float* const gray = kept.row(y);
    for (int x = 0; x < bands.width; ++x) gray[x] = detail::brightness(red[x], green[x], blue[x]);
  }
  return kept;
}

Image<float> gray_band(const BandFrame& frame, std::optional<int> band) {
  fovea::detail::require_host("gray_band", "the frame", frame.bands.view().memory);
  Image<float> kept;
  const ImageView<const float> gray = gray_view(frame, band, kept, {});
  if (!kept.empty()) return kept;
  return clone(gray);
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
