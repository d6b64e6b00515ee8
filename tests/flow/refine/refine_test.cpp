// Covers: refine_fuse, refine_mend, refine_warp, refiner, refined_matcher
// Variational refinement against a textbook loop, to the bit, and what it does to a field.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "flow/parity.h"
#include "flow/refine/refine_cpu.h"
#include "flow/refine/refine_math.h"
#include "reference/refine.h"
#include "support/devices.h"

namespace fovea::flow {
namespace {

using parity::picture;

class Refine : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(Refine);

float wave(float x, float y) {
  return 120 + 50 * std::sin(0.31F * x + 0.07F * y) + 40 * std::sin(0.23F * y - 0.11F * x);
}

struct LevelPair {
  cpu::RefineLevel first, second;
  cpu::Field field;
};
// Fills a level and its border, as to_refine_level() does.
void fill(cpu::RefineLevel& level, const textbook::Grid& from) {
  cpu::Gray units;
  units.resize(from.width, from.height);
  for (int y = 0; y < from.height; ++y)
    for (int x = 0; x < from.width; ++x)
      units.row(y)[x] = static_cast<std::uint16_t>(from.near(x, y) * lk::kGrayUnits);
  cpu::to_refine_level(units, false, level, {});
}
void make(const textbook::Refinement& from, LevelPair& to) {
  fill(to.first, from.first);
  fill(to.second, from.second);
  to.field.resize(from.u.width, from.u.height);
  for (int y = 0; y < from.u.height; ++y)
    for (int x = 0; x < from.u.width; ++x) {
      to.field.u.row(y)[x] = from.u.near(x, y);
      to.field.v.row(y)[x] = from.v.near(x, y);
    }
}
// Gray levels are whole sixteenths, as those of a frame.
textbook::Grid drawn(int width, int height, float shift) {
  textbook::Grid grid(width, height);
  Random random(9);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      grid.at(x, y) =
          std::floor(16 * wave(static_cast<float>(x) + shift, static_cast<float>(y))) / 16 +
          static_cast<float>(random.below(64)) / 16;
  return grid;
}

TEST_P(Refine, EqualsTheTextbookForAnySizeAndThreadCount) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "compared by RefineParity";
  for (const auto& [width, height] :
       {std::pair{37, 29}, {64, 150}, {1, 1}, {2, 1}, {1, 9}, {5, 4}, {130, 7}}) {
    textbook::Refinement wanted{drawn(width, height, 0),
                                drawn(width, height, 1.4F),
                                textbook::Grid(width, height),
                                textbook::Grid(width, height),
                                {.warps = 2, .fixed = 2, .relaxations = 3, .median = 0},
                                {}};
    Random random(3);
    for (float& value : wanted.u.values) value = static_cast<float>(random.uniform()) * 3 - 2;
    for (float& value : wanted.v.values) value = static_cast<float>(random.uniform()) * 3 - 1;
    LevelPair single;
    make(wanted, single);
    wanted.run();
    cpu::RefineSpace space;
    for (const int threads : {1, 2, 3}) {
      cpu::Field field;
      field.resize(width, height);
      copy(std::as_const(single.field.u).view(), field.u.view());
      copy(std::as_const(single.field.v).view(), field.v.view());
      cpu::refine_level({single.first, single.second, wanted.work, wanted.energy}, field, space,
                        {.threads = threads});
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          ASSERT_EQ(field.u.row(y)[x], wanted.u.at(x, y)) << width << " " << x << "," << y;
          ASSERT_EQ(field.v.row(y)[x], wanted.v.at(x, y)) << width << " " << x << "," << y;
        }
    }
  }
}

