// The face: what motion it finds, what it refuses, and that neither threads, tiles nor a video's
// memory of its last frame change a result.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/device_rule.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::flow {
namespace {

struct Point {
  double x, y;
};
using Motion = std::function<Point(double, double)>;  // from a pixel of the second to the first

// Smooth noise of one size: a fixed number on every lattice point, blended in between.
double noise(double x, double y) {
  const auto number = [](double i, double j) {
    auto bits = static_cast<std::uint32_t>(static_cast<int>(i)) * 73856093U ^
                static_cast<std::uint32_t>(static_cast<int>(j)) * 19349663U;
    bits = (bits ^ (bits >> 15)) * 2246822519U;
    bits = (bits ^ (bits >> 13)) * 3266489917U;
    return static_cast<double>(bits >> 8) / (1 << 24);
  };
  const double i = std::floor(x), j = std::floor(y), s = x - i, t = y - j;
  const double fx = s * s * (3 - 2 * s), fy = t * t * (3 - 2 * t);
  const double above = number(i, j) * (1 - fx) + number(i + 1, j) * fx;
  const double below = number(i, j + 1) * (1 - fx) + number(i + 1, j + 1) * fx;
  return above * (1 - fy) + below * fy;
}
// Ground with detail of several sizes, 0 to 255.
double texture(double x, double y) {
  double sum = 0;
  for (const double size : {5.0, 9.0, 17.0, 40.0}) sum += noise(x / size + size, y / size);
  return sum * 255 / 4;
}
template <class T = std::uint8_t>
Image<T> picture(int width, int height, const Motion& from, double scale = 1) {
  Image<T> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Point p = from(x, y);
      image.at(x, y) = static_cast<T>(std::lround(texture(p.x, p.y)) * scale);
    }
  return image;
}
Point still(double x, double y) { return {x, y}; }
Motion shift(double u, double v) {
  return [=](double x, double y) { return Point{x - u, y - v}; };
}

// Mean distance to the true flow, `margin` pixels away from the border.
double mean_error(const Flow& flow, const std::function<Point(int, int)>& truth, int margin) {
  double sum = 0;
  int count = 0;
  for (int y = margin; y < flow.u.height() - margin; ++y)
    for (int x = margin; x < flow.u.width() - margin; ++x, ++count) {
      const Point t = truth(x, y);
      sum += std::hypot(flow.u.at(x, y) - t.x, flow.v.at(x, y) - t.y);
    }
  return sum / count;
}

bool same(const Flow& a, const Flow& b) {
  return test::images_equal(a.u, b.u) && test::images_equal(a.v, b.v) &&
         test::images_equal(a.confidence, b.confidence);
}

class FlowEstimate : public test::OnEveryPlace {
 protected:
  FlowOptions options(Quality quality = Quality::kDefault) const {
    return {.quality = quality, .exec = {.device = device()}};
  }
  template <class T>
  Flow estimate(const Image<T>& first, const Image<T>& second,
                ImageView<const std::uint8_t> mask = {}) const {
    return Estimator(options()).estimate(first, second, mask);
  }
};
FOVEA_ON_EVERY_PLACE(FlowEstimate);

TEST_P(FlowEstimate, FindsAShiftOfAFractionOfAPixel) {
  const auto first = picture(160, 120, still), second = picture(160, 120, shift(2.3, -1.7));
  const auto error = [&](Quality quality) {
    const Flow flow = Estimator(options(quality)).estimate(first, second);
    return mean_error(
        flow,
        [](int, int) {
          return Point{2.3, -1.7};
        },
        12);
  };
  EXPECT_LT(error(Quality::kFast), 0.1);  // which works at half the size
  EXPECT_LT(error(Quality::kDefault), 0.05);
  EXPECT_LT(error(Quality::kBest), 0.05);
}

TEST_P(FlowEstimate, TheFreeFunctionIsTheFaceUsedOnce) {
  const auto first = picture(64, 48, still), second = picture(64, 48, shift(1, 1));
  Estimator estimator({.quality = Quality::kFast, .exec = {.device = device()}});
  EXPECT_TRUE(same(estimator.estimate(first, second),
                   estimate_flow(first, second, options(Quality::kFast))));
}

