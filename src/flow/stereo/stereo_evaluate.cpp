// Errors of disparities as Middlebury counts them, which pixels both images show, and the picture
// of a map.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/flow/stereo.h>
#include <fovea/report/color_map.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/dispatch.h"

namespace fovea::flow {
namespace {

struct StereoSums {
  std::int64_t pixels = 0, known = 0;
  std::int64_t above_half = 0, above_one = 0, above_two = 0, above_four = 0;
  double error = 0;

  void add(float estimate, float truth) {
    ++pixels;
    if (!std::isfinite(estimate)) return;
    ++known;
    const double off = std::abs(static_cast<double>(estimate) - static_cast<double>(truth));
    error += off;
    above_half += off > 0.5 ? 1 : 0;
    above_one += off > 1 ? 1 : 0;
    above_two += off > 2 ? 1 : 0;
    above_four += off > 4 ? 1 : 0;
  }
  StereoErrors shares() const {
    if (pixels == 0) return {};
    const auto share = [&](std::int64_t count) {
      return static_cast<double>(count) / static_cast<double>(pixels);
    };
    return {.pixels = pixels,
            .mean = known > 0 ? error / static_cast<double>(known) : 0,
            .bad05 = share(above_half),
            .bad1 = share(above_one),
            .bad2 = share(above_two),
            .bad4 = share(above_four),
            .unknown = share(pixels - known)};
  }
};

}  // namespace

Image<std::uint8_t> visible_pixels(ImageView<const float> disparity) {
  detail::require_host("stereo", "the disparity", disparity.memory);
  constexpr float kBehind = 1;  // pixels of disparity
  const int width = disparity.width;
  Image<std::uint8_t> visible(width, disparity.height);
  std::vector<float> nearest(static_cast<std::size_t>(std::max(width, 0)));
  const auto place = [&](int x, int y) -> int {
    const float d = disparity.at(x, y);
    if (!std::isfinite(d)) return -1;
    const float at = std::floor(static_cast<float>(x) - d + 0.5F);
    return at >= 0 && at < static_cast<float>(width) ? static_cast<int>(at) : -1;
  };
  for (int y = 0; y < disparity.height; ++y) {
    std::fill(nearest.begin(), nearest.end(), -std::numeric_limits<float>::infinity());
    for (int x = 0; x < width; ++x) {
      const int at = place(x, y);
      if (at < 0) continue;
      float& found = nearest[static_cast<std::size_t>(at)];
      found = std::max(found, disparity.at(x, y));
    }
    for (int x = 0; x < width; ++x) {
      const int at = place(x, y);
      const bool seen =
          at >= 0 && nearest[static_cast<std::size_t>(at)] - disparity.at(x, y) <= kBehind;
      visible.at(x, y) = seen ? 255 : 0;
    }
  }
  return visible;
}

StereoReport evaluate_stereo(ImageView<const float> estimate, ImageView<const float> truth,
                             ImageView<const std::uint8_t> visible) {
  detail::require_host("stereo", "the estimate", estimate.memory);
  detail::require_shape("stereo", "the estimate", estimate, truth.width, truth.height, 1);
  Image<std::uint8_t> own;
  if (visible.empty()) {
    own = visible_pixels(truth);
    visible = own.view();
  }
  detail::require_shape("stereo", "the map of visible pixels", visible, truth.width, truth.height,
                        1);
  StereoSums all, seen;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      if (!std::isfinite(truth.at(x, y))) continue;
      all.add(estimate.at(x, y), truth.at(x, y));
      if (visible.at(x, y) != 0) seen.add(estimate.at(x, y), truth.at(x, y));
    }
  }
  if (all.pixels == 0) throw InvalidArgument("stereo: no true disparity is known at any pixel");
  return {all.shares(), seen.shares()};
}

void describe(OptionVisitor& visit, DisparityPictureOptions& options) {
  visit("nearest", options.nearest, "disparity in pixels that the picture draws brightest", -1e6,
        1e6, {.absent = "the greatest of the map"});
  visit("farthest", options.farthest, "disparity in pixels that the picture draws darkest", -1e6,
        1e6, {.absent = "the least of the map"});
}

void check_picture(const DisparityPictureOptions& options) {
  check_options(options);
  if (options.nearest && options.farthest && *options.nearest <= *options.farthest)
    throw InvalidArgument(
        fmt::format("the nearest disparity of a picture is {} and the farthest {}; expected the "
                    "nearest above, as near things have greater disparities",
                    *options.nearest, *options.farthest));
}

Image<std::uint8_t> disparity_picture(ImageView<const float> disparity,
                                      const DisparityPictureOptions& options) {
  check_picture(options);
  detail::require_host("stereo", "the disparity", disparity.memory);
  Image<float> values(disparity.width, disparity.height);
  for (int y = 0; y < disparity.height; ++y)
    for (int x = 0; x < disparity.width; ++x)
      values.at(x, y) = std::isfinite(disparity.at(x, y)) ? disparity.at(x, y)
                                                          : std::numeric_limits<float>::quiet_NaN();
  const report::ValueRange range = report::percentile_range(values, 0, 100);
  const double low = options.farthest.value_or(range.low);
  const double high = options.nearest.value_or(range.high);
  return report::apply_color_map(values, {.map = report::ColorMap::kTide,
                                          .automatic = false,
                                          .low = low,
                                          .high = high > low ? high : low + 1,
                                          .missing = {110, 110, 110}});
}

}  // namespace fovea::flow
