// The colors of frames whose samples have any depth: values become bytes by the range of the first
// frame, and bytes become colors by the tracker's palette.
#include "emd/scene/colors.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "emd/scene/backend.h"
#include "emd/scene/scene_math.h"
#include "emd/track/backend.h"

namespace fovea::emd {
namespace {

constexpr std::int64_t kColorRows = 16;
constexpr std::uint8_t kNoColor = 255;

void require_colors(const BandFrame& frame) {
  if (frame.bands.count() == 1 || frame.bands.count() == 3) return;
  throw InvalidArgument(
      fmt::format("{} has {} bands; colors need red, green and blue, or gray. Take the signature "
                  "bands or contrast for spectra",
                  frame.name, frame.bands.count()));
}

LevelRange range_of(const BandFrame& frame, const std::array<double, 2>& asked) {
  LevelRange all = level_range(frame.bands.plane(0), frame, asked);
  for (int b = 1; b < frame.bands.count(); ++b) {
    const LevelRange one = level_range(frame.bands.plane(b), frame, asked);
    all = {std::min(all.low, one.low), std::max(all.high, one.high)};
  }
  return all;
}

Image<std::uint8_t> bytes_of(const BandFrame& frame, const LevelRange& range, const Exec& exec) {
  require_colors(frame);
  const int channels = frame.bands.count();
  Image<std::uint8_t> bytes(frame.bands.width(), frame.bands.height(), channels);
  parallel_for(exec, bytes.height(), kColorRows, [&](std::int64_t first, std::int64_t last) {
    for (int c = 0; c < channels; ++c)
      for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y) {
        const float* const row = frame.bands.plane(c).row(y);
        for (int x = 0; x < bytes.width(); ++x)
          bytes.at(x, y, c) = detail::byte_of(row[x], range.low, range.high);
      }
  });
  return bytes;
}

void drop_missing(const BandFrame& frame, ImageView<std::uint8_t> labels, const Exec& exec) {
  parallel_for(exec, labels.height, kColorRows, [&](std::int64_t first, std::int64_t last) {
    for (int c = 0; c < frame.bands.count(); ++c)
      for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y) {
        const float* const row = frame.bands.plane(c).row(y);
        for (int x = 0; x < labels.width; ++x)
          if (!std::isfinite(row[x])) labels.at(x, y) = kNoColor;
      }
  });
}

}  // namespace

ColorScene::ColorScene(const Source& source, int colors, std::uint64_t seed) {
  require_colors(source.first);
  range_ = range_of(source.first, source.asked);
  const Exec serial{.device = Device::cpu(), .threads = 1};
  const Image<std::uint8_t> frame = bytes_of(source.first, range_, serial);
  const Image<std::uint8_t> shown = bytes_of(source.shown, range_, serial);
  Random random(seed, 1);
  std::vector<LabColor> samples;
  add_color_samples({shown, source.part, frame, whole({frame.width(), frame.height()})},
                    kPaletteSamples, random, samples);
  palette_ = learn_palette(samples, colors, seed);
}

void ColorScene::label(const BandFrame& frame, ImageView<std::uint8_t> labels,
                       const Exec& exec) const {
  if (labels.memory == Memory::kCuda) {
    require_colors(frame);
    cuda::label_bands(frame.bands, {range_.low, range_.high, palette_.table, frame.white == 0},
                      labels, exec);
    return;
  }
  const Image<std::uint8_t> bytes = bytes_of(frame, range_, exec);
  cpu::label_colors(bytes, palette_.table, labels, exec);
  if (frame.white == 0) drop_missing(frame, labels, exec);
}

}  // namespace fovea::emd
