#include "people/channels/channel_cells.h"

#include <fovea/core/exec.h>
#include <gtest/gtest.h>

#include <fovea/core/exec.h>
#include <fovea/core/random.h>

#include <algorithm>

namespace fovea::people {
namespace {

TEST(ChannelResample, IsBilinearAndCorrected) {
  Random random(4);
  for (const double step : {0.8, 1.0, 1.3, 2.4}) {
    ChannelCells from, to;
    from.reset(37, 21);
    for (int y = 0; y < 21; ++y)
      for (int k = 0; k < channels::kChannels; ++k)
        for (int x = 0; x < 37; ++x)
          from.line(y, k)[x] = static_cast<std::uint8_t>(random.below(200));
    CellPlacement placement{-1.4, step, 0.3, step, {}};
    for (int k = 0; k < channels::kChannels; ++k) placement.factor[k] = 0.8F + 0.05F * k;
    to.reset(33, 18);
    cpu::resample_cells(from, placement, to, {.threads = 2});
    for (int y = 0; y < 18; ++y)
      for (int k = 0; k < channels::kChannels; ++k)
        for (int x = 0; x < 33; ++x) {
          const double px = std::clamp(-1.4 + x * step, 0., 36.),
                       py = std::clamp(0.3 + y * step, 0., 20.);
          const int x0 = std::min(35, static_cast<int>(px)),
                    y0 = std::min(19, static_cast<int>(py));
          const double fx = px - x0, fy = py - y0;
          const auto row = [&](int r) {
            return from.line(r, k)[x0] * (1 - fx) + from.line(r, k)[x0 + 1] * fx;
          };
          const double expected =
              std::min(255., (row(y0) * (1 - fy) + row(y0 + 1) * fy) * placement.factor[k]);
          ASSERT_NEAR(to.line(y, k)[x], expected, 6) << x << ' ' << y << ' ' << k << ' ' << step;
        }
  }
}

}  // namespace
}  // namespace fovea::people
