// Covers: lucas_kanade_assess, lucas_kanade_features, lucas_kanade_plan, lucas_kanade_propagate
// Covers: lucas_kanade_smooth, lucas_kanade_step
// The stages of dense Lucas-Kanade against loops a pixel at a time, to the bit.
#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include "flow/lk/lucas_kanade_cpu.h"
#include "reference/lucas_kanade.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::flow::cpu {
namespace {

using reference::Pair;

template <class T>
void fill(Plane<T>& plane, int width, int height, auto value) {
  plane.resize(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) plane.row(y)[x] = static_cast<T>(value(x, y));
}

void random_level(Random& random, int width, int height, FrameLevel& level) {
  fill(level.features, width, height, [&](int, int) { return random.below(193); });
  for (int y = 0; y < height; ++y) level.features.row(y)[width] = level.features.row(y)[width - 1];
  std::copy_n(level.features.row(height - 1), width + 1, level.features.row(height));
}
void random_field(Random& random, int width, int height, float most, Field& field) {
  for (Plane<float>* plane : {&field.u, &field.v})
    fill(*plane, width, height,
         [&](int, int) { return (2 * static_cast<float>(random.uniform()) - 1) * most; });
}

struct Case {
  Case(Random& random, int width, int height, float most = 9) {
    random_level(random, width, height, first);
    random_level(random, width, height, second);
    random_field(random, width, height, most, in);
    out.resize(width, height);
  }
  Pair pair() const {
    return {first.features.view(), second.features.view(), in.u.view(), in.v.view()};
  }
  FrameLevel first, second;
  Field in, out;
};

// Every instruction set; the twin on a GPU is compared as a whole.
class LucasKanadeStage : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    OnEveryPlace::SetUp();
    if (device().kind != DeviceKind::kCpu) GTEST_SKIP() << "stages of the CPU";
  }
  static bool fuses() {
#if defined(__aarch64__)
    return true;
#else
    return GetParam().simd_target == 0 || GetParam().simd_target <= HWY_AVX2;
#endif
  }
};
FOVEA_ON_EVERY_PLACE(LucasKanadeStage);

const Exec kThreads{.device = Device::cpu(), .threads = 2};

TEST_P(LucasKanadeStage, RankAndHalvingEqualTheirLoops) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const auto [width, height] = test::random_size(random);
    Image<float> image(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        image.at(x, y) = static_cast<float>(random.uniform() * (round % 2 == 0 ? 255 : 12));
    Gray gray, half;
    quantize(image, {}, gray, kThreads);
    halve(gray, false, half, kThreads);
    FrameLevel level;
    find_features(gray, false, true, level, kThreads);
    const auto units = std::as_const(gray).view();
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        ASSERT_EQ(gray.row(y)[x], lk::quantized(image.at(x, y)));
        ASSERT_EQ(level.features.row(y)[x], reference::rank_at(units, x, y)) << x << ' ' << y;
      }
    for (int y = 0; y < half.height(); ++y)
      for (int x = 0; x < half.width(); ++x)
        ASSERT_EQ(half.row(y)[x], reference::half_at(units, x, y)) << x << ' ' << y;
  }
}

TEST_P(LucasKanadeStage, WhatIsMaskedCountsForNothing) {
  Random random(2);
  Image<float> image(40, 31), changed(40, 31);
  Image<std::uint8_t> mask(40, 31);
  for (int y = 0; y < 31; ++y)
    for (int x = 0; x < 40; ++x) {
      mask.at(x, y) = random.below(3) == 0 ? 0 : 255;
      image.at(x, y) = changed.at(x, y) = static_cast<float>(random.uniform() * 255);
      if (mask.at(x, y) == 0) changed.at(x, y) = 255 - image.at(x, y);
    }
  Gray gray[2], half[2];
  FrameLevel level[2];
  quantize(image, mask, gray[0], kThreads);
  quantize(changed, mask, gray[1], kThreads);
  for (int k = 0; k < 2; ++k) {
    halve(gray[k], true, half[k], kThreads);
    find_features(gray[k], true, true, level[k], kThreads);
  }
  EXPECT_TRUE(test::images_equal(half[0].view(), half[1].view()));
  EXPECT_TRUE(test::images_equal(level[0].features.view(), level[1].features.view()));
  for (int y = 0; y < 31; ++y)
    for (int x = 0; x < 40; ++x) ASSERT_EQ(level[0].mask.row(y)[x], mask.at(x, y) == 0 ? 0 : 1);
}

