#include <fovea/core/error.h>
#include <fovea/people/calibration.h>
#include <fovea/people/measure.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/files.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// `hits` people and `others` among the detections of one score.
void add(std::vector<ScoredDetection>& to, float score, int hits, int others) {
  to.insert(to.end(), static_cast<std::size_t>(hits), {score, true});
  to.insert(to.end(), static_cast<std::size_t>(others), {score, false});
}

TEST(Calibration, IsTheLogisticFunctionOfTheScore) {
  const Calibration calibration{0.5F, -1};
  EXPECT_EQ(calibration.confidence(2), 0.5F);
  EXPECT_FLOAT_EQ(calibration.confidence(4), static_cast<float>(1 / (1 + std::exp(-1.0))));
  EXPECT_FLOAT_EQ(calibration.confidence(0), static_cast<float>(1 / (1 + std::exp(1.0))));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(calibration.confidence(kInfinity), 1);
  EXPECT_EQ(calibration.confidence(-kInfinity), 0);
}

TEST(Calibration, TheLeastScoreOfAConfidenceIsTheFirstThatHasIt) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Calibration& calibration : {Calibration{0.5F, -1}, {3, -7}, {0.01F, 4}, {80, 0}})
    for (const float wanted : {1e-6F, 0.2F, 0.5F, 0.9F, 0.999F, 1.0F}) {
      const float least = calibration.least_score(wanted);
      EXPECT_GE(calibration.confidence(least), wanted);
      EXPECT_LT(calibration.confidence(std::nextafter(least, -kInfinity)), wanted);
    }
  EXPECT_FLOAT_EQ((Calibration{0.5F, -1}).least_score(0.5F), 2);
  EXPECT_EQ((Calibration{0.5F, -1}).least_score(0), -kInfinity);
  EXPECT_EQ((Calibration{0, 0}).least_score(0.5F), -kInfinity);
  EXPECT_EQ((Calibration{0, 0}).least_score(0.6F), kInfinity);
}

TEST(Calibration, NeverFallsWhereTheScoreRises) {
  for (const Calibration& calibration : {Calibration{0, 1}, Calibration{3, -7}}) {
    float before = 0;
    for (int i = -400; i <= 400; ++i) {
      const float now = calibration.confidence(0.25F * static_cast<float>(i));
      EXPECT_GE(now, before);
      EXPECT_LE(now, 1);
      before = now;
    }
  }
}

// A line through two scores gives the mean target of each: (3 * 5/6 + 1/10) / 4 has 3 hits of 4,
// where 4 are hits in all and 8 are not.
TEST(FitCalibration, MeetsBothShareOfTwoScores) {
  std::vector<ScoredDetection> detections;
  add(detections, 10, 3, 1);
  add(detections, 2, 1, 7);
  const Calibration fitted = fit_calibration(detections);
  EXPECT_NEAR(fitted.confidence(10), (3 * 5.0 / 6 + 0.1) / 4, 1e-6);
  EXPECT_NEAR(fitted.confidence(2), (5.0 / 6 + 7 * 0.1) / 8, 1e-6);
}

TEST(FitCalibration, FindsTheLineThatDrewTheDetections) {
  const Calibration true_line{0.2F, -3};
  std::vector<ScoredDetection> detections;
  for (int score = 0; score <= 40; ++score) {
    const int hits =
        static_cast<int>(std::lround(1000 * true_line.confidence(static_cast<float>(score))));
    add(detections, static_cast<float>(score), hits, 1000 - hits);
  }
  const Calibration fitted = fit_calibration(detections);
  EXPECT_NEAR(fitted.slope, true_line.slope, 1e-3);
  EXPECT_NEAR(fitted.offset, true_line.offset, 1e-2);
}

TEST(FitCalibration, IsFlatWhereScoresSayNothing) {
  std::vector<ScoredDetection> equal, falling;
  add(equal, 1, 30, 10);
  add(falling, 0, 9, 1);
  add(falling, 5, 1, 9);
  const Calibration even = fit_calibration(equal), odd = fit_calibration(falling);
  EXPECT_EQ(even.slope, 0);
  EXPECT_EQ(odd.slope, 0);
  EXPECT_NEAR(even.confidence(100), 0.75, 0.03);
  EXPECT_NEAR(odd.confidence(100), 0.5, 1e-6);
}