TEST_P(FlowEstimate, QualityAppliesToBothMethodsAndLeavesOptionsThatHaveAValue) {
  const auto first = picture(96, 72, still), second = picture(96, 72, shift(1.5, 0.5));
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching}) {
    FlowOptions wanted = options(Quality::kFast);
    wanted.method = method;
    const Flow fast = estimate_flow(first, second, wanted);
    wanted.lk.finest_level = 0;
    wanted.bm.step = 2;
    const Flow changed = estimate_flow(first, second, wanted);
    EXPECT_FALSE(same(fast, changed));
    wanted.quality = Quality::kBest;
    EXPECT_FALSE(same(changed, estimate_flow(first, second, wanted)));
  }
}

TEST_P(FlowEstimate, FindsALargeShift) {
  const auto first = picture(320, 240, still), second = picture(320, 240, shift(-21.25, 13.5));
  EXPECT_LT(mean_error(
                estimate(first, second),
                [](int, int) {
                  return Point{-21.25, 13.5};
                },
                40),
            0.1);
}

TEST_P(FlowEstimate, FindsRotationAndZoom) {
  const double angle = 0.03, zoom = 1.04, cx = 100, cy = 75;
  const double c = zoom * std::cos(angle), s = zoom * std::sin(angle), n = zoom * zoom;
  const auto first = picture(200, 150, still);
  const auto second = picture(200, 150, [&](double x, double y) {
    const double dx = x - cx, dy = y - cy;
    return Point{cx + (c * dx + s * dy) / n, cy + (c * dy - s * dx) / n};
  });
  const auto truth = [&](int x, int y) {
    const double dx = x - cx, dy = y - cy;
    return Point{c * dx - s * dy - dx, s * dx + c * dy - dy};
  };
  EXPECT_LT(mean_error(estimate(first, second), truth, 12), 0.08);
}

TEST_P(FlowEstimate, DoesNotMindTheScaleOfItsNumbers) {
  const Motion moved = shift(1.5, 0.75);
  const Flow bytes = estimate(picture(96, 80, still), picture(96, 80, moved));
  const Flow words = estimate(picture<std::uint16_t>(96, 80, still, 257),
                              picture<std::uint16_t>(96, 80, moved, 257));
  const Flow units =
      estimate(picture<float>(96, 80, still, 1.0 / 255), picture<float>(96, 80, moved, 1.0 / 255));
  for (const Flow* other : {&words, &units}) {
    EXPECT_TRUE(test::images_equal(bytes.u, other->u, 0.02));
    EXPECT_TRUE(test::images_equal(bytes.v, other->v, 0.02));
  }
}

TEST_P(FlowEstimate, DoesNotMindABrightnessChange) {
  const auto first = picture(120, 100, still);
  auto second = picture(120, 100, shift(1.25, -2));
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 120; ++x)
      second.at(x, y) = static_cast<std::uint8_t>(20 + second.at(x, y) * 6 / 10);
  EXPECT_LT(mean_error(
                estimate(first, second),
                [](int, int) {
                  return Point{1.25, -2};
                },
                12),
            0.1);
}

TEST_P(FlowEstimate, TakesColorAndIgnoresOpacity) {
  const auto first = picture(64, 48, still), second = picture(64, 48, shift(1, 1));
  const auto colored = [](const Image<std::uint8_t>& gray, int channels) {
    Image<std::uint8_t> image(gray.width(), gray.height(), channels);
    for (int y = 0; y < gray.height(); ++y)
      for (int x = 0; x < gray.width(); ++x)
        for (int k = 0; k < channels; ++k)
          image.at(x, y, k) = k < 3 ? gray.at(x, y) : static_cast<std::uint8_t>(7 * x);
    return image;
  };
  const Flow gray = estimate(first, second);
  for (const int channels : {3, 4}) {
    const Flow flow = estimate(colored(first, channels), colored(second, channels));
    EXPECT_TRUE(test::images_equal(gray.u, flow.u, 0.02));
    EXPECT_TRUE(test::images_equal(gray.v, flow.v, 0.02));
  }
}

TEST_P(FlowEstimate, ConstantImagesHaveNoFlowAndNoConfidence) {
  Image<std::uint8_t> first(50, 40), second(50, 40);
  for (int y = 0; y < 40; ++y) {
    std::fill_n(first.row(y), 50, std::uint8_t{90});
    std::fill_n(second.row(y), 50, std::uint8_t{140});
  }
  const Flow flow = estimate(first, second);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 50; ++x) {
      ASSERT_EQ(flow.u.at(x, y), 0);
      ASSERT_EQ(flow.v.at(x, y), 0);
      ASSERT_EQ(flow.confidence.at(x, y), 0);
    }
}

