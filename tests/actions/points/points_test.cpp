// Covers: points_engine, points_kernels, points_rows
// Both detectors: textbook responses, a corner where one is drawn, streams, threads, caps, bad
// input, and twins to the bit.
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "actions/clips.h"
#include "actions/points/points_plan.h"
#include "actions/points/points_rows_cpu.h"
#include "reference/space_time_points.h"
#include "support/device_rule.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using testing::HasSubstr;

class Points : public test::OnEveryPlace {
 protected:
  Exec exec() const {
    Exec exec;
    exec.device = device();
    return exec;
  }
};
FOVEA_ON_EVERY_PLACE(Points);

PointOptions one_scale() {
  PointOptions options;
  options.harris.levels = 1;
  options.harris.scales = 1;
  options.descriptors = false;
  return options;
}

auto key(const SpaceTimePoint& p) { return std::tuple(p.frame, p.y, p.x, p.sigma2, p.tau2); }

void expect_same(const PointSet& a, const PointSet& b) {
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(key(a.points[i]), key(b.points[i])) << i;
    EXPECT_EQ(a.points[i].confidence, b.points[i].confidence) << i;
  }
  EXPECT_TRUE(test::images_equal(a.descriptors, b.descriptors));
}

TEST_P(Points, HarrisMaximaAreThoseOfTheTextbook) {
  const test::Clip clip = test::busy_clip({47, 38, 24}, 3);
  const PointOptions options = one_scale();
  test::Volume response = test::corner_response(clip, {4, 2, options.harris.k, 4});
  int expected = 0;
  for (int t = 0; t < 24; ++t)
    for (int y = 5; y < 33; ++y)
      for (int x = 5; x < 42; ++x)
        if (response.at(x, y, t) > options.harris.threshold &&
            test::is_peak(response, {x, y, t}, 1, 1))
          ++expected;
  const PointSet set = find_points(test::views_of(clip), points_on(options, exec()));
  EXPECT_GT(expected, 5);
  EXPECT_EQ(static_cast<int>(set.points.size()), expected);
  for (const SpaceTimePoint& p : set.points) {
    const double value = response.at(static_cast<int>(p.x), static_cast<int>(p.y), p.frame);
    EXPECT_NEAR(p.confidence, value, 2e-3 * value);
    EXPECT_TRUE(
        test::is_peak(response, {static_cast<int>(p.x), static_cast<int>(p.y), p.frame}, 1, 1));
  }
}

TEST_P(Points, PeriodicMaximaAreThoseOfTheTextbook) {
  const test::Clip clip = test::busy_clip({41, 33, 20}, 5);
  PointOptions options = one_scale();
  options.detector = PointDetector::kPeriodic;
  test::Volume response = test::periodic_response(clip, {2, 2.5, 0.2});
  int expected = 0;
  for (int t = 0; t < 20; ++t)
    for (int y = 0; y < 33; ++y)
      for (int x = 0; x < 41; ++x)
        if (response.at(x, y, t) > options.periodic.threshold &&
            test::is_peak(response, {x, y, t}, 1, 2))
          ++expected;
  const PointSet set = find_points(test::views_of(clip), points_on(options, exec()));
  EXPECT_GT(expected, 5);
  EXPECT_NEAR(static_cast<int>(set.points.size()), expected, 1);
  for (const SpaceTimePoint& p : set.points)
    EXPECT_NEAR(p.confidence, response.at(static_cast<int>(p.x), static_cast<int>(p.y), p.frame),
                1e-3 * p.confidence);
}

// A bright spot that appears for a moment is an event at one place and time.
TEST_P(Points, AFlashIsFoundAtItsPlace) {
  const auto clip = test::drawn_clip({60, 50, 41}, [](int x, int y, int t) {
    const double space = (x - 32) * (x - 32) + (y - 21) * (y - 21);
    return 60 + 150 * std::exp(-space / 8) * std::exp(-(t - 20) * (t - 20) / 4.0);
  });
  PointOptions options = one_scale();
  options.harris.space_weight = 1;
  const PointSet set = find_points(test::views_of(clip), points_on(options, exec()));
  ASSERT_FALSE(set.points.empty());
  const auto best =
      *std::max_element(set.points.begin(), set.points.end(),
                        [](const auto& a, const auto& b) { return a.confidence < b.confidence; });
  EXPECT_NEAR(best.x, 32, 3);
  EXPECT_NEAR(best.y, 21, 3);
  EXPECT_NEAR(best.frame, 20, 3);
  EXPECT_EQ(best.sigma2, 4);
  EXPECT_EQ(best.tau2, 2);
}

