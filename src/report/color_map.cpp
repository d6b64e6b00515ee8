// Color maps as curves through OKLab, sampled so that equal steps look equal.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "report/oklab.h"

namespace fovea::report {
namespace {

constexpr int kSamples = 512;  // samples of a curve, from which its length is measured
constexpr int kColors = 1024;  // entries of a table, finer than 8 bits can show

struct Lch {
  double l, chroma, hue;
};

// Between the points, lightness and chroma change linearly and hue turns evenly.
Oklab along(std::span<const Lch> points, double t) {
  const double position = std::clamp(t, 0.0, 1.0) * static_cast<double>(points.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(position), points.size() - 2);
  const double f = position - static_cast<double>(i);
  const Lch &a = points[i], &b = points[i + 1];
  const double hue = a.hue + (b.hue - a.hue) * f;
  return oklch(a.l + (b.l - a.l) * f, a.chroma + (b.chroma - a.chroma) * f, hue);
}

constexpr std::array<Lch, 5> kEmberPoints{{{0.08, 0.02, 300},
                                           {0.32, 0.13, 330},
                                           {0.56, 0.20, 380},
                                           {0.77, 0.165, 420},
                                           {0.98, 0.07, 465}}};
constexpr std::array<Lch, 5> kTidePoints{{{0.17, 0.07, 280},
                                          {0.38, 0.10, 250},
                                          {0.58, 0.10, 205},
                                          {0.78, 0.12, 160},
                                          {0.97, 0.08, 110}}};
constexpr std::array<Lch, 3> kCoolPoints{
    {{0.36, 0.13, 262}, {0.66, 0.12, 245}, {0.97, 0.005, 230}}};
constexpr std::array<Lch, 3> kWarmPoints{{{0.36, 0.13, 22}, {0.66, 0.14, 38}, {0.97, 0.005, 60}}};

Oklab curve(ColorMap map, double t) {
  switch (map) {
    case ColorMap::kEmber: return along(kEmberPoints, t);
    case ColorMap::kTide: return along(kTidePoints, t);
    case ColorMap::kGray: break;  // has no curve: see ColorTable
    case ColorMap::kBalance:
      return t < 0.5 ? along(kCoolPoints, 2 * t) : along(kWarmPoints, 2 - 2 * t);
    case ColorMap::kPhase:
      return oklch(0.74, 0.122, 25 + 360 * t);  // the most chroma that all hues have
  }
  return {};
}

// The map as a table.
class ColorTable {
 public:
  explicit ColorTable(ColorMap map) : cyclic_(map == ColorMap::kPhase) {
    if (map == ColorMap::kGray) fill_gray();
    else walk(map);
  }

  Color at(double t) const {
    if (std::isnan(t)) t = 0;
    if (cyclic_) {
      if (!std::isfinite(t)) t = 0;
      const double turn = t - std::floor(t);
      return colors_[static_cast<std::size_t>(std::lround(turn * kColors)) % kColors];
    }
    return colors_[static_cast<std::size_t>(std::lround(std::clamp(t, 0.0, 1.0) * (kColors - 1)))];
  }

 private:
  // Gray is linear in the sample values: steps of equal lightness would need more dark levels than
  // 8 bits have.
  void fill_gray() {
    for (int k = 0; k < kColors; ++k) {
      const auto gray = static_cast<std::uint8_t>(std::lround(255.0 * k / (kColors - 1)));
      colors_[k] = {gray, gray, gray};
    }
  }

  void walk(ColorMap map) {
    std::array<double, kSamples + 1> length{};
    Oklab before = curve(map, 0);
    for (int i = 1; i <= kSamples; ++i) {
      const Oklab here = curve(map, static_cast<double>(i) / kSamples);
      length[i] = length[i - 1] + distance(before, here);
      before = here;
    }
    int i = 1;
    for (int k = 0; k < kColors; ++k) {
      // A cyclic map does not repeat its first color at the end.
      const double wanted = length[kSamples] * k / (cyclic_ ? kColors : kColors - 1);
      while (i < kSamples && length[i] < wanted) ++i;
      const double part = (wanted - length[i - 1]) / std::max(1e-12, length[i] - length[i - 1]);
      colors_[k] = to_color(curve(map, (i - 1 + std::clamp(part, 0.0, 1.0)) / kSamples));
    }
  }