TEST_P(FlowEstimate, TakesImagesOfAnySize) {
  Random random(1);
  for (const auto& [width, height] :
       {test::Size{1, 1}, {1, 40}, {40, 1}, {2, 2}, {3, 17}, {16, 15}, {33, 9}})
    for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest}) {
      const auto first = test::random_image<std::uint8_t>(random, width, height);
      const auto second = test::random_image<std::uint8_t>(random, width, height);
      const Flow flow = Estimator(options(quality)).estimate(first, second);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          ASSERT_TRUE(std::isfinite(flow.u.at(x, y)) && std::isfinite(flow.v.at(x, y)));
          ASSERT_TRUE(flow.confidence.at(x, y) >= 0 && flow.confidence.at(x, y) <= 1);
        }
    }
}

TEST_P(FlowEstimate, ValuesThatAreNotFiniteAreRefusedWithTheirPixel) {
  auto first = picture<float>(80, 60, still), second = picture<float>(80, 60, shift(1, 0));
  Estimator estimator(options());
  second.at(50, 30) = INFINITY;
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { estimator.estimate(first, second); }),
              testing::HasSubstr("the second image: pixel (50, 30) is inf"));
  first.at(20, 21) = std::nanf("");
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { estimator.estimate(first, second); }),
              testing::HasSubstr("the first image: pixel (20, 21) is nan"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { estimator.push(first); }),
              testing::HasSubstr("the frame: pixel (20, 21) is nan"));
}

TEST_P(FlowEstimate, TheMaskMayLeaveOutValuesThatAreNotFinite) {
  auto first = picture<float>(80, 60, still), second = picture<float>(80, 60, shift(1, 0));
  Image<std::uint8_t> mask(80, 60);
  for (int y = 0; y < 60; ++y) std::fill_n(mask.row(y), 80, std::uint8_t{255});
  mask.at(20, 20) = 0;
  const Flow clean = estimate(first, second, mask);
  first.at(20, 20) = std::nanf("");
  EXPECT_TRUE(same(clean, estimate(first, second, mask)));
}

TEST_P(FlowEstimate, WhatTheMaskLeavesOutDoesNotMatter) {
  const auto second = picture(128, 96, shift(1.5, 0.5));
  auto first = picture(128, 96, still), changed = picture(128, 96, still);
  Image<std::uint8_t> mask(128, 96);
  Random random(2);
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 128; ++x) {
      mask.at(x, y) = x > 40 && x < 75 && y > 20 && y < 60 ? 0 : 255;
      if (mask.at(x, y) == 0) changed.at(x, y) = static_cast<std::uint8_t>(random.bits());
    }
  const Flow flow = estimate(first, second, mask), other = estimate(changed, second, mask);
  EXPECT_TRUE(same(flow, other));
  for (int y = 21; y < 60; ++y)
    for (int x = 41; x < 75; ++x) {
      ASSERT_EQ(flow.u.at(x, y), 0);
      ASSERT_EQ(flow.v.at(x, y), 0);
      ASSERT_EQ(flow.confidence.at(x, y), 0);
    }
  EXPECT_NEAR(flow.u.at(38, 40), 1.5, 0.15);
  EXPECT_NEAR(flow.v.at(38, 40), 0.5, 0.15);
}

TEST_P(FlowEstimate, MaskOfOnesIsNoMask) {
  const auto first = picture(70, 50, still), second = picture(70, 50, shift(2, 1));
  Image<std::uint8_t> mask(70, 50);
  for (int y = 0; y < 50; ++y) std::fill_n(mask.row(y), 70, std::uint8_t{1});
  EXPECT_TRUE(same(estimate(first, second), estimate(first, second, mask)));
}

