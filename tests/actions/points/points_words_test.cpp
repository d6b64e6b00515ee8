#include "actions/points/points_words.h"

#include <gmock/gmock.h>

namespace fovea::actions {
namespace {

using testing::HasSubstr;
using testing::Not;

PointOptions of_a_model() {
  PointOptions options;
  options.harris.threshold = 1e-11;
  options.harris.space_weight = 1;
  options.votes = FlowVotes::kMagnitude;
  return options;
}

PointSet found_by(const PointOptions& options) {
  PointSet points;
  points.detector = options.detector;
  points.votes = options.votes;
  points.found_with = point_words(options);
  return points;
}

TEST(PointsWords, AreTheOptionsThatPointsDependOn) {
  const std::string words = point_words(of_a_model());
  EXPECT_THAT(words, HasSubstr("--harris-threshold 1e-11 --harris-space-weight 1 "));
  EXPECT_THAT(words, HasSubstr("--most-per-frame 0"));
  EXPECT_THAT(words, Not(HasSubstr("periodic")));
  EXPECT_THAT(words, Not(HasSubstr("block")));
  EXPECT_THAT(point_words({.detector = PointDetector::kPeriodic}), HasSubstr("--periodic-tau 2.5"));
}

TEST(PointsWords, SayWhyPointsCannotBeComparedAndHowToMakeOthers) {
  const PointOptions wanted = of_a_model();
  EXPECT_EQ(why_not_comparable(found_by(wanted), wanted), "");
  PointOptions other = wanted;
  other.block = 3;  // which changes no point
  other.periodic.tau = 7;
  EXPECT_EQ(why_not_comparable(found_by(other), wanted), "");
  other.harris.space_weight = 4;
  const std::string why = why_not_comparable(found_by(other), wanted);
  EXPECT_THAT(why, HasSubstr("found with --harris-space-weight 4; expected those of "
                             "--harris-space-weight 1,"));
  EXPECT_THAT(why, HasSubstr("fovea actions points VIDEO -o FILE.txt --harris-threshold 1e-11 "
                             "--harris-space-weight 1 --votes magnitude"));
  PointSet foreign = found_by(other);
  foreign.found_with.clear();  // as of another program
  EXPECT_EQ(why_not_comparable(foreign, wanted), "");
  PointSet damaged = found_by(wanted);
  damaged.found_with = "--harris-k";
  EXPECT_THAT(why_not_comparable(damaged, wanted), HasSubstr("expected those of"));
}

TEST(PointsWords, OfSelectedPointsAreThoseOfADetectorThatKeepsAsMany) {
  PointOptions few = of_a_model();
  few.most_per_frame = 2;
  const std::string all = point_words(of_a_model());
  EXPECT_EQ(words_of_selected(all, {.most_per_frame = 2}), point_words(few));
  EXPECT_EQ(words_of_selected(point_words(few), {.most_per_frame = 5}), point_words(few));
  EXPECT_EQ(words_of_selected(all, {}), all);
  EXPECT_EQ(words_of_selected("", {.most_per_frame = 2}), "");
  EXPECT_THAT(words_of_selected(all, {.least_confidence = 0.5}),
              HasSubstr("--least-confidence 0.5"));
}

}  // namespace
}  // namespace fovea::actions