  bool cyclic_;
  std::array<Color, kColors> colors_{};
};

void require_values(const char* function, const ImageView<const float>& values) {
  detail::require_host(function, "the image of values", values.memory);
  if (values.channels != 1)
    throw InvalidArgument(
        fmt::format("{}: the image has {} channels; one can be mapped to colors at a time",
                    function, values.channels));
}

void require_percent(double percent) {
  if (!(percent >= 0 && percent <= 100))
    throw InvalidArgument(
        fmt::format("percentile_range: {} is not a percentage; give one from 0 to 100", percent));
}

double percentile(std::vector<float>& values, double percent) {
  const double rank = percent / 100 * static_cast<double>(values.size() - 1);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::lround(rank));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace

std::span<const Choice> choices(ColorMap) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"ember", static_cast<int>(ColorMap::kEmber)},
       {"tide", static_cast<int>(ColorMap::kTide)},
       {"gray", static_cast<int>(ColorMap::kGray)},
       {"balance", static_cast<int>(ColorMap::kBalance)},
       {"phase", static_cast<int>(ColorMap::kPhase)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ColorMapOptions& options) {
  constexpr double kMost = std::numeric_limits<double>::max();
  visit("color-map", options.map,
        "ember, tide, gray: from dark to light; balance: about a middle; phase: for angles");
  visit("automatic", options.automatic, "take the range of values from their percentiles");
  visit("low", options.low, "value at the map's beginning", -kMost, kMost);
  visit("high", options.high, "value at the map's end", -kMost, kMost);
  visit("low-percent", options.low_percent, "percent of the values below the automatic range", 0,
        100);
  visit("high-percent", options.high_percent, "percent of the values below its end", 0, 100);
  visit("symmetric", options.symmetric, "center the automatic range on 0");
}

Color color_at(ColorMap map, double t) { return ColorTable(map).at(t); }

std::vector<Color> colors(ColorMap map, int count) {
  const ColorTable table(map);
  const double steps = map == ColorMap::kPhase ? count : std::max(1, count - 1);
  std::vector<Color> result;
  result.reserve(static_cast<std::size_t>(std::max(0, count)));
  for (int i = 0; i < count; ++i) result.push_back(table.at(i / steps));
  return result;
}

ValueRange percentile_range(ImageView<const float> values, double low_percent,
                            double high_percent) {
  require_values("percentile_range", values);
  require_percent(low_percent);
  require_percent(high_percent);
  std::vector<float> finite;
  finite.reserve(values.empty() ? 0 : static_cast<std::size_t>(values.width) * values.height);
  for (int y = 0; y < values.height; ++y)
    for (int x = 0; x < values.width; ++x)
      if (std::isfinite(values.at(x, y))) finite.push_back(values.at(x, y));
  if (finite.empty()) return {};
  ValueRange range{percentile(finite, low_percent), percentile(finite, high_percent)};
  if (range.low == range.high) {
    const double around = range.low == 0 ? 0.5 : std::abs(range.low) / 2;
    range = {range.low - around, range.high + around};
  }
  return range;
}

ValueRange value_range(ImageView<const float> values, const ColorMapOptions& options) {
  check_options(options);
  if (!options.automatic) return {options.low, options.high};
  ValueRange range = percentile_range(values, options.low_percent, options.high_percent);
  if (options.symmetric) {
    const double reach = std::max(std::abs(range.low), std::abs(range.high));
    range = {-reach, reach};
  }
  return range;
}

Image<std::uint8_t> apply_color_map(ImageView<const float> values, const ColorMapOptions& options) {
  require_values("apply_color_map", values);
  const ValueRange range = value_range(values, options);
  const ColorTable table(options.map);
  Image<std::uint8_t> picture(std::max(0, values.width), std::max(0, values.height), 3);
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const double value = values.at(x, y);
      // Where the range has no width, the color still shows whether a value lies below, at or above
      // it.
      const double t = range.low != range.high ? (value - range.low) / (range.high - range.low)
                       : value == range.low    ? 0.5
                       : value < range.low     ? 0
                                               : 1;
      const Color color = std::isnan(value) ? options.missing : table.at(t);
      std::uint8_t* pixel = &picture.at(x, y);
      pixel[0] = color.r;
      pixel[1] = color.g;
      pixel[2] = color.b;
    }
  }
  return picture;
}

}  // namespace fovea::report
