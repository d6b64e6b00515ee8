// Covers: evaluate_match, evaluate_windows
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/evaluate.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/evaluate.h"
#include "support/files.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Detection found(float x, float score, float width = 41) {
  const Rect<float> box{x, 0, width, 100};
  return {.box = box, .window = box, .score = score};
}
Annotation person(float x, bool ignore = false) {
  return {.box = {x, 0, 41, 100}, .ignore = ignore};
}

std::vector<EvaluatedImage> random_images(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<EvaluatedImage> images(static_cast<std::size_t>(count));
  for (EvaluatedImage& image : images) {
    for (std::uint32_t i = random.below(4); i-- > 0;)
      image.people.push_back({.box = {random.uniform(0, 300), random.uniform(0, 50), 45, 100},
                              .ignore = random.below(5) == 0});
    for (const Annotation& one : image.people) {
      for (std::uint32_t i = random.below(3); i-- > 0;) {
        Detection near;
        near.score = 0.25F * static_cast<float>(random.below(12));
        near.box = {one.box.x + 15 * random.normal(), one.box.y + 15 * random.normal(), 40, 105};
        image.found.push_back(near);
      }
    }
    for (std::uint32_t i = random.below(3); i-- > 0;)
      image.found.push_back(
          found(random.uniform(0, 300), 0.25F * static_cast<float>(random.below(8))));
  }
  images[0].people.push_back(person(0));
  return images;
}

TEST(MatchPeople, TheBestScoreTakesThePerson) {
  // Two detections of one person: the surer one is the hit although it fits less.
  const EvaluatedImage image{{found(0, 1), found(8, 2)}, {person(0)}};
  const ImageMatch match = match_people(image);
  EXPECT_THAT(match.verdicts, ElementsAre(Verdict::kFalse, Verdict::kHit));
  EXPECT_THAT(match.found_by, ElementsAre(1));
}

TEST(MatchPeople, ADetectionTakesWhoItOverlapsMost) {
  const EvaluatedImage image{{found(10, 1)}, {person(0), person(12)}};
  EXPECT_THAT(match_people(image).found_by, ElementsAre(-1, 0));
}

TEST(MatchPeople, HalfOfTheUnionIsEnough) {
  // Boxes of 40 moved by a third: 2/3 of each in common, half of the union.
  const auto box = [](float x) {
    return Detection{.box = {x, 0, 30, 100}, .window = {x, 0, 30, 100}, .score = 1};
  };
  const std::vector<Annotation> people{{.box = {0, 0, 30, 100}}};
  const EvaluateOptions as_they_are{.match_aspect = 0};
  EXPECT_EQ(match_people({{box(10)}, people}, as_they_are).verdicts[0], Verdict::kHit);
  EXPECT_EQ(match_people({{box(10.1F)}, people}, as_they_are).verdicts[0], Verdict::kFalse);
}

TEST(MatchPeople, BoxesAreBroughtToOneAspect) {
  // Arms spread: the annotated box is twice as wide as the detection's.
  const EvaluatedImage image{{found(30, 1, 40)}, {{.box = {0, 0, 100, 100}}}};
  EXPECT_EQ(match_people(image).verdicts[0], Verdict::kHit);
  EXPECT_EQ(match_people(image, {.match_aspect = 0}).verdicts[0], Verdict::kFalse);
}

TEST(MatchPeople, IgnoredRegionsNeitherGainNorLose) {
  // A crowd swallows any number of detections by their own area; a person in it is found first.
  const EvaluatedImage image{{found(0, 3), found(100, 2), found(150, 1), found(400, 0)},
                             {{.box = {0, 0, 300, 100}, .ignore = true}, person(0)}};
  EXPECT_THAT(match_people(image).verdicts,
              ElementsAre(Verdict::kHit, Verdict::kIgnored, Verdict::kIgnored, Verdict::kFalse));
}

TEST(EvaluateImages, ClosedForm) {
  // Two images, four people. By score: hit, false, hit, false, hit.
  const std::vector<EvaluatedImage> images{
      {{found(0, 5), found(500, 4), found(100, 3)}, {person(0), person(100)}},
      {{found(500, 2), found(0, 1)}, {person(0), person(100)}}};
  const ImageReport result = evaluate_images(images);
  EXPECT_EQ(result.images, 2);
  EXPECT_EQ(result.people, 4);
  EXPECT_EQ(result.detections, 5);
  ASSERT_EQ(result.curve.size(), 5U);
  const double wrong[] = {0, 0.5, 0.5, 1, 1}, missed[] = {0.75, 0.75, 0.5, 0.5, 0.25};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(result.curve[i].false_positives, wrong[i]);
    EXPECT_EQ(result.curve[i].miss_rate, missed[i]);
  }
  // Half a false positive an image lies between the seventh point, 0.316, and the eighth, 0.562.
  EXPECT_THAT(result.miss_rates, ElementsAre(0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.5, 0.25));
  EXPECT_NEAR(result.log_average_miss_rate, std::pow(std::pow(0.75, 7) * 0.5 * 0.25, 1 / 9.0),
              1e-12);
  // Recall 1/4 at precision 1, 2/4 at 2/3, 3/4 at 3/5.
  EXPECT_NEAR(result.average_precision, 0.25 * (1 + 2.0 / 3 + 0.6), 1e-12);
  EXPECT_GT(result.deviation, 0);
  EXPECT_EQ(result.drawn.size(), 200U);
}