TEST_P(LucasKanadeStage, StepEqualsItsLoop) {
  Random random(3);
  for (int round = 0; round < 12; ++round) {
    const auto [width, height] = test::random_size(random, round == 0 ? 400 : 30);
    const int radius = static_cast<int>(random.below(8));
    Case c(random, width, height);
    const auto taps = lk::window_taps(round % 2 ? Window::kBox : Window::kGaussian, radius);
    const lk::SolveParams solve{80, 40, 1};
    Plane<float> eigenvalues;
    eigenvalues.resize(width, height);
    step({c.first, c.second, c.in, c.out, &eigenvalues, taps, 40, solve}, kThreads);
    const Pair pair = c.pair();
    for (int y = 0; y < height; y += round == 0 ? 37 : 1)
      for (int x = 0; x < width; x += round == 0 ? 13 : 1) {
        const auto sums = reference::sums_at(pair, x, y, taps, 40);
        const lk::Step expected = lk::solved(sums, solve);
        const float eigenvalue = lk::smaller_eigenvalue(sums.xx, sums.xy, sums.yy);
        if (fuses()) {
          ASSERT_EQ(c.out.u.row(y)[x], c.in.u.row(y)[x] + expected.u) << x << ' ' << y;
          ASSERT_EQ(c.out.v.row(y)[x], c.in.v.row(y)[x] + expected.v) << x << ' ' << y;
          ASSERT_EQ(eigenvalues.row(y)[x], eigenvalue);
        } else {
          ASSERT_NEAR(c.out.u.row(y)[x], c.in.u.row(y)[x] + expected.u, 1e-3) << x << ' ' << y;
          ASSERT_NEAR(c.out.v.row(y)[x], c.in.v.row(y)[x] + expected.v, 1e-3) << x << ' ' << y;
        }
      }
  }
}

TEST_P(LucasKanadeStage, PropagationKeepsTheBestTrial) {
  Random random(4);
  for (int round = 0; round < 8; ++round) {
    const auto [width, height] = test::random_size(random, round == 0 ? 350 : 40);
    Case c(random, width, height, 4);
    const int distance = 1 << random.below(3);
    propagate({c.first, c.second, c.in, c.out, distance, 0, lk::kTrials}, kThreads);
    Plane<std::uint16_t> residuals;
    residuals.resize(width, height);
    find_residuals({c.first, c.second, c.in, residuals}, kThreads);
    const Pair pair = c.pair();
    for (int y = 0; y < height; y += round == 0 ? 29 : 1)
      for (int x = 0; x < width; x += round == 0 ? 11 : 1) {
        lk::Offset best{0, 0};
        int least = reference::trial_at(pair, x, y, best);
        ASSERT_EQ(residuals.row(y)[x], least);
        for (const lk::Offset unit : lk::kTrialOffsets) {
          const lk::Offset offset{unit.x * distance, unit.y * distance};
          if (const int sum = reference::trial_at(pair, x, y, offset); sum < least) {
            least = sum;
            best = offset;
          }
        }
        const int from_x = lk::clamped(x + best.x, width), from_y = lk::clamped(y + best.y, height);
        ASSERT_EQ(c.out.u.row(y)[x], c.in.u.row(from_y)[from_x]) << x << ' ' << y;
        ASSERT_EQ(c.out.v.row(y)[x], c.in.v.row(from_y)[from_x]) << x << ' ' << y;
      }
  }
}

TEST_P(LucasKanadeStage, MedianIsTheMiddleOfItsSortedNeighbors) {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    const auto [width, height] = test::random_size(random, 50);
    const int radius = 1 + round % 2;
    Plane<float> in, out;
    // Few different numbers: equal ones are where a network of comparisons goes wrong.
    fill(in, width, height, [&](int, int) { return random.below(round % 3 == 0 ? 7 : 1000); });
    out.resize(width, height);
    median(in, out, radius, kThreads);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        ASSERT_EQ(out.row(y)[x], reference::median_at(std::as_const(in).view(), x, y, radius))
            << x << ' ' << y;
  }
}