TEST_P(Refine, FindsAShiftThatIsKnown) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "compared by RefineParity";
  const int width = 64, height = 48;
  textbook::Refinement pair{drawn(width, height, 0),
                            drawn(width, height, -0.6F),
                            textbook::Grid(width, height),
                            textbook::Grid(width, height),
                            {},
                            {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {  // without noise
      pair.first.at(x, y) = wave(static_cast<float>(x), static_cast<float>(y));
      pair.second.at(x, y) = wave(static_cast<float>(x) - 0.6F, static_cast<float>(y));
    }
  LevelPair level;
  make(pair, level);
  cpu::RefineSpace space;
  cpu::refine_level({level.first, level.second, {.warps = 8}, {}}, level.field, space, {});
  for (int y = 8; y < height - 8; ++y)
    for (int x = 8; x < width - 8; ++x) {
      ASSERT_NEAR(level.field.u.row(y)[x], 0.6F, 0.05F) << x << "," << y;
      ASSERT_NEAR(level.field.v.row(y)[x], 0.0F, 0.05F) << x << "," << y;
    }
}

bool equal_flows(const Flow& a, const Flow& b) {
  for (int y = 0; y < a.u.height(); ++y)
    for (int x = 0; x < a.u.width(); ++x)
      if (a.u.at(x, y) != b.u.at(x, y) || a.v.at(x, y) != b.v.at(x, y) ||
          a.confidence.at(x, y) != b.confidence.at(x, y))
        return false;
  return true;
}

// What the right part of the first image, which is left out, has for flow.
cpu::Field refined_beside(float beyond) {
  constexpr int kWidth = 61, kHeight = 44, kCounted = 40;
  const textbook::Grid images[2] = {drawn(kWidth, kHeight, 0), drawn(kWidth, kHeight, 1.3F)};
  cpu::RefineLevel levels[2];
  cpu::Field field;
  field.resize(kWidth, kHeight);
  for (int k = 0; k < 2; ++k) {
    cpu::Gray units;
    units.resize(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        units.row(y)[x] = k == 0 && x >= kCounted
                              ? lk::kNoGray
                              : static_cast<std::uint16_t>(images[k].near(x, y) * lk::kGrayUnits);
    cpu::to_refine_level(units, k == 0, levels[k], {});
  }
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      field.u.row(y)[x] = x < kCounted ? -1.0F : beyond;
      field.v.row(y)[x] = x < kCounted ? 0.1F : beyond;
    }
  cpu::RefineSpace space;
  cpu::refine_level({levels[0], levels[1], {.warps = 2, .median = 0, .mend = true}, {}}, field,
                    space, {});
  return field;
}

TEST_P(Refine, FlowThatAMaskLeavesOutDoesNotMatter) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "compared by RefineParity";
  const cpu::Field rest = refined_beside(0), fast = refined_beside(30);
  for (int y = 0; y < 44; ++y)
    for (int x = 0; x < 40; ++x) {
      ASSERT_EQ(rest.u.row(y)[x], fast.u.row(y)[x]) << x << ", " << y;
      ASSERT_EQ(rest.v.row(y)[x], fast.v.row(y)[x]) << x << ", " << y;
    }
  // Where derivatives would touch what is left out, the flow of the pixels beside continues.
  EXPECT_NEAR(rest.u.row(20)[39], rest.u.row(20)[34], 0.1);
}

// What the weighted median of a level reads and writes.
struct MendLevel {
  cpu::RefineLevel level;
  cpu::Field field;
  cpu::RefineSpace space;
};
// Fills all but the flow: without differences, and seen everywhere. Columns from `counted` on are
// left out.
void fill(MendLevel& mend, const textbook::Grid& gray, int counted) {
  cpu::Gray units;
  units.resize(gray.width, gray.height);
  for (cpu::Plane<float>* plane :
       {&mend.field.u, &mend.field.v, &mend.space.mean, &mend.space.difference, &mend.space.valid,
        &mend.space.median.u, &mend.space.median.v})
    plane->resize(gray.width, gray.height);
  for (int y = 0; y < gray.height; ++y)
    for (int x = 0; x < gray.width; ++x) {
      units.row(y)[x] =
          x < counted ? static_cast<std::uint16_t>(gray.near(x, y) * lk::kGrayUnits) : lk::kNoGray;
      mend.space.difference.row(y)[x] = 0;
      mend.space.valid.row(y)[x] = 1;
    }
  cpu::to_refine_level(units, counted < gray.width, mend.level, {});
}
void run_mend(MendLevel& mend) {
  cpu::mend_level({mend.level, mend.level, {}, {}}, mend.field, mend.space, {});
}

