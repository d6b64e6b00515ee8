// Covers: points_activity, points_channel, points_flow, points_tiles, points_wide_row, points_ring
// Covers: points_strip
// What the CPU leaves out changes nothing: maxima and descriptors are equal to the bit with and
// without skipping, the limit of the response is the sharp one, and rows are those of the textbook.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "actions/clips.h"
#include "actions/points/points_activity_cpu.h"
#include "actions/points/points_engine.h"
#include "actions/points/points_flow_cpu.h"
#include "actions/points/points_math.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

// What an engine finds in a clip, with descriptors, in the order of time and place.
struct Findings {
  std::vector<Candidate> points;
  std::vector<std::vector<float>> descriptors;
};

using FrameList = std::span<const ImageView<const std::uint8_t>>;

// Pushes a clip with its ends repeated, as the face does.
Findings findings(const PointPlan& plan, const test::Clip& clip, int threads) {
  Exec exec;
  exec.device = Device::cpu();
  exec.threads = threads;
  const auto views = test::views_of(clip);
  const auto engine = cpu::make_point_engine(plan, {clip[0].width(), clip[0].height()}, exec);
  std::vector<Candidate> found;
  const std::int64_t before = -plan.latency - plan.smooth_radius() - 1;
  engine->push(before, FrameList(views).first(1), found);
  for (std::int64_t t = before + 1; t < 0; ++t) engine->repeat(t, 1, found);
  const auto count = static_cast<std::int64_t>(clip.size());
  Findings all;
  for (std::int64_t t = 0; t < count + plan.latency; ++t) {
    if (t < count) engine->push(t, FrameList(views).subspan(static_cast<std::size_t>(t), 1), found);
    else engine->repeat(t, 1, found);
    std::vector<Candidate> ready;
    for (const Candidate& one : found)
      if (one.frame == t - plan.latency) ready.push_back(one);
    std::sort(ready.begin(), ready.end(), [](const Candidate& a, const Candidate& b) {
      return std::tuple(a.channel, a.y, a.x) < std::tuple(b.channel, b.y, b.x);
    });
    std::vector<Site> sites;
    for (const Candidate& one : ready) sites.push_back({one.frame, one.channel, one.x, one.y});
    Image<float> rows(kDescriptorSize, std::max(1, static_cast<int>(sites.size())));
    if (plan.descriptors && !sites.empty()) engine->describe(sites, count - 1, rows);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      all.points.push_back(ready[i]);
      const float* row = rows.row(static_cast<int>(i));
      if (plan.descriptors) all.descriptors.emplace_back(row, row + kDescriptorSize);
    }
  }
  return all;
}

void expect_equal(const Findings& a, const Findings& b) {
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const Candidate &p = a.points[i], &q = b.points[i];
    EXPECT_EQ(std::tuple(p.frame, p.channel, p.x, p.y, p.response),
              std::tuple(q.frame, q.channel, q.x, q.y, q.response));
  }
  EXPECT_EQ(a.descriptors, b.descriptors);
}

// A still texture with the noise of a camera. A spot swings near the left border from the first
// frame on, one flashes in the corner at the end, and the rest is still.
test::Clip mostly_still(test::ClipSize size, double noise) {
  return test::drawn_clip(size, [=](int x, int y, int t) {
    const auto bump = [&](double cx, double cy, double width) {
      return std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / width);
    };
    double gray = 110 + 40 * std::sin(0.5 * x) * std::cos(0.4 * y);
    gray += 110 * bump(8 + 6 * std::sin(0.9 * t), 14, 12);
    if (t >= size.frames - 3) gray += 120 * bump(size.width - 9, size.height - 8, 10);
    const auto word =
        philox(5, static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(y * size.width + x))
            .word[0];
    return gray + noise * (static_cast<double>(word % 1000) / 500 - 1);
  });
}

TEST(PointsSkipTest, WhatIsLeftOutChangesNothing) {
  struct Case {
    double threshold, noise;
    int border, threads;
  };
  for (const Case& one : {Case{1e-9, 0, 5, 1}, {1e-9, 3, 0, 2}, {1e-11, 3, 0, 3}, {0, 1, 5, 2}}) {
    const test::Clip clip = mostly_still({83, 53, 14}, one.noise);
    PointOptions options;
    options.harris.threshold = one.threshold;
    options.harris.levels = 2;
    options.harris.scales = 1;
    options.harris.border = one.border;
    PointPlan plan = plan_points(options);
    plan.skip = false;
    const Findings all = findings(plan, clip, 1);
    EXPECT_GT(all.points.size(), 1U);
    plan.skip = true;
    expect_equal(findings(plan, clip, one.threads), all);
  }
}

