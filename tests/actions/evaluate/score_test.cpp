#include "actions/evaluate/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace fovea::actions {
namespace {

using testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();

const std::vector<Prototype>& prototypes() {
  static const std::vector<Prototype> kPrototypes{{0, 0, 0, 5, false, 1},
                                                  {0, 0, 0, 5, true, 1},
                                                  {1, 1, 0, 5, false, 1},
                                                  {1, 1, 0, 5, true, 1},
                                                  {1, 2, 0, 5, false, 1}};
  return kPrototypes;
}

TEST(Score, AClassIsAsFarAsItsBestPrototypesAre) {
  const std::vector<float> row{4, 2, 5, kInf, 3};
  const std::vector<int> all{0, 1, 2, 3, 4};
  const ClassDistances one = nearest_prototypes(row, all, prototypes(), 3, 1);
  EXPECT_THAT(one.distances, ElementsAre(2, 3, std::numeric_limits<double>::infinity()));
  EXPECT_THAT(one.prototypes, ElementsAre(1, 4, -1));
  const ClassDistances two = nearest_prototypes(row, all, prototypes(), 3, 2);
  EXPECT_DOUBLE_EQ(two.distances[0], 3);
  EXPECT_DOUBLE_EQ(two.distances[1], 4);
  const ClassDistances some = nearest_prototypes(row, std::vector<int>{0, 2}, prototypes(), 2, 3);
  EXPECT_THAT(some.distances, ElementsAre(4, 5));
}

TEST(Score, AClipIsAsFarAsTheNearerOfBothWaysRound) {
  const std::vector<ClipColumns> columns = columns_by_clip(prototypes(), 3);
  EXPECT_THAT(columns[1].plain, ElementsAre(2));
  EXPECT_THAT(columns[1].mirrored, ElementsAre(3));
  const std::vector<float> row{4, 2, 5, kInf, 3};
  EXPECT_EQ(clip_distance(row, columns[0]), 2);
  EXPECT_EQ(clip_distance(row, columns[1]), 5);
  EXPECT_EQ(clip_distance(row, {}), kInf);
  EXPECT_EQ(symmetric_distance(2, 4), 3);
  EXPECT_EQ(symmetric_distance(kInf, 4), 4);
  EXPECT_EQ(symmetric_distance(2, kInf), 2);
  EXPECT_THAT(nearest_clips(std::vector<double>{3, 1, 2}, std::vector<std::int32_t>{0, 0, 1}, 2, 2),
              ElementsAre(2, 2));
}

TEST(Score, FusionAddsZScores) {
  const std::vector<double> a{1, 2, 3}, b{30, 10, 20};
  const std::vector<double> sum = fused(a, b, 0.5);
  const double z = std::sqrt(1.5);
  EXPECT_NEAR(sum[0], -z + 0.5 * z, 1e-12);
  EXPECT_NEAR(sum[1], -0.5 * z, 1e-12);
  EXPECT_NEAR(sum[2], z, 1e-12);
  // What is infinite counts as the farthest; values that are all equal say nothing.
  EXPECT_NEAR(fused(std::vector<double>{1, 2, kInf}, std::vector<double>{1, 1, 1}, 1)[2],
              fused(std::vector<double>{1, 2, 2}, std::vector<double>{1, 1, 1}, 1)[2], 1e-12);
}

TEST(Score, TheLeastAndItsMargin) {
  EXPECT_EQ(least_of(std::vector<double>{3, 2, 2}), 1);
  EXPECT_EQ(least_of(std::vector<double>{kInf, kInf}), -1);
  EXPECT_DOUBLE_EQ(margin_of(std::vector<double>{4, 2, 5}), 1);
  EXPECT_DOUBLE_EQ(margin_of(std::vector<double>{4, kInf}), 0);
  EXPECT_EQ(margin_of(std::vector<double>{0, 2}), kInf);
  EXPECT_EQ(margin_of(std::vector<double>{0, 0}), 0);
  EXPECT_DOUBLE_EQ(margin_of(std::vector<double>{-2, -1}), 0.5);
  EXPECT_DOUBLE_EQ(log_odds_of(std::vector<double>{4, 2, 5}), 2);
  EXPECT_EQ(log_odds_of(std::vector<double>{0, 3}), 3);  // a probability of 1
  EXPECT_EQ(log_odds_of(std::vector<double>{4, kInf}), 0);
  EXPECT_EQ(log_odds_of(std::vector<double>{kInf, kInf}), 0);
  EXPECT_EQ(second_of(std::vector<double>{4, 2, 5}), 0);
  EXPECT_EQ(second_of(std::vector<double>{2, 2, 5}), 1);
  EXPECT_EQ(second_of(std::vector<double>{4, kInf}), -1);
  EXPECT_EQ(second_of(std::vector<double>{kInf, kInf}), -1);
}

TEST(Score, ClassesByWhateverTheOptionsSay) {
  const std::vector<Prototype> some = prototypes();
  const std::vector<float> row{4, 2, 5, kInf, 3};
  const std::vector<int> columns{0, 1, 2, 3, 4};
  const std::vector<double> clips{9, 1}, singles{3, 1, 2};
  const std::vector<std::int32_t> clip_labels{0, 1};
  int classes = 0;
  for (const Prototype& one : some) classes = std::max(classes, one.label + 1);
  const ClipEvidence evidence{
      .row = row,
      .columns = columns,
      .prototypes = some,
      .clips = clips,
      .clip_labels = clip_labels,
      .singles = std::span(singles).first(static_cast<std::size_t>(classes))};
  const ClassDistances plain = class_distances(evidence, {.best = 1}, classes);
  EXPECT_EQ(plain.distances, nearest_prototypes(row, columns, some, classes, 1).distances);
  const ClassDistances both = class_distances(evidence, {.best = 1, .symmetric = true}, classes);
  EXPECT_EQ(both.distances[0], 9);
  EXPECT_EQ(both.distances[1], 1);
  EXPECT_EQ(both.prototypes, plain.prototypes);
  const ClassDistances fusing = class_distances(evidence, {.best = 1, .fusion = 2}, classes);
  EXPECT_EQ(fusing.distances, fused(plain.distances, evidence.singles, 2));
}

}  // namespace
}  // namespace fovea::actions