TEST_P(LucasKanadeStage, ConfidenceEqualsItsLoop) {
  Random random(7);
  for (int round = 0; round < 8; ++round) {
    const test::Size size = test::random_size(random, 50);
    const int width = size.width, height = size.height;
    Case c(random, width, height, 3);
    Field backward;
    random_field(random, width, height, 3, backward);
    Plane<std::uint16_t> residuals;
    fill(residuals, width, height, [&](int, int) { return random.below(37000); });
    Plane<float> eigenvalues, confidence;
    fill(eigenvalues, width, height, [&](int, int) { return random.uniform() * 40; });
    const float pixel = round % 2 ? 1 : 2;
    const bool both_ways = round % 3 == 0;
    assess({c.first, c.second, c.in, residuals, eigenvalues, both_ways ? &backward : nullptr, 10,
            pixel},
           confidence, kThreads);
    const auto range = [&](const Plane<float>& plane, int x, int y) {
      float least = plane.row(y)[x], most = least;
      for (const int j : {-lk::kSpacing, 0, lk::kSpacing})
        for (const int i : {-lk::kSpacing, 0, lk::kSpacing}) {
          const float value = plane.row(lk::clamped(y + j, height))[lk::clamped(x + i, width)];
          least = std::min(least, value);
          most = std::max(most, value);
        }
      return most - least;
    };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const auto across = lk::landing(x, c.in.u.row(y)[x], width);
        const auto down = lk::landing(y, c.in.v.row(y)[x], height);
        float doubt = lk::doubt({static_cast<float>(residuals.row(y)[x]), eigenvalues.row(y)[x],
                                 range(c.in.u, x, y) + range(c.in.v, x, y), pixel});
        if (both_ways) {
          const auto sample = [&](const Plane<float>& plane) {
            const auto at = [&](int i, int j) {
              return plane.row(std::min(j, height - 1))[std::min(i, width - 1)];
            };
            const int i = across.index, j = down.index;
            return lk::blended(lk::blended(at(i, j), at(i + 1, j), across.fraction),
                               lk::blended(at(i, j + 1), at(i + 1, j + 1), across.fraction),
                               down.fraction);
          };
          const float du = c.in.u.row(y)[x] + sample(backward.u);
          const float dv = c.in.v.row(y)[x] + sample(backward.v);
          doubt = lk::doubt_both_ways(doubt, std::sqrt(std::fma(du, du, dv * dv)), pixel);
        }
        const bool held = eigenvalues.row(y)[x] > 10 && across.inside && down.inside;
        ASSERT_EQ(confidence.row(y)[x], held ? lk::confidence_of(doubt) : 0) << x << ' ' << y;
      }
  }
}

TEST_P(LucasKanadeStage, EnlargedFieldPassesThroughItsPixels) {
  Random random(6);
  for (int round = 0; round < 10; ++round) {
    const auto [width, height] = test::random_size(random);
    const auto small = test::random_image<float>(random, (width + 1) / 2, (height + 1) / 2);
    Image<float> large(width, height);
    enlarge(small, large, Enlarge::kFlow, kThreads);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int x1 = std::min((x + 1) / 2, small.width() - 1);
        const int y1 = std::min((y + 1) / 2, small.height() - 1);
        const float left = small.at(x / 2, y / 2) + small.at(x / 2, y1);
        const float right = small.at(x1, y / 2) + small.at(x1, y1);
        ASSERT_EQ(large.at(x, y), (left + right) * 0.5F);
      }
  }
}

TEST(LucasKanadePlan, WindowsAddUpToOne) {
  for (const Window window : {Window::kBox, Window::kGaussian})
    for (int radius = 0; radius <= lk::kMostRadius; ++radius) {
      const auto taps = lk::window_taps(window, radius);
      double sum = 0;
      for (const float tap : taps) sum += tap;
      EXPECT_EQ(taps.size(), static_cast<std::size_t>(2 * radius + 1));
      EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST(LucasKanadePlan, LevelsStopBeforeTheImageIsGone) {
  EXPECT_EQ(lk::level_count(1, 1, 0), 1);
  EXPECT_EQ(lk::level_count(16, 16, 0), 2);
  EXPECT_EQ(lk::level_count(640, 480, 0), 7);
  EXPECT_EQ(lk::level_count(640, 480, 3), 3);
}

}  // namespace
}  // namespace fovea::flow::cpu
