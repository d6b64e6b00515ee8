#include <fovea/core/error.h>
#include <fovea/ops/confusion.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fovea {
namespace {

using testing::ElementsAre;

const std::vector<std::int32_t> kTruth{0, 0, 0, 1, 1, 2}, kPredicted{0, 1, 0, 1, 1, 0};

TEST(Confusion, CountsAndShares) {
  const Confusion counts = count_confusion(kTruth, kPredicted, 3);
  EXPECT_EQ(counts.at(0, 1), 1);
  EXPECT_EQ(counts.total(), 6);
  EXPECT_EQ(counts.right(), 4);
  EXPECT_DOUBLE_EQ(counts.accuracy(), 4.0 / 6);
  EXPECT_THAT(counts.recall(), ElementsAre(2.0 / 3, 1, 0));
}

TEST(Confusion, Adds) {
  const Confusion counts = count_confusion(kTruth, kPredicted, 3);
  Confusion sum;
  sum += counts;
  EXPECT_EQ(sum, counts);
  sum += counts;
  EXPECT_EQ(sum.at(0, 0), 4);
  EXPECT_THROW(sum += Confusion(4), InvalidArgument);
}

TEST(Confusion, IsZeroWithoutSamples) {
  const Confusion none(2);
  EXPECT_EQ(none.total(), 0);
  EXPECT_EQ(none.accuracy(), 0);
  EXPECT_THAT(none.recall(), ElementsAre(0, 0));
  EXPECT_EQ(none.interval().low, 0);
  EXPECT_EQ(none.interval().high, 1);
}

TEST(Confusion, RefusesLabelsOutsideTheClasses) {
  EXPECT_THROW(count_confusion(kTruth, kPredicted, 2), InvalidArgument);
  EXPECT_THROW(count_confusion(kTruth, std::span(kPredicted).first(2), 3), InvalidArgument);
  const std::vector<std::int32_t> negative(6, -1);
  EXPECT_THROW(count_confusion(kTruth, negative, 3), InvalidArgument);
  EXPECT_THROW(Confusion(-1), InvalidArgument);
}

// 81 of 263: 0.2553 to 0.3662 (R. G. Newcombe, Statistics in Medicine 17, 1998, table I).
TEST(WilsonInterval, AgreesWithNewcombe) {
  const Interval interval = wilson_interval(81, 263);
  EXPECT_NEAR(interval.low, 0.2553, 5e-5);
  EXPECT_NEAR(interval.high, 0.3662, 5e-5);
}

TEST(WilsonInterval, StaysWithinZeroAndOne) {
  EXPECT_EQ(wilson_interval(5, 5).high, 1);
  EXPECT_EQ(wilson_interval(0, 5).low, 0);
  EXPECT_GT(wilson_interval(0, 5).high, 0);
  EXPECT_THROW(wilson_interval(6, 5), InvalidArgument);
  EXPECT_THROW(wilson_interval(-1, 5), InvalidArgument);
  EXPECT_THROW(wilson_interval(0, 0), InvalidArgument);
}

TEST(WilsonInterval, IsThatOfTheAccuracy) {
  const Confusion counts = count_confusion(kTruth, kPredicted, 3);
  EXPECT_EQ(counts.interval().low, wilson_interval(4, 6).low);
  EXPECT_EQ(counts.interval().high, wilson_interval(4, 6).high);
}

}  // namespace
}  // namespace fovea
