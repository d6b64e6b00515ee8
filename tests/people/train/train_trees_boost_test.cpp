#include "people/train/train_trees_boost.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fovea::people {
namespace {

using BoostRow = std::array<std::uint8_t, 8>;

int score_of(const FilteredTrees& trees, const BoostRow& row) {
  int sum = 0;
  for (int t = 0; t < trees.count(); ++t) {
    int node = 0;
    while (node < trees.nodes()) {
      const auto at = static_cast<std::size_t>(t * trees.nodes() + node);
      node = 2 * node + (row[trees.feature[at]] >= trees.threshold[at] ? 2 : 1);
    }
    sum += trees.leaf[static_cast<std::size_t>(t * trees.leaves() + node - trees.nodes())];
  }
  return sum;
}

// Positives first.
struct BoostData {
  BoostSamples samples{0, 200, 8, std::vector<std::uint8_t>(200 * 8)};
  std::vector<BoostRow> rows{};
};
template <class Positive>
BoostData boost_data(Positive&& positive) {
  BoostData result;
  Random random(7);
  result.rows.resize(200);
  for (BoostRow& row : result.rows)
    for (auto& value : row) value = static_cast<std::uint8_t>(random.below(256));
  std::stable_partition(result.rows.begin(), result.rows.end(), positive);
  result.samples.positives =
      static_cast<int>(std::count_if(result.rows.begin(), result.rows.end(), positive));
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t f = 0; f < 8; ++f) result.samples.values[f * 200 + i] = result.rows[i][f];
  return result;
}

void expect_learned(const FilteredTrees& trees, const BoostData& data) {
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(score_of(trees, data.rows[static_cast<std::size_t>(i)]) > 0,
              i < data.samples.positives)
        << i;
}

TEST(BoostTrees, LearnWhatTwoSplitsCanSay) {
  // Positive where feature 3 is high and feature 5 is low.
  const BoostData data =
      boost_data([](const BoostRow& row) { return row[3] >= 100 && row[5] < 160; });
  int reports = 0;
  const FilteredTrees trees = boost_trees(data.samples, {.trees = 20, .feature_share = 1}, {},
                                          [&](int done) { EXPECT_EQ(done, ++reports); });
  ASSERT_EQ(trees.count(), 20);
  expect_learned(trees, data);
}

TEST(BoostTrees, OfAnyDepthLearn) {
  const BoostData data = boost_data(
      [](const BoostRow& row) { return (row[1] >= 90 && row[2] < 180) == (row[6] >= 128); });
  for (const int depth : {2, 3, 4, 5})
    for (const double kept : {1.0, 0.9}) {
      const FilteredTrees trees = boost_trees(
          data.samples, {.trees = 100, .feature_share = 0.5, .depth = depth, .kept_weight = kept},
          {}, [](int) {});
      ASSERT_EQ(trees.count(), 100);
      EXPECT_EQ(trees.feature.size(), 100U * static_cast<unsigned>(trees.nodes()));
      expect_learned(trees, data);
    }
}

TEST(BoostTrees, ShrinkageScalesWhatATreeAdds) {
  const BoostData data = boost_data([](const BoostRow& row) { return row[0] + row[4] > 250; });
  const auto learned = [&](int trees, double shrinkage) {
    return boost_trees(
        data.samples,
        {.trees = trees, .feature_share = 1, .calibration = 0, .shrinkage = shrinkage}, {},
        [](int) {});
  };
  const FilteredTrees whole = learned(1, 1), half = learned(1, 0.5);
  ASSERT_EQ(whole.leaf.size(), half.leaf.size());
  for (std::size_t l = 0; l < half.leaf.size(); ++l)
    EXPECT_NEAR(whole.leaf[l], 2 * half.leaf[l], 1);
  expect_learned(learned(60, 0.5), data);
}

TEST(BoostTrees, DoNotDependOnThreads) {
  const BoostData data = boost_data([](const BoostRow& row) { return row[0] + row[4] > 250; });
  const auto learned = [&](int threads) {
    return boost_trees(data.samples,
                       {.trees = 30, .feature_share = 0.4, .depth = 3, .kept_weight = 0.95},
                       {.threads = threads}, [](int) {});
  };
  const FilteredTrees one = learned(1), three = learned(3);
  EXPECT_EQ(one.feature, three.feature);
  EXPECT_EQ(one.threshold, three.threshold);
  EXPECT_EQ(one.leaf, three.leaf);
}

}  // namespace
}  // namespace fovea::people