TEST(PointsSkipTest, EverythingMovesAndNothingIsLeftOut) {
  const test::Clip clip = test::busy_clip({60, 46, 12}, 41);
  for (const bool descriptors : {false, true}) {
    PointOptions options;
    options.descriptors = descriptors;
    PointPlan plan = plan_points(options);
    const Findings some = findings(plan, clip, 2);
    plan.skip = false;
    expect_equal(some, findings(plan, clip, 1));
    EXPECT_GT(some.points.size(), 2U);
  }
}

// xx = yy = tt / (12 k) without correlation has the greatest response that tt allows.
TEST(PointsSkipTest, TheLimitIsSharp) {
  for (const float k : {5e-4F, 5e-3F, 1e-5F})
    for (const float threshold : {1e-9F, 1e-11F, 1e-4F}) {
      const float least = cpu::least_change(k, threshold);
      const auto best = [&](float tt) {
        float most = 0;
        for (double factor = 0.5; factor < 2; factor += 0.01) {
          const auto side = static_cast<float>(factor * tt / (12 * k));
          const std::array<float, kMoments> moments{side, side, tt, 0, 0, 0};
          most = std::max(most, harris_response(moments.data(), k));
        }
        return most;
      };
      EXPECT_LT(best(least), threshold) << k;
      // The bound leaves out tt in the trace, which matters for a large k only.
      if (k < 1e-3F) {
        EXPECT_GT(best(1.05F * least), threshold) << k;
      }
    }
  EXPECT_EQ(cpu::least_change(0, 1e-9F), 0);
  EXPECT_EQ(cpu::least_change(5e-4F, 0), 0);
}

// A grating and some spots under a camera that moves: everything changes, few places are corners.
test::Clip moving_camera(test::ClipSize size) {
  return test::drawn_clip(size, [=](int x, int y, int t) {
    const double u = x + 1.7 * t, v = y + 0.6 * std::sin(0.8 * t);
    const auto bump = [&](double cx, double cy) {
      return std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 14);
    };
    return 120 + 45 * std::sin(0.35 * u) * std::cos(0.3 * v) + 25 * std::sin(0.11 * (u + v)) +
           80 * bump(0.6 * size.width + 5 * std::sin(1.1 * t), 0.4 * size.height);
  });
}

// Strips depend on the number of threads, and their borders must not show.
TEST(PointsSkipTest, SizesScenesAndThreadsChangeNothing) {
  struct Case {
    test::ClipSize size;
    bool camera;
    double threshold;
    int threads;
  };
  for (const Case& one : {Case{{47, 131, 12}, true, 1e-9, 7},
                          {{47, 131, 12}, false, 1e-12, 2},
                          {{131, 37, 12}, true, 1e-11, 2},
                          {{33, 261, 10}, true, 1e-10, 7},
                          {{17, 9, 8}, false, 1e-12, 1}}) {
    const test::Clip clip = one.camera ? moving_camera(one.size) : mostly_still(one.size, 2);
    PointOptions options;
    options.harris.threshold = one.threshold;
    options.harris.levels = 2;
    options.harris.border = 0;
    options.descriptors = false;
    PointPlan plan = plan_points(options);
    plan.skip = false;
    const Findings all = findings(plan, clip, 1);
    EXPECT_GT(all.points.size(), 1U);
    plan.skip = true;
    expect_equal(findings(plan, clip, one.threads), all);
  }
}

TEST(PointsSkipTest, StillTilesAreNotActive) {
  PointOptions options;
  const PointPlan plan = plan_points(options);
  const Channel& channel = plan.channels[0];
  cpu::Activity activity(channel, {160, 80}, 1e-4F, true);
  for (int t = -8; t <= 8; ++t)
    for (int row = 0; row < 20; ++row) std::fill_n(activity.change(t, row), 40, 1e-6F);
  EXPECT_FALSE(activity.find(0));
  // The cell at (13, 8) lies in the tile at (3, 4).
  activity.change(0, 8)[13] = 1;
  EXPECT_TRUE(activity.find(0));
  EXPECT_TRUE(activity.active(0).band(4)[3]);
  EXPECT_TRUE(activity.active(0).band(3)[3]);
  EXPECT_FALSE(activity.active(0).band(4)[1]);
  EXPECT_FALSE(activity.active(0).band(4)[5]);
  EXPECT_FALSE(activity.active(0).band(6)[3]);
  EXPECT_FALSE(activity.active(0).band(1)[3]);
  cpu::Activity all(channel, {160, 80}, 1e-4F, false);
  EXPECT_TRUE(all.find(0));
  EXPECT_TRUE(all.active(0).band(9)[9]);
}

