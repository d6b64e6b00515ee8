#include <fovea/core/random.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace fovea {
namespace {

// Known answers of the authors' reference (Random123, kat_vectors: philox4x32 10).
TEST(Random, PhiloxKnownAnswers) {
  const auto zero = philox(0, 0, 0);
  EXPECT_EQ(zero.word[0], 0x6627e8d5U);
  EXPECT_EQ(zero.word[1], 0xe169c58dU);
  EXPECT_EQ(zero.word[2], 0xbc57ac4cU);
  EXPECT_EQ(zero.word[3], 0x9b00dbd8U);
  const auto ones = philox(~0ULL, ~0ULL, ~0ULL);
  EXPECT_EQ(ones.word[0], 0x408f276dU);
  EXPECT_EQ(ones.word[3], 0x6d5451fdU);
}

TEST(Random, SequencesDifferAndRepeat) {
  Random a(7, 1), b(7, 1), c(7, 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
  Random a2(7, 1);
  int equal = 0;
  for (int i = 0; i < 100; ++i) equal += a2.bits() == c.bits() ? 1 : 0;
  EXPECT_LT(equal, 3);
}

TEST(Random, BelowIsUniform) {
  Random random(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi_squared, 22.5);  // 6 degrees of freedom, p = 0.001
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(4);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const float u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    const float n = random.normal();
    normal_sum += n;
    normal_squares += n * n;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / kCount, 0, 0.015);
  EXPECT_NEAR(normal_squares / kCount, 1, 0.02);
}

TEST(Random, ShuffleKeepsItems) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  Random random(5);
  shuffle(items, random);
  EXPECT_FALSE(std::is_sorted(items.begin(), items.end()));
  std::sort(items.begin(), items.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace fovea