TEST(FitCalibration, HasAFiniteSlopeWhereScoresSeparatePeople) {
  std::vector<ScoredDetection> detections;
  add(detections, 300, 20, 0);
  add(detections, -4, 0, 20);
  const Calibration fitted = fit_calibration(detections);
  EXPECT_TRUE(std::isfinite(fitted.slope) && std::isfinite(fitted.offset));
  EXPECT_NEAR(fitted.confidence(300), 21.0 / 22, 1e-6);
  EXPECT_NEAR(fitted.confidence(-4), 1.0 / 22, 1e-6);
}

TEST(FitCalibration, RefusesWhatSaysNothing) {
  std::vector<ScoredDetection> people;
  add(people, 1, 3, 0);
  EXPECT_THAT(message_of<InvalidArgument>([&] { fit_calibration(people); }),
              HasSubstr("3 of 3 detections"));
  EXPECT_THROW(fit_calibration({}), InvalidArgument);
  add(people, std::numeric_limits<float>::infinity(), 0, 1);
  EXPECT_THAT(message_of<InvalidArgument>([&] { fit_calibration(people); }), HasSubstr("inf"));
}

TEST(Reliability, IsTheMeanDifferenceOfShareAndConfidence) {
  // Bin 2: confidence 0.25, share 0.5; bin 9: confidence 0.95 and 1, share 1.
  const std::vector<ConfidentDetection> detections{
      {0.25F, true}, {0.25F, false}, {0.95F, true}, {1, true}};
  const Reliability measured = measure_reliability(detections);
  EXPECT_EQ(measured.bins[2].detections, 2);
  EXPECT_EQ(measured.bins[2].hits, 1);
  EXPECT_EQ(measured.bins[9].detections, 2);
  EXPECT_NEAR(measured.bins[9].least, 0.9, 1e-12);
  EXPECT_NEAR(measured.bins[9].confidence, 0.975, 1e-6);
  EXPECT_NEAR(measured.error, (2 * 0.25 + 2 * 0.025) / 4, 1e-6);
  EXPECT_EQ(measure_reliability({}).error, 0);
  const std::vector<ConfidentDetection> wrong{{1.5F, true}};
  EXPECT_THAT(message_of<InvalidArgument>([&] { measure_reliability(wrong); }), HasSubstr("1.5"));
}

EvaluatedImage image_of(std::vector<std::pair<float, float>> places, float person) {
  EvaluatedImage image{.found = {}, .people = {{.box = {person, 0, 41, 100}}}};
  for (const auto& [x, score] : places)
    image.found.push_back({.box = {x, 0, 41, 100}, .window = {x, 0, 41, 100}, .score = score});
  return image;
}

TEST(Calibrated, CountsDetectionsAsTheEvaluationDoes) {
  std::vector<EvaluatedImage> images{image_of({{0, 9}, {200, 2}}, 0), image_of({{0, 8}}, 0),
                                     image_of({{300, 2}, {0, 2}}, 0)};
  images[1].people.push_back({.box = {300, 0, 41, 100}, .ignore = true});
  images[1].found.push_back({.box = {300, 0, 41, 100}, .window = {}, .score = 5});
  std::vector<ImageMatch> matches;
  for (const EvaluatedImage& image : images) matches.push_back(match_people(image));
  const Model model = calibrated(Model{}, images, matches);
  std::vector<ScoredDetection> expected;
  add(expected, 9, 1, 0);
  add(expected, 8, 1, 0);
  add(expected, 2, 1, 2);
  const Calibration fitted = fit_calibration(expected);
  ASSERT_TRUE(model.calibration);
  EXPECT_NEAR(model.calibration->slope, fitted.slope, 1e-6);
  EXPECT_NEAR(model.calibration->offset, fitted.offset, 1e-6);
  EXPECT_EQ(model.facts.at("calibration"),
            "5 detections with scores from 2 on, 3 of them people, in 3 images");
  EXPECT_FALSE(evaluate_images(images).reliability);
  for (EvaluatedImage& image : images)
    for (Detection& person : image.found)
      person.confidence = model.calibration->confidence(person.score);
  const ImageReport report = evaluate_images(images);
  ASSERT_TRUE(report.reliability);
  std::int64_t counted = 0;
  for (const ReliabilityBin& bin : report.reliability->bins) counted += bin.detections;
  EXPECT_EQ(counted, 5);
}

}  // namespace
}  // namespace fovea::people
