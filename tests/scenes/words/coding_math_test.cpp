#include "scenes/words/coding_math.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace fovea::scenes {
namespace {

TEST(CodeMath, PowersOfE) {
  for (float x = -kCodeReach; x <= 0; x += 0.01F)
    ASSERT_NEAR(code_exp(x) / std::exp(double{x}), 1, 4e-7) << x;
  EXPECT_EQ(code_exp(0), 1);
}

TEST(CodeMath, UnitsAreRoundedAndBounded) {
  EXPECT_EQ(code_units(1), 512);
  EXPECT_EQ(code_units(-0.5F / 512), 0);  // to even
  EXPECT_EQ(code_units(1.5F / 512), 2);
  EXPECT_EQ(code_units(1e9F), kCodeMost);
  EXPECT_EQ(code_units(-1e9F), -kCodeMost);
  EXPECT_EQ(from_units(code_units(3.25F)), 3.25F);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(code_units(kInfinity), kCodeMost);
  EXPECT_EQ(code_units(-kInfinity), -kCodeMost);
  EXPECT_EQ(code_units(std::numeric_limits<float>::quiet_NaN()), -kCodeMost);
}

TEST(CodeMath, WeightsOfWords) {
  const std::vector<float> given{-1, 2, 2, -90};
  std::vector<float> scores = given;
  weigh_words(Coding::kVlad, scores.data(), 1, 4);
  EXPECT_EQ(scores, (std::vector<float>{0, kCodeOne, 0, 0}));
  scores = given;
  weigh_words(Coding::kFisher, scores.data(), 1, 4);
  EXPECT_EQ(scores, (std::vector<float>{6, 125, 125, 0}));  // e^-3 / (2 + e^-3) * 256 is 6.2
  std::vector<float> far{-3e37F, -2e37F, -2e37F};
  weigh_words(Coding::kFisher, far.data(), 1, 3);
  EXPECT_EQ(far, (std::vector<float>{0, 128, 128}));
  std::vector<float> apart{0, 7, 1, 7};  // every other one
  weigh_words(Coding::kSoft, apart.data(), 2, 2);
  EXPECT_EQ(apart, (std::vector<float>{69, 7, 187, 7}));
}

// Two places of weight one, at 1 and 3, of a word with mean 1 and variance 4.
TEST(CodeMath, ValuesOfFisher) {
  const CodeShape shape{Coding::kFisher, 1, 1};
  EXPECT_EQ(shape.sums(), 3);
  EXPECT_EQ(shape.length(), 2);
  const double mean = 512, spread = 4.0 * 512 * 512, first = 1 / (2.0 * 512),
               second = 1 / (4.0 * std::sqrt(2.0) * 512 * 512);
  const CodeFactors factors{&mean, &spread, &first, &second};
  const std::vector<std::int64_t> sums{2, 4 * 512, 10 * 512 * 512};
  const auto sum = [&](std::int64_t i) { return sums[static_cast<std::size_t>(i)]; };
  EXPECT_DOUBLE_EQ(code_value(shape, factors, 0, sum), 1);  // (0 + 2) / 2
  EXPECT_DOUBLE_EQ(code_value(shape, factors, 1, sum), (-1 + (4 / 4.0 - 1)) / std::sqrt(2.0));
  EXPECT_FLOAT_EQ(code_feature(-4, 16, 0.5), -0.25F);
  EXPECT_EQ(code_feature(0, 0, 1), 0);
}

}  // namespace
}  // namespace fovea::scenes
