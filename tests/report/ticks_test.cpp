#include "report/ticks.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace fovea::report {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Scale& scale, int target) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks(scale, target))
    if (!tick.label.empty()) result.push_back(tick.label);
  return result;
}

TEST(Ticks, AreMultiplesOfOneTwoOrFive) {
  EXPECT_THAT(labels({0, 1, false}, 5), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels({-3, 17, false}, 4), ElementsAre("0", "5", "10", "15"));
  EXPECT_THAT(labels({0, 40000, false}, 4), ElementsAre("0", "10k", "20k", "30k", "40k"));
  EXPECT_THAT(labels({0, 3e-5, false}, 3), ElementsAre("0", "10⁻⁵", "2×10⁻⁵", "3×10⁻⁵"));
  EXPECT_THAT(labels({-1, 0, false}, 2), ElementsAre("−1.0", "−0.5", "0"));
  EXPECT_THAT(labels({1, 0, false}, 2), ElementsAre("0", "0.5", "1.0"));  // an axis that falls
}

TEST(Ticks, LogarithmsHaveDecadesWithMinorTicks) {
  EXPECT_THAT(labels({1, 1e4, true}, 5), ElementsAre("1", "10", "100", "1000", "10k"));
  EXPECT_EQ(ticks({1, 100, true}, 5).size(), 19);
  EXPECT_THAT(labels({1, 10, true}, 5), ElementsAre("1", "2", "5", "10"));
  EXPECT_THAT(labels({1e-12, 1, true}, 4), ElementsAre("10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"));
}

TEST(Ticks, NumberIsNearTheTargetForAnyRange) {
  for (double size = 1e-8; size < 1e9; size *= 1.7) {
    const auto marks = ticks({size * 0.3, size * 2, false}, 8);
    EXPECT_GE(marks.size(), 3) << size;
    EXPECT_LE(marks.size(), 10) << size;
  }
}

TEST(NiceScale, WidensToWholeTicks) {
  const Scale scale = nice_scale({0.13, 0.97, false}, 5);
  EXPECT_DOUBLE_EQ(scale.low, 0);
  EXPECT_DOUBLE_EQ(scale.high, 1);
  const Scale log = nice_scale({3, 700, true}, 5);
  EXPECT_DOUBLE_EQ(log.low, 1);
  EXPECT_DOUBLE_EQ(log.high, 1000);
}

TEST(NiceScale, MakesSomethingOfAnyInput) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double odd[] = {0, -0.0, 1, -5, 1e308, -1e308, 1e-320, kInf, -kInf, std::nan("")};
  for (const double a : odd)
    for (const double b : odd)
      for (const bool log : {false, true}) {
        const Scale scale = nice_scale({a, b, log}, 6);
        EXPECT_TRUE(std::isfinite(scale.low) && std::isfinite(scale.high)) << a << ' ' << b;
        EXPECT_NE(scale.low, scale.high) << a << ' ' << b << ' ' << log;
        EXPECT_LE(ticks(scale, 6).size(), 1200);
      }
}

TEST(ShortNumber, IsShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(-1234.5678), "−1235");
  EXPECT_EQ(short_number(12345), "12.35k");
  EXPECT_EQ(short_number(2.5e6, 3), "2.5M");
  EXPECT_EQ(short_number(1e-7), "10⁻⁷");
  EXPECT_EQ(short_number(9.99996e-7, 3), "10⁻⁶");
  EXPECT_EQ(short_number(std::nan("")), "n/a");
}

}  // namespace
}  // namespace fovea::report