TEST_P(Points, NothingMovesNoPoints) {
  for (const PointDetector detector : {PointDetector::kHarris, PointDetector::kPeriodic}) {
    PointOptions options;
    options.detector = detector;
    const auto clip = test::drawn_clip({64, 48, 12}, [](int x, int y, int) { return x * y % 251; });
    const PointSet set = find_points(test::views_of(clip), points_on(options, exec()));
    EXPECT_TRUE(set.points.empty());
    EXPECT_TRUE(set.descriptors.empty());
    EXPECT_EQ(set.frames, 12);
    EXPECT_EQ(set.size, (Extent{64, 48}));
  }
  EXPECT_TRUE(find_points({}, points_on({}, exec())).points.empty());
}

TEST_P(Points, AStreamGivesWhatAllFramesAtOnceGive) {
  for (const PointDetector detector : {PointDetector::kHarris, PointDetector::kPeriodic}) {
    PointOptions options;
    options.detector = detector;
    const test::Clip clip = test::busy_clip({72, 54, 37}, 11);
    const PointSet all = find_points(test::views_of(clip), points_on(options, exec()));
    PointStream stream(points_on(options, exec()));
    std::int64_t next = 0;
    std::size_t point = 0;
    const auto check = [&](const FramePoints& ready) {
      EXPECT_EQ(ready.frame, next++);
      EXPECT_EQ(ready.descriptors.height(), static_cast<int>(ready.points.size()));
      for (std::size_t i = 0; i < ready.points.size(); ++i, ++point) {
        EXPECT_EQ(key(ready.points[i]), key(all.points.at(point)));
        EXPECT_TRUE(test::images_equal(
            ready.descriptors.view().crop(0, static_cast<int>(i), kDescriptorSize, 1),
            all.descriptors.view().crop(0, static_cast<int>(point), kDescriptorSize, 1)));
      }
    };
    for (std::size_t t = 0; t < clip.size(); ++t) {
      const std::span<const FramePoints> ready = stream.push(clip[t]);
      EXPECT_EQ(ready.size(), static_cast<int>(t) >= stream.latency() ? 1U : 0U) << t;
      for (const FramePoints& one : ready) check(one);
    }
    for (const FramePoints& one : stream.finish()) check(one);
    EXPECT_TRUE(stream.finish().empty());
    EXPECT_EQ(next, 37);
    EXPECT_EQ(point, all.points.size());
    EXPECT_GT(point, 10U);
  }
}

TEST_P(Points, TwinsAgreeToTheBit) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  for (const PointDetector detector : {PointDetector::kHarris, PointDetector::kPeriodic})
    for (const FlowVotes votes : {FlowVotes::kCount, FlowVotes::kMagnitude}) {
      PointOptions options;
      options.detector = detector;
      options.votes = votes;
      const test::Clip clip = test::busy_clip({83, 61, 70}, 17);
      Exec here;
      here.device.kind = DeviceKind::kCpu;
      here.threads = 1;
      expect_same(find_points(test::views_of(clip), points_on(options, exec())),
                  find_points(test::views_of(clip), points_on(options, here)));
    }
}

// Frames on the device, in color and gray, beside others in host memory.
TEST_P(Points, FramesMayLieOnTheDevice) {
  if (device().kind != DeviceKind::kCuda) GTEST_SKIP() << "there is no other memory";
  const test::Clip clip = test::busy_clip({83, 61, 40}, 23);
  PointOptions options = points_on({}, exec());
  options.block = 8;
  PointStream host(options), there(options);
  for (std::size_t t = 0; t < clip.size(); ++t) {
    const ImageView<const std::uint8_t> gray = clip[t].view();
    Image<std::uint8_t> color(gray.width, gray.height, 3);
    for (int y = 0; y < gray.height; ++y)
      for (int x = 0; x < gray.width; ++x)
        for (int c = 0; c < 3; ++c)
          color.at(x, y, c) = static_cast<std::uint8_t>(gray.at(x, y) / (1 + c));
    const auto given = t % 3 == 0   ? clone(gray, Memory::kCuda)
                       : t % 3 == 1 ? clone(color, Memory::kCuda)
                                    : clone(color);
    const std::span<const FramePoints> expected =
        t % 3 == 0 ? host.push(gray) : host.push(color.view());
    const std::span<const FramePoints> found = there.push(given.view());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(test::images_equal(found[i].descriptors, expected[i].descriptors));
      ASSERT_EQ(found[i].points.size(), expected[i].points.size());
      for (std::size_t p = 0; p < found[i].points.size(); ++p)
        EXPECT_EQ(key(found[i].points[p]), key(expected[i].points[p]));
    }
  }
}