TEST(EvaluateImages, NothingFoundMissesAllAndACurveThatBeginsLateStartsAtOne) {
  const ImageReport nothing = evaluate_images(std::vector<EvaluatedImage>{{{}, {person(0)}}});
  EXPECT_EQ(nothing.log_average_miss_rate, 1);
  EXPECT_EQ(nothing.average_precision, 0);
  EXPECT_EQ(nothing.deviation, 0);
  // The surest detection is wrong: below one false positive an image nothing is found.
  const ImageReport late = evaluate_images(
      std::vector<EvaluatedImage>{{{found(500, 2), found(0, 1)}, {person(0), person(100)}}});
  EXPECT_THAT(late.miss_rates, ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 0.5));
}

TEST(EvaluateImages, EqualScoresAreOnePointWhateverTheirOrder) {
  const std::vector<EvaluatedImage> images{{{found(500, 1), found(0, 1)}, {person(0)}}};
  const std::vector<EvaluatedImage> turned{{{found(0, 1), found(500, 1)}, {person(0)}}};
  for (const auto& each : {images, turned}) {
    const ImageReport result = evaluate_images(each);
    ASSERT_EQ(result.curve.size(), 1U);
    EXPECT_EQ(result.curve[0].false_positives, 1);
    EXPECT_EQ(result.curve[0].miss_rate, 0);
  }
}

TEST(EvaluateImages, EqualsTheReference) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto images = random_images(25, seed);
    const ImageReport result = evaluate_images(images, {.draws = 0});
    EXPECT_NEAR(result.log_average_miss_rate, reference::log_average_miss_rate(images), 1e-12);
    for (const CurvePoint& point : result.curve) {
      const reference::Rates rates = reference::rates_from(images, point.threshold);
      EXPECT_NEAR(point.false_positives, rates.false_positives, 1e-12);
      EXPECT_NEAR(point.miss_rate, rates.miss_rate, 1e-12);
    }
    EXPECT_EQ(result.deviation, 0);
  }
}

TEST(EvaluateImages, TheDeviationIsThatOfTheMeanOverImages) {
  // One person an image, found or not, nothing wrong: the miss rate is a share of images p, whose
  // deviation is sqrt(p (1 - p) / n).
  std::vector<EvaluatedImage> images;
  for (int i = 0; i < 400; ++i) {
    images.push_back({{}, {person(0)}});
    if (i % 4 != 0) images.back().found.push_back(found(0, 1));
  }
  const ImageReport result = evaluate_images(images, {.draws = 2000});
  EXPECT_NEAR(result.log_average_miss_rate, 0.25, 1e-12);
  EXPECT_NEAR(result.deviation, std::sqrt(0.25 * 0.75 / 400), 0.002);
  const ImageReport again = evaluate_images(images, {.draws = 2000});
  EXPECT_EQ(result.drawn, again.drawn);
  EXPECT_EQ(paired_deviation(result, again), 0);
  EXPECT_NE(evaluate_images(images, {.draws = 2000, .exec = {.seed = 5}}).drawn, result.drawn);
  EXPECT_TRUE(std::isnan(paired_deviation(result, evaluate_images(images, {.draws = 0}))));
}

TEST(EvaluateImages, RefusesWhatCannotBeMeasured) {
  EXPECT_THAT(message_of<InvalidArgument>([] { evaluate_images({}); }), HasSubstr("no images"));
  const std::vector<EvaluatedImage> nobody{{{found(0, 1)}, {person(0, true)}}};
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_images(nobody); }),
              HasSubstr("nobody is marked in 1 image;"));
  const std::vector<EvaluatedImage> nan{{{found(0, kNaN)}, {person(0)}}};
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_images(nan); }), HasSubstr("nan"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_images(nobody, {.match_overlap = 2}); }),
              HasSubstr("match-overlap"));
}

TEST(EvaluateWindows, ClosedForm) {
  const std::vector<float> positives{3, 1, 2, -kInfinity};
  const std::vector<float> negatives{2.5F, 1, 0, -1, -kInfinity};
  const WindowReport result = evaluate_windows(positives, negatives);
  ASSERT_EQ(result.curve.size(), 3U);
  EXPECT_EQ(result.positives, 4);
  EXPECT_EQ(result.negatives, 5);
  EXPECT_EQ(result.miss_rate_at(0), 0.75);
  EXPECT_EQ(result.miss_rate_at(0.2), 0.5);
  EXPECT_EQ(result.miss_rate_at(0.39), 0.5);
  EXPECT_EQ(result.miss_rate_at(0.4), 0.25);
  EXPECT_EQ(result.miss_rate_at(1), 0.25) << "a rejected positive is found at no threshold";
  EXPECT_NEAR(result.deviation(0.5), 0.25, 1e-12);
}

TEST(EvaluateWindows, EqualsCountingAtEveryThreshold) {
  Random random(4);
  std::vector<float> positives(200), negatives(5000);
  for (float& score : positives) score = std::round(8 * (random.normal() + 2)) / 8;
  for (float& score : negatives) score = std::round(8 * random.normal()) / 8;
  const WindowReport result = evaluate_windows(positives, negatives);
  for (const double limit : {0.0, 1e-3, 1e-2, 0.1, 0.5, 1.0}) {
    double least = 1;
    for (const float threshold : positives) {
      const auto passing = [&](const std::vector<float>& scores) {
        return static_cast<double>(
            std::count_if(scores.begin(), scores.end(), [&](float s) { return s >= threshold; }));
      };
      if (passing(negatives) / 5000 <= limit) least = std::min(least, 1 - passing(positives) / 200);
    }
    EXPECT_NEAR(result.miss_rate_at(limit), least, 1e-12);
  }
}

TEST(EvaluateWindows, RefusesWhatCannotBeMeasured) {
  const std::vector<float> some{1}, bad{kNaN};
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_windows({}, some); }),
              HasSubstr("no scores of positives"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_windows(some, {}); }),
              HasSubstr("no scores of negatives"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_windows(some, bad); }), HasSubstr("NaN"));
}

}  // namespace
}  // namespace fovea::people