TEST_P(FlowEstimate, ConfidenceIsLowWhereNothingMatches) {
  const auto first = picture(128, 96, still);
  auto second = picture(128, 96, shift(1, 1));
  Random random(3);
  for (int y = 30; y < 60; ++y)
    for (int x = 40; x < 80; ++x) second.at(x, y) = static_cast<std::uint8_t>(random.bits());
  for (const bool both_ways : {false, true}) {
    FlowOptions wanted = options();
    wanted.lk.forward_backward = both_ways;
    const Flow flow = Estimator(wanted).estimate(first, second);
    double inside = 0, outside = 0;
    for (int y = 38; y < 52; ++y)
      for (int x = 48; x < 72; ++x) {
        inside += flow.confidence.at(x, y);
        outside += flow.confidence.at(x - 40, y);
      }
    EXPECT_LT(inside * 4, outside);
  }
}

void estimate_on(ImageView<const std::uint8_t> image, Device device) {
  FlowOptions options;
  options.exec.device = device;
  Estimator(options).estimate(image, image);
}
void push_on(ImageView<const std::uint8_t> image, Device device) {
  FlowOptions options;
  options.exec.device = device;
  Estimator(options).push(image);
}

TEST(FlowDevice, DataOnAGpuIsRefusedOnTheCpu) {
  test::expect_refused_on_the_cpu(picture(40, 30, still), estimate_on);
  test::expect_refused_on_the_cpu(picture(40, 30, still), push_on);
}

TEST(FlowDevice, DataOnAGpuIsRefusedOnAnotherGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  test::expect_refused_on_another_gpu(picture(40, 30, still), estimate_on);
  test::expect_refused_on_another_gpu(picture(40, 30, still), push_on);
}

TEST(FlowDevice, TheMaskLiesInHostMemory) {
  const Image<std::uint8_t> image = picture(40, 30, still);
  FlowOptions options;
  options.exec.device = Device::cpu();
  EXPECT_EQ(test::message_of([&] {
              Estimator(options).estimate(image, image, test::said_to_lie_on_a_gpu(image));
            }),
            "flow: the mask lies in GPU memory, expected host memory; clone() it first");
}

TEST(FlowDevice, AVideoThatIsFinishedBeforeItBeganIsNone) {
  FlowOptions options;
  options.exec.device = Device::cpu();
  Estimator estimator(options);
  estimator.finish();
  EXPECT_FALSE(estimator.push(picture(40, 30, still)));
  EXPECT_TRUE(estimator.push(picture(40, 30, still)));
  estimator.finish();
  EXPECT_FALSE(estimator.push(picture(40, 30, still)));
}

TEST_P(FlowEstimate, SaysWhatItCannotTake) {
  const Image<std::uint8_t> image(20, 10), other(20, 11), two(20, 10, 2), mask(19, 10), none;
  Estimator estimator(options());
  const auto message = [&](auto call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { estimator.estimate(image, other); }),
            "flow: the images are 20x10 and 20x11; expected one size");
  EXPECT_EQ(message([&] { estimator.estimate(two, two); }),
            "flow: an image has 2 channels; expected 1, 3 or 4");
  EXPECT_EQ(message([&] { estimator.estimate(none, none); }),
            "flow: an image has 0x0 pixels; expected 1x1 at least");
  EXPECT_EQ(message([&] { estimator.estimate(image, image, mask); }),
            "flow: mask is 19x10x1 (width x height x channels), expected 20x10x1");
  estimator.push(image);
  EXPECT_EQ(
      message([&] { estimator.push(other); }),
      "flow: a frame of 20x11 follows one of 20x10; all frames of a video must have the same size");
  FlowOptions wrong = options();
  wrong.lk.median = 9;
  EXPECT_THROW(Estimator{wrong}, InvalidArgument);
}

TEST_P(FlowEstimate, ThreadsDoNotChangeTheResult) {
  const auto first = picture(333, 257, still), second = picture(333, 257, shift(4.5, -3));
  FlowOptions wanted = options();
  wanted.exec.threads = 1;
  const Flow one = Estimator(wanted).estimate(first, second);
  for (const int threads : {2, 7}) {
    wanted.exec.threads = threads;
    EXPECT_TRUE(same(one, Estimator(wanted).estimate(first, second)));
  }
}

