#include "emd/scene/subsampled.h"

#include <algorithm>

namespace fovea::emd {
namespace {

// Fills `to` from a row of the cube on.
void subsample(StackView<const float> bands, int top, const Subsampling& subsampling,
               StackView<float> to) {
  parallel_for(subsampling.exec, to.count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto b = static_cast<int>(begin); b < end; ++b)
      for (int y = 0; y < to.height; ++y) {
        const float* const from = bands.plane(b).row(top + y * subsampling.step);
        float* const row = to.plane(b).row(y);
        for (int x = 0; x < to.width; ++x) row[x] = from[x * subsampling.step];
      }
  });
}

}  // namespace

Extent subsampled_size(StackView<const float> bands, int step) {
  return {(bands.width + step - 1) / step, (bands.height + step - 1) / step};
}

void for_subsampled(StackView<const float> bands, const Subsampling& subsampling,
                    FunctionRef<void(StackView<const float>, int)> measure) {
  if (subsampling.step == 1) {
    measure(bands, 0);
    return;
  }
  const Extent size = subsampled_size(bands, subsampling.step);
  const std::int64_t row_values = static_cast<std::int64_t>(size.width) * bands.count;
  const auto rows = static_cast<int>(
      std::clamp<std::int64_t>(subsampling.most_values / row_values, 1, size.height));
  Stack<float> kept(size.width, rows, bands.count);
  for (int y = 0; y < size.height; y += rows) {
    StackView<float> part = kept.view();
    part.height = std::min(rows, size.height - y);
    subsample(bands, y * subsampling.step, subsampling, part);
    measure(part, y);
  }
}

}  // namespace fovea::emd
