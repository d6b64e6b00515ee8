// Computes the weights of gradient words.
#include <cmath>

#include "scenes/describe/describe.h"
#include "scenes/describe/lab_math.h"

namespace fovea::scenes {
namespace {

// Images are assumed to be smoothed by this variance already; pixels are smoothed by a sixth of the
// width of a cell (the proportion of Vedaldi and Fulkerson, VLFeat, 2008).
constexpr double kSharpVariance = 0.25;
constexpr double kCellsOfDeviation = 6;

}  // namespace

GradientScale gradient_scale(int cell, Color color) {
  GradientScale scale{};
  scale.cell = cell;
  const double deviation = cell / kCellsOfDeviation;
  const double variance = deviation * deviation - kSharpVariance;
  scale.smooth_reach = variance > 0 ? static_cast<int>(std::ceil(3 * std::sqrt(variance))) : 0;
  const auto bell = [&](int k) { return k == 0 ? 1 : std::exp(-k * k / (2 * variance)); };
  double sum = 0;
  for (int k = -scale.smooth_reach; k <= scale.smooth_reach; ++k) sum += bell(k);
  for (int k = 0; k <= scale.smooth_reach; ++k) scale.smooth[k] = static_cast<float>(bell(k) / sum);
  const double unit = color == Color::kGray ? 1 / 255.0 : 1 / static_cast<double>(kLabUnits);
  for (int k = 0; k < cell; ++k) {
    const double share = static_cast<double>(cell - k) / (static_cast<double>(cell) * cell);
    scale.share_across[k] = static_cast<float>(share);
    scale.share_down[k] = static_cast<float>(share * unit);
  }
  return scale;
}

}  // namespace fovea::scenes