TEST(PointsTest, ThreadsDoNotMatter) {
  const test::Clip clip = test::busy_clip({80, 64, 20}, 19);
  Exec exec;
  exec.device.kind = DeviceKind::kCpu;
  for (const PointDetector detector : {PointDetector::kHarris, PointDetector::kPeriodic}) {
    PointOptions options;
    options.detector = detector;
    options.harris.border = 0;
    exec.threads = 1;
    const PointSet expected = find_points(test::views_of(clip), points_on(options, exec));
    EXPECT_GT(expected.points.size(), 10U);
    for (const int threads : {2, 5}) {
      exec.threads = threads;
      expect_same(find_points(test::views_of(clip), points_on(options, exec)), expected);
    }
  }
}

// Few different values, so that neighbors are often equal, at widths around those of vectors.
TEST_P(Points, PeaksOfARowExceedAllNeighbors) {
  Random random(31);
  int peaks = 0;
  for (int width = 1; width < 70; ++width)
    for (const int radius : {0, 1, 3}) {
      Image<float> plane(width, 9);
      for (int y = 0; y < 9; ++y)
        for (int x = 0; x < width; ++x)
          plane.at(x, y) = static_cast<float>(static_cast<int>(random.uniform() * 40));
      std::vector<const float*> rows{plane.row(4)};
      for (int y = 0; y < 9; ++y)
        if (y != 4 && std::abs(y - 4) <= radius) rows.push_back(plane.row(y));
      for (const int border : {0, 2}) {
        std::vector<int> expected;
        for (int x = border; x < width - border; ++x) {
          bool peak = plane.at(x, 4) > 9;
          for (int y = 4 - radius; y <= 4 + radius; ++y)
            for (int i = std::max(x - radius, 0); i <= std::min(x + radius, width - 1); ++i)
              if ((i != x || y != 4) && plane.at(i, y) >= plane.at(x, 4)) peak = false;
          if (peak) expected.push_back(x);
        }
        std::vector<int> found(static_cast<std::size_t>(width));
        const cpu::PeakRows near{rows.data(), static_cast<int>(rows.size()), width, radius};
        found.resize(static_cast<std::size_t>(
            cpu::peaks_of_row(near, {border, width - border, 9}, found.data())));
        EXPECT_EQ(found, expected) << width << " " << radius << " " << border;
        peaks += static_cast<int>(found.size());
      }
    }
  EXPECT_GT(peaks, 100);
}

TEST(PointsTest, PointsAreSortedAndTheMostConfidentKept) {
  const test::Clip clip = test::busy_clip({96, 72, 30}, 23);
  PointOptions options;
  options.descriptors = false;
  Exec exec;
  exec.device.kind = DeviceKind::kCpu;
  const PointSet all = find_points(test::views_of(clip), points_on(options, exec));
  const auto order = [](const SpaceTimePoint& p) {
    return std::tuple(p.frame, -p.confidence, p.y, p.x);
  };
  EXPECT_TRUE(std::is_sorted(all.points.begin(), all.points.end(),
                             [&](const auto& a, const auto& b) { return order(a) < order(b); }));
  options.most_per_frame = 1;
  const PointSet few = find_points(test::views_of(clip), points_on(options, exec));
  EXPECT_LT(few.points.size(), all.points.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    if (i > 0 && all.points[i].frame == all.points[i - 1].frame) continue;
    EXPECT_EQ(key(few.points.at(at++)), key(all.points[i]));
  }
  EXPECT_EQ(at, few.points.size());
}

TEST(PointsTest, LatencyIsThatOfTheFilters) {
  PointOptions options;
  Exec exec;
  exec.device.kind = DeviceKind::kCpu;
  // 6 of L, 1 of its derivative, 8 of the sums, 1 of the maxima.
  EXPECT_EQ(PointStream(points_on(options, exec)).latency(), 16);
  const PointPlan plan = plan_points(options);
  EXPECT_EQ(plan.channels.size(), 12U);
  EXPECT_EQ(plan.channels.back().sigma2, 128);
  EXPECT_EQ(plan.channels.back().tau2, 4);
}

