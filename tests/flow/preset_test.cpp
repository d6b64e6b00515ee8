#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/parity.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

TEST(FlowPreset, NoneGivesTheDefaultsBack) {
  FlowOptions options;
  options.lk.median = 1;
  use_preset(options, Preset::kPaper);
  EXPECT_NE(options_json(options), options_json(FlowOptions{}));
  use_preset(options, Preset::kNone);
  EXPECT_EQ(options_json(options), options_json(FlowOptions{}));
}

TEST(FlowPreset, EveryPixelOfABlockHasTheShiftOfItsBlock) {
  Random random(1);
  const auto wide = test::random_image<std::uint8_t>(random, 100, 90);
  Image<std::uint8_t> first(64, 48), second(64, 48);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) {
      first.at(x, y) = wide.at(x + 10, y + 10);
      second.at(x, y) = wide.at(x + 7, y + 12);
    }
  FlowOptions options{.method = Method::kBlockMatching, .exec = {.device = Device::cpu()}};
  use_preset(options, Preset::kPaper);
  options.bm.levels = 1;
  const Flow flow = Estimator(options).estimate(first, second);
  for (int y = 16; y < 32; ++y)
    for (int x = 16; x < 48; ++x) {
      ASSERT_EQ(flow.u.at(x, y), 3) << x << ' ' << y;
      ASSERT_EQ(flow.v.at(x, y), -2);
      ASSERT_NEAR(flow.confidence.at(x, y), 1, 1e-6);  // the correlation itself
    }
}

// One step of the paper's method from the equations: sums over the window, without weights.
TEST(FlowPreset, OneStepSolvesTheSystemOfThePaper) {
  constexpr int kSide = 40, kRadius = 3;
  Image<float> first(kSide, kSide), second(kSide, kSide);
  const auto wave = [](double x, double y) {
    return 127.5 + 60 * std::sin(0.2 * x + 0.05 * y) + 60 * std::sin(0.23 * y - 0.1 * x);
  };
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      first.at(x, y) = static_cast<float>(wave(x, y));
      second.at(x, y) = static_cast<float>(wave(x - 0.4, y + 0.3));
    }
  FlowOptions options{.exec = {.device = Device::cpu()}};
  use_preset(options, Preset::kPaper);
  options.lk.levels = 1;
  options.lk.iterations = 1;
  options.lk.radius = kRadius;
  options.lk.window = Window::kBox;
  const Flow flow = Estimator(options).estimate(first, second);
  for (int y = 8; y < kSide - 8; ++y)
    for (int x = 8; x < kSide - 8; ++x) {
      double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
      for (int j = y - kRadius; j <= y + kRadius; ++j)
        for (int i = x - kRadius; i <= x + kRadius; ++i) {
          const auto both = [&](int px, int py) { return first.at(px, py) + second.at(px, py); };
          const double gx = (both(i + 1, j) - both(i - 1, j)) / 4.0;
          const double gy = (both(i, j + 1) - both(i, j - 1)) / 4.0;
          const double gt = second.at(i, j) - first.at(i, j);
          xx += gx * gx, xy += gx * gy, yy += gy * gy, xt += gx * gt, yt += gy * gt;
        }
      const double determinant = xx * yy - xy * xy;
      // Gray levels are rounded to whole numbers.
      EXPECT_NEAR(flow.u.at(x, y), (xy * yt - yy * xt) / determinant, 0.12) << x << ' ' << y;
      EXPECT_NEAR(flow.v.at(x, y), (xy * xt - xx * yt) / determinant, 0.12) << x << ' ' << y;
    }
}

TEST(FlowPreset, ThePaperIsTheSameOnAGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto first = parity::picture<std::uint8_t>(150, 117, 1, 0);
  const auto second = parity::picture<std::uint8_t>(150, 117, 1, 2.3);
  FlowOptions options;
  use_preset(options, Preset::kPaper);
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching}) {
    options.method = method;
    EXPECT_TRUE(cpu_only(options).empty());
    options.exec.device = Device::cpu();
    const Flow here = Estimator(options).estimate(first, second);
    options.exec.device = Device::cuda();
    parity::expect_equal(here, Estimator(options).estimate(first, second));
  }
}

}  // namespace
}  // namespace fovea::flow