// The taps of one component around a pixel that have a share, in order, and their sum.
struct SortedTaps {
  std::vector<std::pair<float, double>> taps;
  double sum = 0;
  float range() const { return taps.back().first - taps.front().first; }
  bool has(float value) const {
    return std::any_of(taps.begin(), taps.end(), [&](const auto& t) { return t.first == value; });
  }
  // The shares of the taps below a value, or up to it.
  double below(float value) const {
    double out = 0;
    for (const auto& [at, share] : taps) out += at < value ? share : 0;
    return out;
  }
  double up_to(float value) const {
    double out = 0;
    for (const auto& [at, share] : taps) out += at <= value ? share : 0;
    return out;
  }
};
SortedTaps taps_around(const MendLevel& mend, const cpu::Plane<float>& plane, int x, int y) {
  SortedTaps out;
  const cpu::Plane<float>&gray = mend.level.gray, &weight = mend.space.mean;
  for (int dy = -refine::kMendRadius; dy <= refine::kMendRadius; ++dy)
    for (int dx = -refine::kMendRadius; dx <= refine::kMendRadius; ++dx) {
      const int i = lk::clamped(x + dx, plane.width()), j = lk::clamped(y + dy, plane.height());
      const double share =
          refine::mend_share(weight.row(j)[i], weight.row(y)[x], gray.row(j)[i] - gray.row(y)[x]);
      if (share == 0) continue;
      out.taps.emplace_back(plane.row(j)[i], share);
      out.sum += share;
    }
  std::sort(out.taps.begin(), out.taps.end());
  return out;
}
// Whether a result is a tap, and the median by sorting is a tap that is not below it and lies
// within what the bisections leave of the range. Returns 1 if the flow stayed.
int check_median(const SortedTaps& taps, float result, float before) {
  if (taps.range() < refine::kMendRange) {
    EXPECT_EQ(result, before);
    return 1;
  }
  const double rounding = 1e-5 * taps.sum;
  const float left = taps.range() / (1 << refine::kMendSteps) * 1.001F;
  EXPECT_TRUE(taps.has(result)) << result;
  EXPECT_LT(taps.below(result), taps.sum / 2 + rounding);
  EXPECT_GE(taps.up_to(result + left), taps.sum / 2 - rounding);
  return 0;
}

TEST_P(Refine, TheWeightedMedianIsThatOfSorting) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "compared by RefineParity";
  constexpr int kWidth = 37, kHeight = 21;
  for (const int counted : {kWidth, 22}) {
    MendLevel mend;
    fill(mend, drawn(kWidth, kHeight, 0), counted);
    Random random(4);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const auto noise = [&] { return static_cast<float>(random.below(1000)) / 1000; };
        mend.field.u.row(y)[x] = (x > 15 ? 3.0F : 0.0F) + (x > 25 ? 0.01F : 1.0F) * noise();
        mend.field.v.row(y)[x] = (y > 9 ? -2.0F : 0.1F) * noise();
        mend.space.difference.row(y)[x] = 20 * noise() - 10;
        mend.space.valid.row(y)[x] = noise() > 0.1F ? 1.0F : 0.0F;
      }
    run_mend(mend);
    int kept = 0;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        SCOPED_TRACE(testing::Message() << counted << ": " << x << ", " << y);
        const cpu::Field &from = mend.field, &to = mend.space.median;
        kept += check_median(taps_around(mend, from.u, x, y), to.u.row(y)[x], from.u.row(y)[x]);
        check_median(taps_around(mend, from.v, x, y), to.v.row(y)[x], from.v.row(y)[x]);
      }
    EXPECT_GT(kept, 50);
  }
}

TEST_P(Refine, TheWeightedMedianBesideAFastThingIsExact) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "compared by RefineParity";
  constexpr int kWidth = 24, kHeight = 9, kBorder = 11;
  for (const float speed : {40.0F, -40.0F}) {
    MendLevel mend;
    fill(mend, textbook::Grid(kWidth, kHeight), kWidth);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        mend.field.u.row(y)[x] = x < kBorder ? 0 : speed;
        mend.field.v.row(y)[x] = x < kBorder ? 0.3F : speed;
      }
    run_mend(mend);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kBorder - 1; ++x) {
        ASSERT_EQ(mend.space.median.u.row(y)[x], 0) << speed << ": " << x << ", " << y;
        ASSERT_EQ(mend.space.median.v.row(y)[x], 0.3F) << speed << ": " << x << ", " << y;
      }
    for (int x = kBorder + 1; x < kWidth; ++x) {
      ASSERT_EQ(mend.space.median.u.row(4)[x], speed) << x;
      ASSERT_EQ(mend.space.median.v.row(4)[x], speed) << x;
    }
  }
}

