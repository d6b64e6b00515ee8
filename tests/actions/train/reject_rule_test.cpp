#include "actions/train/reject_rule.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>

#include "actions/infinity.h"

namespace fovea::actions {
namespace {

TEST(RejectRule, FeaturesAreDistancesAndRatiosToOtherClasses) {
  const std::vector<double> matching{4, 1, 2, kInfinity<double>}, singles{3, 8, 2, 2};
  const RejectFeatures features = reject_features({matching, singles}, 1);
  EXPECT_DOUBLE_EQ(features[0], 0);
  EXPECT_DOUBLE_EQ(features[1], (std::log(1.0 / 2) + std::log(1.0 / 3)) / 2);
  EXPECT_DOUBLE_EQ(features[2], std::log(8.0));
  EXPECT_DOUBLE_EQ(features[3],
                   (std::log(2.0 / 2) + std::log(2 / 2.5) + std::log(2 / (13.0 / 3))) / 3);
  const RejectFeatures bare = reject_features({matching, {}}, 1);
  EXPECT_EQ(bare[2], 0);
  EXPECT_EQ(bare[3], 0);
  // One class and a distance of 0 have finite features too.
  const RejectFeatures alone = reject_features({std::vector<double>{0}, {}}, 0);
  EXPECT_TRUE(std::isfinite(alone[0]));
  EXPECT_EQ(alone[1], 0);
}

// A clip is about 1 from its own class and about 2 from others; some are far from everything.
std::vector<RejectClip> drawn_clips(int of_each, int classes, bool singles) {
  Random random(5);
  std::vector<RejectClip> clips;
  for (int label = 0; label < classes; ++label)
    for (int i = 0; i < of_each; ++i) {
      RejectClip clip;
      clip.label = label;
      const double far = 1 + random.uniform();
      for (int c = 0; c < classes; ++c) {
        clip.matching.push_back(far * ((c == label ? 1 : 2) + 0.2 * random.uniform()));
        if (singles) clip.singles.push_back((c == label ? 1 : 1.5) + 0.2 * random.uniform());
      }
      clips.push_back(std::move(clip));
    }
  return clips;
}

TEST(RejectRule, TellsUnknownClipsAndLosesTheShareThatWasAskedFor) {
  for (const bool singles : {false, true}) {
    const std::vector<RejectClip> clips = drawn_clips(20, 5, singles);
    const auto rule = learn_reject_rule(clips, 0.1);
    ASSERT_TRUE(rule.has_value());
    EXPECT_EQ(rule->singles, singles);
    int kept = 0, unknown_kept = 0;
    for (const RejectClip& clip : clips) {
      kept += allowance(*rule, {clip.matching, clip.singles}, clip.label) >= 1 ? 1 : 0;
      RejectClip other = clip;
      other.matching[static_cast<std::size_t>(clip.label)] = kInfinity<double>;
      if (singles) other.singles[static_cast<std::size_t>(clip.label)] = kInfinity<double>;
      const int nearest = static_cast<int>(
          std::min_element(other.matching.begin(), other.matching.end()) - other.matching.begin());
      unknown_kept += allowance(*rule, {other.matching, other.singles}, nearest) >= 1 ? 1 : 0;
    }
    EXPECT_EQ(kept, 90);
    EXPECT_LE(unknown_kept, 5);
  }
}

// Where the known and the unknown overlap, single descriptors that say nothing do harm.
TEST(RejectRule, FeaturesThatDoNotHelpAreLeftOut) {
  std::vector<RejectClip> clips = drawn_clips(12, 5, true);
  Random random(9);
  for (RejectClip& clip : clips)
    for (std::size_t c = 0; c < 5; ++c) {
      const bool own = clip.label == static_cast<std::int32_t>(c);
      clip.matching[c] = (own ? 1 : 1.3) + 0.5 * random.uniform();
      clip.singles[c] = 1 + random.uniform();
    }
  const auto rule = learn_reject_rule(clips, 0.1);
  ASSERT_TRUE(rule.has_value());
  EXPECT_GT(rule->weights[0], 0);
  EXPECT_EQ(rule->weights[3], 0);
}

TEST(RejectRule, AClipWithoutPointsIsNotKnown) {
  const auto rule = learn_reject_rule(drawn_clips(20, 4, true), 0.1);
  ASSERT_TRUE(rule.has_value());
  const std::vector<double> matching{1, 2, 2, 2}, none(4, kInfinity<double>);
  EXPECT_EQ(allowance(*rule, {matching, none}, 0), 0);
  EXPECT_EQ(allowance(*rule, {matching, {}}, 0), 0);
}

TEST(RejectRule, NeedsThreeClasses) {
  EXPECT_FALSE(learn_reject_rule(drawn_clips(4, 2, false), 0.1).has_value());
  EXPECT_FALSE(learn_reject_rule({}, 0.1).has_value());
}

}  // namespace
}  // namespace fovea::actions
