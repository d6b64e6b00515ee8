// Explains one pixel of the map of a scene, whose bins have names and colors: levels of a band,
// colors of a palette, or groups of bands.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emd/scene/insides.h"

namespace fovea::emd {
namespace {

// The inverse of lab_of(), within the colors that sRGB has.
report::Color srgb_of(const LabColor& lab) {
  const auto straight = [](double t) {
    constexpr double kBend = 6.0 / 29;
    return t > kBend ? t * t * t : 3 * kBend * kBend * (t - 4.0 / 29);
  };
  const double middle = (static_cast<double>(lab[0]) + 16) / 116;
  const double x = 0.95047 * straight(middle + static_cast<double>(lab[1]) / 500),
               y = straight(middle),
               z = 1.08883 * straight(middle - static_cast<double>(lab[2]) / 200);
  const auto byte = [](double light) {
    const double value =
        light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
  };
  return {byte(3.2406 * x - 1.5372 * y - 0.4986 * z), byte(-0.9689 * x + 1.8758 * y + 0.0415 * z),
          byte(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

// So many digits that neighboring bins have different names and whole numbers no exponents.
int level_digits(const LevelRange& range, double step) {
  constexpr int kLeast = 3, kMost = 9;
  const double top =
      std::max(std::abs(static_cast<double>(range.low)), std::abs(static_cast<double>(range.high)));
  if (!(step > 0 && top > 0)) return kLeast;
  const double high = std::floor(std::log10(top));
  return static_cast<int>(std::clamp(std::max(high + 1, high - std::floor(std::log10(step)) + 2),
                                     static_cast<double>(kLeast), static_cast<double>(kMost)));
}

std::vector<BinLook> level_looks(const LevelRange& range, int bins) {
  std::vector<BinLook> looks;
  looks.reserve(static_cast<std::size_t>(bins));
  const double step = (static_cast<double>(range.high) - static_cast<double>(range.low)) / bins;
  const int digits = level_digits(range, step);
  for (int b = 0; b < bins; ++b) {
    const auto gray = static_cast<std::uint8_t>(std::lround(255 * (b + 0.5) / bins));
    const double low = static_cast<double>(range.low) + b * step;
    looks.push_back({fmt::format("[{0:.{2}g}, {1:.{2}g}]", low, low + step, digits),
                     report::Color{gray, gray, gray}});
  }
  return looks;
}

std::string group_name(int group, int groups, int bands) {
  const auto begin = [&](int g) { return (g * bands + groups - 1) / groups; };
  const int first = begin(group) + 1, last = begin(group + 1);
  return first >= last ? fmt::format("band {}", first) : fmt::format("bands {} to {}", first, last);
}

std::vector<BinLook> spectral_looks(const SceneMapper& mapper, int bins) {
  const int bands = SceneInsides::bands(mapper);
  std::vector<BinLook> looks;
  looks.reserve(static_cast<std::size_t>(bins));
  if (mapper.options().signature == SceneSignature::kBands) {
    for (int b = 0; b < bins; ++b) looks.push_back({group_name(b, bins, bands), {}});
    return looks;
  }
  const int groups = (bins - 1) / 2;
  for (int g = 0; g < groups; ++g)
    looks.push_back({group_name(g, groups, bands) + " above the scene", {}});
  for (int g = 0; g < groups; ++g)
    looks.push_back({group_name(g, groups, bands) + " below the scene", {}});
  looks.push_back({"like the scene", {}});
  return looks;
}

std::vector<BinLook> looks_of(const SceneMapper& mapper, int bins) {
  if (mapper.options().levels()) return level_looks(mapper.range(), bins);
  if (mapper.options().spectral()) return spectral_looks(mapper, bins);
  std::vector<BinLook> looks;
  looks.reserve(static_cast<std::size_t>(bins));
  for (const LabColor& color : SceneInsides::palette(mapper)) {
    const report::Color shown = srgb_of(color);
    looks.push_back({fmt::format("#{:02x}{:02x}{:02x}", shown.r, shown.g, shown.b), shown});
  }
  return looks;
}

template <class T>
Image<T> pixel_on_host(const Image<T>& image, int x, int y) {
  Image<T> pixel(1, 1, image.channels());
  copy(image.view().crop(x, y, 1, 1), pixel.view());
  return pixel;
}

}  // namespace

MapExplanation explain(const SceneMapper& mapper, const BandFrame& frame, int x, int y) {
  const int width = frame.bands.width(), height = frame.bands.height();
  if (!(x >= 0 && y >= 0 && x < width && y < height))
    throw InvalidArgument(fmt::format("explain: the pixel {},{} lies outside of {} of {}x{}", x, y,
                                      frame.name, width, height));
  PreparedFrame prepared;
  mapper.prepare(frame, prepared);
  if (!SceneInsides::maps(mapper, x, y))
    throw InvalidArgument(fmt::format(
        "explain: the pixel {},{} is not mapped: the mask or region of interest leaves it out", x,
        y));
  MapExplanation to;
  if (mapper.options().spectral()) {
    const int in_x = x - prepared.part.x, in_y = y - prepared.part.y;
    const Image<std::uint16_t> masses = pixel_on_host(prepared.spectra, in_x, in_y);
    to = explain_histograms(mapper.mapper(), masses, 0, 0);
    to.x = x;
    to.y = y;
    const int side = mapper.options().window_side();
    to.window = intersect(Rect<int>{x - side / 2, y - side / 2, side, side}, {0, 0, width, height});
    if (mapper.options().score == SceneScore::kFused) {
      const Image<float> angles = pixel_on_host(prepared.angles, in_x, in_y);
      const float score = SceneInsides::fused(mapper, angles, static_cast<float>(to.distance));
      to.fused = {score, angles.at(0, 0, 0), angles.at(0, 0, 1)};
    }
  } else {
    Image<std::uint8_t> here;
    ImageView<const std::uint8_t> labels = prepared.labels;
    if (labels.memory == Memory::kCuda) {
      here = clone(labels, Memory::kHost);
      labels = here;
    }
    to = explain(mapper.mapper(), labels, x, y);
  }
  to.image = {width, height};
  to.bins = looks_of(mapper, static_cast<int>(to.histogram.size()));
  to.target_bins = to.bins;
  return to;
}

}  // namespace fovea::emd