TEST(PointsTest, CellsAreThoseOfStip) {
  const auto spans = [](double half, int cells) {
    std::vector<std::pair<int, int>> result;
    for (int i = 0; i < cells; ++i) {
      const CellSpan span = cell_span(half, cells, i);
      result.emplace_back(span.first, span.last);
    }
    return result;
  };
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(spans(18, 3), ElementsAre(Pair(-18, -6), Pair(-6, 6), Pair(6, 18)));
  EXPECT_THAT(spans(9 * std::sqrt(8), 3), ElementsAre(Pair(-26, -9), Pair(-9, 8), Pair(8, 25)));
  EXPECT_THAT(spans(4 * std::sqrt(2), 2), ElementsAre(Pair(-6, 0), Pair(0, 5)));
  EXPECT_THAT(spans(8, 2), ElementsAre(Pair(-8, 0), Pair(0, 8)));
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(PointsTest, ColoredFramesCountByTheirLuma) {
  const test::Clip clip = test::busy_clip({72, 56, 30}, 3);
  test::Clip colored;
  for (const auto& gray : clip) {
    colored.emplace_back(gray.width(), gray.height(), 3);
    for (int y = 0; y < gray.height(); ++y)
      for (int x = 0; x < gray.width(); ++x)
        std::fill_n(&colored.back().at(x, y), 3, gray.at(x, y));
  }
  PointOptions options;
  options.exec.device = Device::cpu();
  const PointSet expected = find_points(test::views_of(clip), options);
  EXPECT_GT(expected.points.size(), 3U);
  expect_same(find_points(test::views_of(colored), options), expected);
}

TEST(PointsTest, BadInputIsNamed) {
  PointOptions fast;
  fast.detector = PointDetector::kPeriodic;
  fast.periodic.frequency = 0.6;
  EXPECT_THAT(refusal([&] { PointStream stream(fast); }), HasSubstr("0.6"));
  Exec exec;
  exec.device.kind = DeviceKind::kCpu;
  PointStream stream(points_on({}, exec));
  stream.push(Image<std::uint8_t>(40, 30));
  EXPECT_THAT(refusal([&] { stream.push(Image<std::uint8_t>(41, 30)); }),
              HasSubstr("frame 1 is 41x30; expected 40x30"));
  EXPECT_THAT(
      refusal([&] { PointStream(points_on({}, exec)).push(Image<std::uint8_t>(40, 30, 2)); }),
      HasSubstr("expected a gray or RGB image"));
  EXPECT_THAT(refusal([&] { PointStream(points_on({}, exec)).push(Image<std::uint8_t>()); }),
              HasSubstr("0x0"));
  EXPECT_EQ(stream.finish().size(), 1U);
  EXPECT_THAT(refusal([&] { stream.push(Image<std::uint8_t>(40, 30)); }), HasSubstr("finish"));
}

TEST(PointsTest, FramesOnAGpuAreRefusedByTheCpu) {
  const Image<std::uint8_t> gray(40, 30), colored(40, 30, 3);
  const std::vector<SpaceTimePoint> points(1, {.x = 1, .y = 1, .sigma2 = 4, .tau2 = 4});
  const auto options_on = [](Device device) {
    PointOptions options;
    options.exec.device = device;
    return options;
  };
  for (const auto* image : {&gray, &colored}) {
    test::expect_refused_on_the_cpu(
        *image, [&](auto view, Device device) { PointStream(options_on(device)).push(view); });
    test::expect_refused_on_the_cpu(*image, [&](auto view, Device device) {
      find_points({&view, 1}, options_on(device));
    });
    test::expect_refused_on_the_cpu(*image, [&](auto view, Device device) {
      describe_points({&view, 1}, points, options_on(device));
    });
  }
}

TEST(PointsTest, ShortAndSmallVideosAreNoTrouble) {
  Exec exec;
  exec.device.kind = DeviceKind::kCpu;
  for (const test::ClipSize size : {test::ClipSize{1, 1, 3}, {9, 70, 1}, {33, 5, 4}, {64, 48, 2}}) {
    const test::Clip clip = test::busy_clip(size, 29);
    for (const PointDetector detector : {PointDetector::kHarris, PointDetector::kPeriodic}) {
      PointOptions options;
      options.detector = detector;
      EXPECT_EQ(find_points(test::views_of(clip), points_on(options, exec)).frames, size.frames);
    }
  }
  PointStream none(points_on({}, exec));
  EXPECT_TRUE(none.finish().empty());
}

}  // namespace
}  // namespace fovea::actions
