#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/detect.h>

#include <limits>

#include "support/files.h"

namespace fovea::emd {
namespace {

using test::message_of;
using testing::HasSubstr;

template <class T>
Image<T> row_of(const std::vector<T>& values) {
  Image<T> image(static_cast<int>(values.size()), 1);
  std::copy(values.begin(), values.end(), image.row(0));
  return image;
}

Roc roc_of(const std::vector<float>& score, const std::vector<std::uint8_t>& truth,
           TargetScore sense = TargetScore::kLow) {
  return roc(row_of(score), row_of(truth), sense);
}

TEST(Roc, AreasInClosedForm) {
  EXPECT_EQ(roc_of({1, 2, 3, 4}, {1, 1, 0, 0}).area, 1);
  EXPECT_EQ(roc_of({1, 2, 3, 4}, {0, 0, 1, 1}).area, 0);
  EXPECT_EQ(roc_of({1, 2, 3, 4}, {1, 0, 1, 0}).area, 0.75);
  EXPECT_EQ(roc_of({1, 2, 3, 4}, {1, 0, 1, 0}, TargetScore::kHigh).area, 0.25);
  EXPECT_EQ(roc_of({5, 5, 5, 5}, {1, 0, 1, 0}).area, 0.5);
  // Pairs: 1 < 2, 1 < 3, 2 = 2, 2 < 3.
  EXPECT_EQ(roc_of({1, 2, 2, 3}, {255, 7, 0, 0}).area, 0.875);
}

TEST(Roc, CurveHasAPointADistinctScore) {
  const Roc result = roc_of({1, 2, 2, 3, 0}, {1, 1, 0, 0, 0});
  ASSERT_EQ(result.curve.size(), 5U);
  EXPECT_EQ(result.positives, 2);
  EXPECT_EQ(result.negatives, 3);
  const std::vector<RocPoint> wanted{
      {0, 0, 0}, {0, 1.0 / 3, 0}, {1, 1.0 / 3, 0.5}, {2, 2.0 / 3, 1}, {3, 1, 1}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(result.curve[i].threshold, wanted[i].threshold) << i;
    EXPECT_EQ(result.curve[i].false_rate, wanted[i].false_rate) << i;
    EXPECT_EQ(result.curve[i].true_rate, wanted[i].true_rate) << i;
  }
}

TEST(Roc, AreaIsThatOfPairsAndOfTheCurve) {
  Random random(3);
  std::vector<float> score;
  std::vector<std::uint8_t> truth;
  for (int i = 0; i < 500; ++i) {
    truth.push_back(static_cast<std::uint8_t>(random.below(5) == 0 ? 1 : 0));
    score.push_back(static_cast<float>(random.below(truth.back() != 0 ? 30 : 50)));
  }
  double better = 0, pairs = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    for (std::size_t j = 0; j < score.size(); ++j) {
      if (truth[i] == 0 || truth[j] != 0) continue;
      ++pairs;
      better += score[i] < score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
    }
  }
  const Roc result = roc_of(score, truth);
  EXPECT_EQ(result.area, better / pairs);
  double trapezes = 0;
  for (std::size_t i = 1; i < result.curve.size(); ++i)
    trapezes += (result.curve[i].false_rate - result.curve[i - 1].false_rate) *
                (result.curve[i].true_rate + result.curve[i - 1].true_rate) / 2;
  EXPECT_NEAR(result.area, trapezes, 1e-12);
}

TEST(Roc, LeavesOutWhatDoesNotCount) {
  const Roc result = roc(row_of<float>({9, 1, 2, 3}), row_of<std::uint8_t>({1, 1, 0, 0}),
                         TargetScore::kLow, row_of<std::uint8_t>({0, 1, 1, 255}));
  EXPECT_EQ(result.area, 1);
  EXPECT_EQ(result.positives, 1);
}

TEST(Roc, SaysWhatIsWrong) {
  EXPECT_THAT(message_of<InvalidArgument>([] {
                roc_of({1, 2}, {1, 1});
              }),
              HasSubstr("roc: 2 pixels of the target and 0 of the background"));
  EXPECT_THROW(roc_of({1, 2}, {0, 0}), InvalidArgument);
  EXPECT_THAT(message_of<InvalidArgument>([] {
                roc_of({1, std::numeric_limits<float>::quiet_NaN()}, {0, 1});
              }),
              HasSubstr("the score at 1, 0 is not a number"));
  EXPECT_THAT(message_of<InvalidArgument>([] {
                roc_of({1, 2}, {0, 1, 1});
              }),
              HasSubstr("the truth is 3x1; the scores are 2x1"));
}

}  // namespace
}  // namespace fovea::emd
