// How the light of two images differs: gain and offset between the gray levels of places that the
// census matches beyond doubt.
#include <algorithm>
#include <array>
#include <cmath>

#include "flow/stereo/stereo_cpu.h"

namespace fovea::flow::cpu {
namespace {

constexpr int kLightRows = 32;        // one row in so many is matched
constexpr int kLightBlock = 5;        // of the census
constexpr float kLightMargin = 0.3F;  // by which the next best place must cost more
constexpr std::size_t kLeastMatches = 200;
constexpr float kLeastGain = 0.25F, kMostGain = 4;
constexpr float kMostResidual = 6;   // median difference in gray levels that is still explained
constexpr float kWorthwhile = 0.5F;  // gray levels that a gain and an offset must save

struct Matches {
  std::vector<float> left{}, right{};
};

Matches sure_matches(StereoPlan plan, const StereoFrame& left, const StereoFrame& right) {
  plan.method = StereoMethod::kBlock;
  plan.cost = StereoCost::kCensus;
  plan.block = kLightBlock;
  plan.uniqueness = kLightMargin;
  plan.check = 0;
  plan.subpixel = false;
  CostRows costs(plan, left, right);
  RowChooser chooser(plan);
  std::vector<std::uint16_t> sums(plan.row_elements());
  std::vector<float> disparity(static_cast<std::size_t>(plan.width));
  std::vector<float> confidence(disparity.size());
  Matches found;
  for (int y = std::min(kLightRows, plan.height) / 2; y < plan.height; y += kLightRows) {
    costs.row(y, sums.data());
    chooser.choose(sums.data(), {disparity.data(), confidence.data()});
    const std::uint8_t* turned = right.gray.view().row(y);
    for (int x = 0; x < plan.width; ++x) {
      const float at = disparity[static_cast<std::size_t>(x)];
      if (!std::isfinite(at)) continue;
      found.left.push_back(left.gray.at(x, y));
      found.right.push_back(turned[right_place(plan, x) + static_cast<int>(at) - plan.least]);
    }
  }
  return found;
}

// The median distance of the left gray levels from what the light makes of the right ones.
float residual_of(const Matches& matches, const StereoLight& light) {
  std::vector<float> distances(matches.left.size());
  for (std::size_t i = 0; i < distances.size(); ++i)
    distances[i] = std::abs(matches.left[i] - (light.gain * matches.right[i] + light.offset));
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

// The line through the quantiles of both, which a few false matches hardly move.
StereoLight line_through(const Matches& matches) {
  constexpr int kQuantiles = 19;
  std::vector<float> left = matches.left, right = matches.right;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (int i = 1; i <= kQuantiles; ++i) {
    const std::size_t at = left.size() * static_cast<std::size_t>(i) / (kQuantiles + 1);
    const double x = right[at], y = left[at];
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const double spread = kQuantiles * sum_xx - sum_x * sum_x;
  double gain = spread > 0 ? (kQuantiles * sum_xy - sum_x * sum_y) / spread : 1;
  gain = std::clamp(gain, static_cast<double>(kLeastGain), static_cast<double>(kMostGain));
  return {static_cast<float>(gain), static_cast<float>((sum_y - gain * sum_x) / kQuantiles), true};
}

}  // namespace

StereoLight measure_light(const StereoPlan& plan, const StereoFrame& left,
                          const StereoFrame& right) {
  const Matches matches = sure_matches(plan, left, right);
  if (matches.left.size() < kLeastMatches) return {};
  StereoLight light = line_through(matches);
  float residual = residual_of(matches, light);
  if (const float same = residual_of(matches, {}); same < residual + kWorthwhile) {
    light = {};
    residual = same;
  }
  light.explained = residual <= kMostResidual;
  return light;
}

void apply_light(const StereoLight& light, Image<std::uint8_t>& gray) {
  if (light.gain == 1 && light.offset == 0) return;
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const float value = light.gain * static_cast<float>(i) + light.offset;
    table[i] = static_cast<std::uint8_t>(std::clamp(value, 0.F, 255.F) + 0.5F);
  }
  for (int y = 0; y < gray.height(); ++y) {
    std::uint8_t* row = gray.view().row(y);
    for (int x = 0; x < gray.width(); ++x) row[x] = table[row[x]];
  }
}

}  // namespace fovea::flow::cpu
