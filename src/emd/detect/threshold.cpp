// Thresholds that separate a target's distances from all others without being given.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/regions.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "emd/detect/region_boxes.h"

namespace fovea::emd {
namespace {

constexpr double kNoThreshold = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kOtsuSteps = 256;
constexpr double kDeviations = 3;           // below the median
constexpr double kBeta = 0.5;               // weight of recall against precision
constexpr double kMadToDeviation = 1.4826;  // for normal distributions

std::vector<float> finite_values(ImageView<const float> map) {
  std::vector<float> values;
  for (int y = 0; y < map.height; ++y)
    for (int x = 0; x < map.width; ++x)
      if (std::isfinite(map.at(x, y))) values.push_back(map.at(x, y));
  return values;
}

// Otsu's method: the sum of squares between two classes is greatest where the one within them is
// least.
double otsu(std::span<const float> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = static_cast<double>(*least);
  const double step = (static_cast<double>(*most) - low) / static_cast<double>(kOtsuSteps);
  if (!(step > 0)) return low;
  std::array<double, kOtsuSteps> counts{}, sums{};
  double total = 0;
  for (const float value : values) {
    const double place = (static_cast<double>(value) - low) / step;
    const std::size_t bin = std::min(static_cast<std::size_t>(place), kOtsuSteps - 1);
    counts[bin] += 1;
    sums[bin] += static_cast<double>(value);
    total += static_cast<double>(value);
  }
  double below = 0, sum = 0, best = -1, threshold = low;
  for (std::size_t bin = 0; bin + 1 < kOtsuSteps; ++bin) {
    below += counts[bin];
    sum += sums[bin];
    const double above = static_cast<double>(values.size()) - below;
    if (!(below > 0 && above > 0)) continue;
    const double apart = sum / below - (total - sum) / above;
    if (below * above * apart * apart <= best) continue;
    best = below * above * apart * apart;
    threshold = low + static_cast<double>(bin + 1) * step;
  }
  return threshold;
}

double median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

double outlier(std::vector<float>& values) {
  const double middle = median(values);
  for (float& value : values)
    value = static_cast<float>(std::abs(static_cast<double>(value) - middle));
  return std::max(0.0, middle - kDeviations * kMadToDeviation * median(values));
}

// The threshold with the greatest F-measure when every pixel at or below it is called target. The
// target covers little of most frames, so that a rule that does not weigh precision would accept
// too much of the background.
double by_target(ImageView<const float> map, const Rect<int>& box) {
  Image<std::uint8_t> truth(map.width, map.height), counted(map.width, map.height);
  std::int64_t inside = 0, outside = 0;
  for (int y = 0; y < map.height; ++y)
    for (int x = 0; x < map.width; ++x) {
      const bool in = x >= box.x && x < box.right() && y >= box.y && y < box.bottom();
      const bool finite = std::isfinite(map.at(x, y));
      truth.at(x, y) = in ? 1 : 0;
      counted.at(x, y) = finite ? 1 : 0;
      inside += finite && in ? 1 : 0;
      outside += finite && !in ? 1 : 0;
    }
  if (inside == 0 || outside == 0) return kNoThreshold;
  double best = 0, threshold = kNoThreshold;
  for (const RocPoint& point : roc(map, truth, TargetScore::kLow, counted).curve) {
    const double hits = point.true_rate * static_cast<double>(inside);
    const double called = hits + point.false_rate * static_cast<double>(outside);
    const double measure =
        (1 + kBeta * kBeta) * hits / (called + kBeta * kBeta * static_cast<double>(inside));
    if (measure <= best) continue;
    best = measure;
    threshold = static_cast<double>(point.threshold);
  }
  return threshold;
}

}  // namespace

double threshold_by(ImageView<const float> map, ThresholdRule rule,
                    const std::optional<Rect<int>>& box) {
  if (rule == ThresholdRule::kTarget && box) {
    const double threshold = by_target(map, *box);
    if (std::isfinite(threshold)) return threshold;
  }
  std::vector<float> values = finite_values(map);
  if (values.empty()) return kNoThreshold;
  return rule == ThresholdRule::kOutlier ? outlier(values) : otsu(values);
}

}  // namespace fovea::emd
