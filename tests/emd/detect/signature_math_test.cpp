#include "emd/detect/signature_math.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fovea::emd::detail {
namespace {

TEST(SignatureMath, LogarithmsAreThoseOfTheLibrary) {
  Random random(1);
  for (int k = 0; k < 20000; ++k) {
    const double x = std::exp(static_cast<double>(random.uniform(-600, 600)));
    EXPECT_NEAR(log_of(x), std::log(x), 3e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  EXPECT_EQ(log_of(1), 0);
  EXPECT_NEAR(log_of(1 + 1e-12), std::log(1 + 1e-12), 1e-27);
}

TEST(SignatureMath, ExponentialsAreThoseOfTheLibrary) {
  Random random(2);
  for (int k = 0; k < 20000; ++k) {
    const auto x = static_cast<double>(random.uniform(-700, 700));
    EXPECT_NEAR(exp_of(x) / std::exp(x), 1, 1e-15) << x;
  }
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_LT(exp_of(-1e9), 1e-300);
  EXPECT_TRUE(std::isfinite(exp_of(1e9)));
}

TEST(SignatureMath, StrengthsArePowers) {
  for (const double power : {0.25, 0.5, 1.0, 1.3, 1.5, 2.0, 2.5, 7.9, 8.0}) {
    SignatureParams params;
    params.power = power;
    params.half_powers = 2 * power == std::floor(2 * power) ? static_cast<int>(2 * power) : 0;
    for (const double value : {0.0, 1e-9, -0.3, 1.0, 4.0, -37.5}) {
      const double expected = std::pow(std::abs(value), power);
      // A power by its logarithm is as many roundings away as that logarithm is large.
      const double exponent = value == 0 ? 0 : std::abs(power * std::log(std::abs(value)));
      EXPECT_NEAR(strength(params, value), expected, 4e-16 * (4 + exponent) * expected)
          << value << '^' << power;
    }
  }
}

TEST(SignatureMath, GroupsHoldAdjacentBands) {
  for (const int bands : {1, 3, 7, 11, 100, 224})
    for (int groups = 1; groups <= std::min(bands, kMostGroups); ++groups) {
      SignatureParams params;
      params.bands = bands;
      params.groups = groups;
      EXPECT_EQ(params.first_band(0), 0);
      EXPECT_EQ(params.first_band(groups), bands);
      for (int g = 0; g < groups; ++g)
        for (int b = params.first_band(g); b < params.first_band(g + 1); ++b)
          EXPECT_EQ(b * groups / bands, g);
    }
}

TEST(SignatureMath, CountsFiniteValuesAboveZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(counted(18, 0.5), 9);
  EXPECT_EQ(counted(-18, 0.5), 0);
  EXPECT_FALSE(std::signbit(counted(-18, 0.5)));
  for (const double value : {kInfinity, -kInfinity, std::nan("")})
    EXPECT_TRUE(std::isnan(counted(value, 1)));
}

TEST(SignatureMath, WholeMassesHaveTheirTotal) {
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    std::vector<double> masses(1 + random.below(60));
    double total = 0;
    for (double& mass : masses) total += mass = std::pow(random.uniform(0, 1), 3);
    WholeMasses whole(total, 4096);
    double sum = 0;
    for (const double mass : masses) {
      const double now = whole.next(mass);
      EXPECT_NEAR(now, 4096 * mass / total, 1 + 1e-9);
      sum += now;
    }
    EXPECT_EQ(sum, 4096);
  }
  for (const double total : {0.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(WholeMasses(total, 4096).next(1), 0);
}

}  // namespace
}  // namespace fovea::emd::detail
