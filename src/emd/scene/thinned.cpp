#include "emd/scene/thinned.h"

#include <algorithm>

namespace fovea::emd {
namespace {

// Fills `to` from a row of the cube on.
void thin(StackView<const float> bands, int top, const Thinning& thinning, StackView<float> to) {
  parallel_for(thinning.exec, to.count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto b = static_cast<int>(begin); b < end; ++b)
      for (int y = 0; y < to.height; ++y) {
        const float* const from = bands.plane(b).row(top + y * thinning.step);
        float* const row = to.plane(b).row(y);
        for (int x = 0; x < to.width; ++x) row[x] = from[x * thinning.step];
      }
  });
}

}  // namespace

Extent thinned_size(StackView<const float> bands, int step) {
  return {(bands.width + step - 1) / step, (bands.height + step - 1) / step};
}

void for_thinned(StackView<const float> bands, const Thinning& thinning,
                 FunctionRef<void(StackView<const float>, int)> measure) {
  if (thinning.step == 1) {
    measure(bands, 0);
    return;
  }
  const Extent size = thinned_size(bands, thinning.step);
  const std::int64_t row_values = static_cast<std::int64_t>(size.width) * bands.count;
  const auto rows =
      static_cast<int>(std::clamp<std::int64_t>(thinning.most_values / row_values, 1, size.height));
  Stack<float> kept(size.width, rows, bands.count);
  for (int y = 0; y < size.height; y += rows) {
    StackView<float> part = kept.view();
    part.height = std::min(rows, size.height - y);
    thin(bands, y * thinning.step, thinning, part);
    measure(part, y);
  }
}

}  // namespace fovea::emd