// No pixel's tt exceeds what its cells allow, wherever the changes are.
TEST(PointsSkipTest, NoTileWithEnoughChangeIsLeftOut) {
  PointOptions options;
  const Channel channel = plan_points(options).channels[3];
  constexpr int kWidth = 61, kHeight = 43;
  const int radius = static_cast<int>(channel.sum_space.size() / 2);
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    // One change of 1 in a frame; tt at a distance is the product of three taps.
    const int x = static_cast<int>(random.below(kWidth)),
              y = static_cast<int>(random.below(kHeight));
    const int px = std::clamp(x + static_cast<int>(random.below(13)) - 6, 0, kWidth - 1);
    const int py = std::clamp(y + static_cast<int>(random.below(13)) - 6, 0, kHeight - 1);
    const auto share = [&](int from, int to, int size) {
      double sum = 0;
      for (int i = -radius; i <= radius; ++i)
        if (clamped(from + i, size) == to)
          sum += static_cast<double>(channel.sum_space[static_cast<std::size_t>(i + radius)]);
      return sum;
    };
    const double tt = share(px, x, kWidth) * share(py, y, kHeight) *
                      static_cast<double>(channel.sum_time[channel.sum_time.size() / 2]);
    cpu::Activity activity(channel, {kWidth, kHeight}, static_cast<float>(0.999 * tt), true);
    activity.change(0, y / cpu::kCellSize)[x / cpu::kCellSize] = 1;
    EXPECT_TRUE(activity.find(0));
    EXPECT_TRUE(activity.active(0).band(py / cpu::kTileRows)[px / cpu::kTileWidth]) << px << py;
  }
}