TEST_P(Refine, PixelsThatMeetOrDifferOrAreLeftOutCountLess) {
  EXPECT_EQ(refine::mend_weight(0.5F, 0, 1, true), 1);
  EXPECT_LT(refine::mend_weight(-0.5F, 0, 1, true), 0.05F);
  EXPECT_LT(refine::mend_weight(0, 20, 1, true), 0.05F);
  EXPECT_EQ(refine::mend_weight(0, 0, 0, true), refine::kMendUnseen);
  EXPECT_EQ(refine::mend_weight(0, 0, 1, false), -1);
  EXPECT_EQ(refine::mend_share(1, 1, 0), 1);
  EXPECT_EQ(refine::mend_share(-1, -1, 0), 1);
  EXPECT_EQ(refine::mend_share(-1, 1, 0), 0);
  EXPECT_LT(refine::mend_share(1, 1, 50), 0.01F);
}

TEST_P(Refine, EveryThreadCountGivesTheSameField) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "threads are those of the CPU";
  const auto first = picture<std::uint8_t>(120, 150, 1, 0);
  const auto second = picture<std::uint8_t>(120, 150, 1, 1.7);
  const auto field = [&](int threads) {
    return estimate_flow(
        first, second,
        {.quality = Quality::kBest, .exec = {.device = device(), .threads = threads}});
  };
  const Flow one = field(1);
  EXPECT_TRUE(equal_flows(one, field(2)));
  EXPECT_TRUE(equal_flows(one, field(5)));
}

TEST_P(Refine, WithoutWarpsAndFusingTheMethodIsAlone) {
  const auto first = picture<std::uint8_t>(96, 80, 1, 0);
  const auto second = picture<std::uint8_t>(96, 80, 1, 1.7);
  FlowOptions options{.exec = {.device = device()}};
  const Flow plain = estimate_flow(first, second, options);
  options.warps = 0;
  options.fuse = Fuse::kOff;
  EXPECT_TRUE(equal_flows(plain, estimate_flow(first, second, options)));
  options.warps = 1;
  EXPECT_FALSE(equal_flows(plain, estimate_flow(first, second, options)));
  options.warps = 0;
  options.fuse = Fuse::kOn;
  EXPECT_FALSE(equal_flows(plain, estimate_flow(first, second, options)));
}

TEST_P(Refine, EveryQualityHasConfidencesOfTheFinestLevel) {
  const auto first = picture<std::uint8_t>(96, 80, 1, 0);
  const auto second = picture<std::uint8_t>(96, 80, 1, 1.7);
  FlowOptions options{.quality = Quality::kFast, .warps = 1, .exec = {.device = device()}};
  const Flow flow = estimate_flow(first, second, options);
  float least = 1, most = 0;
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 96; ++x) {
      least = std::min(least, flow.confidence.at(x, y));
      most = std::max(most, flow.confidence.at(x, y));
    }
  EXPECT_GT(most - least, 0.2F);
  options.lk.finest_level = 1;
  EXPECT_THROW(estimate_flow(first, second, options), InvalidArgument);
}

TEST_P(Refine, ConstantImagesStayAtRest) {
  Image<std::uint8_t> flat(70, 50);
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 70; ++x) flat.at(x, y) = 90;
  const Flow flow =
      estimate_flow(flat, flat, {.quality = Quality::kBest, .exec = {.device = device()}});
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 70; ++x) {
      ASSERT_EQ(flow.u.at(x, y), 0);
      ASSERT_EQ(flow.v.at(x, y), 0);
      ASSERT_EQ(flow.confidence.at(x, y), 0);
    }
}

}  // namespace
}  // namespace fovea::flow