TEST_P(FlowEstimate, VideoGivesWhatPairsGive) {
  Estimator video(options()), pairs(options());
  std::vector<Image<std::uint8_t>> frames;
  for (int k = 0; k < 4; ++k) frames.push_back(picture(100, 75, shift(1.5 * k, 0.5 * k * k)));
  EXPECT_FALSE(video.push(frames[0]));
  for (int k = 1; k < 4; ++k) {
    const auto flow = video.push(frames[k]);
    ASSERT_TRUE(flow);
    EXPECT_TRUE(same(*flow, pairs.estimate(frames[k - 1], frames[k])));
  }
  video.finish();
  EXPECT_FALSE(video.push(frames[2]));
}

TEST_P(FlowEstimate, TilesGiveWhatTheWholeGives) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Motion moved = [](double x, double y) {
    return Point{x - 6 * std::sin(0.004 * y), y - 4 * std::cos(0.005 * x)};
  };
  const auto first = picture(1400, 900, still), second = picture(1400, 900, moved);
  FlowOptions wanted = options();
  const Flow whole = Estimator(wanted).estimate(first, second);
  wanted.memory_bytes = 40 << 20;
  Estimator tiled(wanted);
  EXPECT_FALSE(tiled.push(first));
  Flow again = *tiled.push(second);
  EXPECT_TRUE(same(whole, again));
  const float* memory = again.u.view().data;
  for (Image<float>* plane : {&again.u, &again.v})
    for (int y = 0; y < plane->height(); ++y)
      std::fill_n(plane->view().row(y), plane->width(), -99.0F);
  tiled.estimate(first.view(), second.view(), again);
  EXPECT_TRUE(same(whole, again));
  EXPECT_EQ(again.u.view().data, memory);
  wanted.memory_bytes = 1 << 20;
  EXPECT_THROW(Estimator(wanted).estimate(first, second), InvalidArgument);
}

// Level 1 is the finest that is estimated, and also where tiles start.
TEST_P(FlowEstimate, TilesThatOnlyEnlargeKeepTheConfidence) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Motion moved = [](double x, double y) { return Point{x - 2.5, y - 1.2}; };
  const auto first = picture(1200, 800, still), second = picture(1200, 800, moved);
  for (const bool back : {false, true}) {
    FlowOptions wanted = options();
    wanted.method = Method::kLucasKanade;
    wanted.quality = Quality::kFast;
    wanted.lk.forward_backward = back;
    const Flow whole = Estimator(wanted).estimate(first, second);
    wanted.memory_bytes = 44 << 20;
    EXPECT_TRUE(same(whole, Estimator(wanted).estimate(first, second))) << back;
  }
}

TEST_P(FlowEstimate, TilesOfAPyramidOfFewLevelsGiveWhatTheWholeGives) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Motion moved = [](double x, double y) { return Point{x - 1.5, y - 0.7}; };
  const auto first = picture(1400, 900, still), second = picture(1400, 900, moved);
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching}) {
    FlowOptions wanted = options();
    wanted.method = method;
    wanted.lk.levels = wanted.bm.levels = 1;
    const Flow whole = Estimator(wanted).estimate(first, second);
    wanted.memory_bytes = 60 << 20;
    if (method == Method::kBlockMatching) wanted.memory_bytes = 120 << 20;
    EXPECT_TRUE(same(whole, Estimator(wanted).estimate(first, second))) << static_cast<int>(method);
  }
}

TEST_P(FlowEstimate, TilesOfBlocksComeNearTheWhole) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Motion moved = [](double x, double y) {
    return Point{x - 6 * std::sin(0.004 * y), y - 4 * std::cos(0.005 * x)};
  };
  const auto first = picture(1400, 900, still), second = picture(1400, 900, moved);
  for (const auto& [block, step] : {std::pair{9, 3}, {16, 16}}) {
    FlowOptions wanted = options();
    wanted.method = Method::kBlockMatching;
    wanted.bm.block = block;
    wanted.bm.step = step;
    const Flow whole = Estimator(wanted).estimate(first, second);
    wanted.memory_bytes = 92 << 20;
    const Flow tiled = Estimator(wanted).estimate(first, second);
    int apart = 0;
    for (int y = 0; y < 900; ++y)
      for (int x = 0; x < 1400; ++x)
        if (std::hypot(whole.u.at(x, y) - tiled.u.at(x, y), whole.v.at(x, y) - tiled.v.at(x, y)) >
            0.05F)
          ++apart;
    EXPECT_LT(apart, 1400 * 900 / 1000) << block << " " << step;
  }
}

}  // namespace
}  // namespace fovea::flow