TEST(PointsSkipTest, RowsAreThoseOfTheTextbook) {
  Random random(3);
  const auto plane_of = [&](int width, int height) {
    Image<float> plane(width, height + 1);
    for (int y = 0; y <= height; ++y)
      for (int x = 0; x < plane.stride(); ++x)
        plane.row(y)[x] = static_cast<float>(random.uniform() - 0.5);
    return plane;
  };
  const std::vector<float> weights{0.1F, 0.2F, 0.4F, 0.2F, 0.1F};
  for (const int n : {1, 7, 16, 31, 48, 70}) {
    Image<float> from = plane_of(n, 12), out(n, 8), sums(n, 6);
    std::vector<const float*> rows;
    for (int y = 0; y < 12; ++y) rows.push_back(from.row(y));
    std::array<float*, 4> to{out.row(0), out.row(1), out.row(2), out.row(3)};
    cpu::sum_columns(rows.data(), {weights.data(), 5}, to.data(), n);
    for (int k = 0; k < 4; ++k) {
      cpu::sum_rows(rows.data() + k, {weights.data(), 5}, out.row(4), n);
      for (int x = 0; x < n; ++x) EXPECT_EQ(out.at(x, k), out.at(x, 4));
    }
    // Gradients are rows 0 to 5, levels are rows 6 to 10.
    std::array<cpu::GradientRows, 3> slopes{};
    for (std::size_t i = 0; i < 3; ++i) slopes[i] = {rows[2 * i], rows[2 * i + 1]};
    std::array<float*, kMoments> moments{};
    for (int m = 0; m < kMoments; ++m) moments[static_cast<std::size_t>(m)] = sums.row(m);
    cpu::sum_moments({slopes.data(), rows.data() + 6, 0.7F}, {weights.data(), 3}, moments.data(),
                     n);
    for (int x = 0; x < n; ++x) {
      float expected[kMoments] = {};
      for (int i = 0; i < 3; ++i)
        add_moments(weights[static_cast<std::size_t>(i)], from.at(x, 2 * i), from.at(x, 2 * i + 1),
                    (from.at(x, 8 + i) - from.at(x, 6 + i)) * 0.7F, expected);
      for (int m = 0; m < kMoments; ++m) EXPECT_EQ(sums.at(x, m), expected[m]);
    }
    // A band of 6 rows has two rows of cells, the second one with two rows.
    std::array<std::vector<float>, 2> most{std::vector<float>(32), std::vector<float>(32)};
    std::array<float*, 2> cells{most[0].data(), most[1].data()};
    cpu::greatest_changes({from.row(0), from.row(6), from.stride(), 6, 0.5F}, cells.data(), n);
    std::map<std::pair<int, int>, float> greatest;
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < n; ++x) {
        const float change = 0.5F * (from.at(x, 6 + y) - from.at(x, y));
        float& cell = greatest[{y / 4, x / 4}];
        cell = std::max(cell, change * change);
      }
    for (const auto& [cell, value] : greatest)
      EXPECT_EQ(most[static_cast<std::size_t>(cell.first)][static_cast<std::size_t>(cell.second)],
                value);
    cpu::greatest_of_rows(rows.data(), 5, out.row(4), n);
    for (int x = 0; x < n; ++x)
      EXPECT_EQ(out.at(x, 4), std::max({0.0F, from.at(x, 0), from.at(x, 1), from.at(x, 2),
                                        from.at(x, 3), from.at(x, 4)}));
    std::vector<float> wide(static_cast<std::size_t>(n + 64));
    for (float& value : wide) value = static_cast<float>(random.uniform());
    cpu::sum_along(wide.data(), {weights.data(), 5}, out.row(4), n);
    for (int x = 0; x < n; ++x) {
      float sum = 0;
      for (std::size_t i = 0; i < 5; ++i)
        sum = std::fma(weights[i], wide[static_cast<std::size_t>(x) + i], sum);
      EXPECT_EQ(out.at(x, 4), sum);
    }
    // Sobel's operator reads a column more on either side.
    if (n > 2) {
      cpu::gradients({from.row(0) + 1, from.row(1) + 1, from.row(2) + 1}, 0.3F,
                     {out.row(4), out.row(7)}, n - 2);
      for (int x = 0; x < n - 2; ++x) {
        const auto smooth = [&](int i) {
          return sobel_smooth(from.at(i, 0), from.at(i, 1), from.at(i, 2));
        };
        const auto change = [&](int i) { return from.at(i, 2) - from.at(i, 0); };
        EXPECT_EQ(out.at(x, 4), (smooth(x + 2) - smooth(x)) * 0.3F);
        EXPECT_EQ(out.at(x, 7), sobel_smooth(change(x), change(x + 1), change(x + 2)) * 0.3F);
      }
    }
    cpu::halve_columns(rows.data(), out.row(5), n);
    for (int x = 0; x < n; ++x)
      EXPECT_EQ(out.at(x, 5), halve_sum(from.at(x, 0), from.at(x, 1), from.at(x, 2), from.at(x, 3),
                                        from.at(x, 4)));
    std::vector<float> line(static_cast<std::size_t>(2 * n + 40));
    for (float& value : line) value = static_cast<float>(random.uniform());
    cpu::halve_along(line.data() + 2, out.row(6), n);
    for (int x = 0; x < n; ++x) {
      const float* five = line.data() + static_cast<std::ptrdiff_t>(2) * x;
      EXPECT_EQ(out.at(x, 6), halve_sum(five[0], five[1], five[2], five[3], five[4]));
    }
  }
}

TEST(PointsSkipTest, FlowIsTheSameWithGaps) {
  const test::Clip clip = test::busy_clip({60, 50, 12}, 7);
  const auto sizes = level_sizes(60, 50, 2);
  Exec exec;
  exec.device = Device::cpu();
  cpu::FlowKeeper all(sizes, 12, exec), some(sizes, 12, exec);
  for (std::int64_t t = 0; t < 12; ++t) {
    const auto frame = std::as_const(clip[static_cast<std::size_t>(t)]).view();
    all.push(frame, t);
    some.push(frame, t);
    all.want(t, t);
    all.estimate();
    if (t == 5) some.want(2, 3);
    if (t == 9) some.want(7, 9);
    some.estimate();
  }
  some.want(3, 4);
  some.estimate();
  for (const int t : {2, 3, 4, 7, 8, 9})
    for (const int level : {0, 1}) {
      EXPECT_TRUE(test::images_equal(all.u(level).at(t), some.u(level).at(t))) << t;
      EXPECT_TRUE(test::images_equal(all.v(level).at(t), some.v(level).at(t))) << t;
    }
}

}  // namespace
}  // namespace fovea::actions
