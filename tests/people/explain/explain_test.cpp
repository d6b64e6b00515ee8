// Covers: explain_linear, explain_cascade, explain_trees, present, rejected, search
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "people/rejected.h"
#include "support/messages.h"

namespace fovea::people {
namespace {

using testing::HasSubstr;

// A light figure of this height on a noisy ground.
Image<std::uint8_t> figure(int width, int height, double x, double y, double tall) {
  Image<std::uint8_t> image(width, height, 3);
  Random random(7, 0);
  const double scale = tall / 104;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const double u = (column - x) / scale, v = (row - y) / scale;
      const bool head = std::hypot(u, v - 10) < 9;
      const bool body = std::abs(u) < 13 && v > 20 && v < 60;
      const bool legs = std::abs(std::abs(u) - 6) < 5 && v >= 60 && v < 104;
      for (int c = 0; c < 3; ++c)
        image.at(column, row, c) = static_cast<std::uint8_t>((head   ? 190 - 20 * c
                                                              : body ? 60 + 30 * c
                                                              : legs ? 30
                                                                     : 150) +
                                                             random.below(25));
    }
  return image;
}

double total(const Image<float>& heat) {
  double sum = 0;
  for (int y = 0; y < heat.height(); ++y)
    for (int x = 0; x < heat.width(); ++x) sum += static_cast<double>(heat.at(x, y));
  return sum;
}

// The score that the detector itself gives to a window.
float own_score(const Detector& detector, const Image<std::uint8_t>& image,
                const WindowExplanation& e) {
  ScanOptions scan = detector.options().scan;
  scan.stride = detector.model().stride;
  const ScanPlan plan = plan_scan({image.width(), image.height()}, detector.model().window(),
                                  detector.model().person_height, scan);
  std::size_t index = 0;
  for (int l = 0; l < e.level; ++l)
    index += static_cast<std::size_t>(plan.levels[l].columns) * plan.levels[l].rows;
  index += static_cast<std::size_t>(e.row) * plan.levels[e.level].columns + e.column;
  Detector again(std::make_shared<const Model>(detector.model()), detector.options());
  return again.scores(image).at(index);
}

class ExplainPeople : public testing::TestWithParam<const char*> {
 protected:
  Detector detector() const {
    DetectOptions options;
    options.scan.ratio = 1.25;
    options.exec = {.device = Device::cpu(), .threads = 1};
    return Detector(GetParam(), options);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, ExplainPeople,
                         testing::Values("hog", "hog-cells", "hog-integral", "cascade", "channels",
                                         "filtered"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ExplainPeople, SharesAddUpToTheScore) {
  const Detector finder = detector();
  const Image<std::uint8_t> image = figure(150, 160, 70, 20, 110);
  for (const auto& [x, y] :
       {std::pair(70.0, 70.0), std::pair(10.5, 140.0), std::pair(70.0, 30.0)}) {
    const WindowExplanation e = explain(finder, image, x, y);
    EXPECT_EQ(e.window.score, own_score(finder, image, e));
    EXPECT_LE(e.window.box.x, x);
    EXPECT_GT(e.window.box.bottom(), y);
    double sum = 0;
    for (const BlockShare& block : e.blocks) sum += block.value;
    for (const TreeShare& tree : e.trees) sum += tree.value;
    const double rounding = 1e-4 * (1 + std::abs(e.sum));
    EXPECT_NEAR(sum, e.sum, rounding);
    EXPECT_NEAR(total(e.heat), e.sum, rounding);
    if (e.outcome != Outcome::kRejected) {
      EXPECT_NEAR(e.sum - e.base, e.window.score, rounding);
    }
    const bool counts = e.outcome == Outcome::kPerson || e.outcome == Outcome::kFused;
    EXPECT_EQ(counts, e.window.score >= static_cast<float>(e.threshold));
    EXPECT_EQ(counts, e.missing == 0);
    const report::Explanation shown = present(e);
    double reasons = shown.rest;
    for (const report::Reason& reason : shown.reasons) reasons += reason.value;
    EXPECT_NEAR(reasons, shown.total, rounding);
    EXPECT_THAT(shown.summary, HasSubstr("window"));
  }
}

TEST_P(ExplainPeople, ThePlaceHasNoBetterWindow) {
  const Detector finder = detector();
  const Image<std::uint8_t> image = figure(150, 160, 70, 20, 110);
  const WindowExplanation e = explain(finder, image, 75, 60);
  ASSERT_FALSE(e.levels.empty());
  float best = e.levels.front().score;
  for (const LevelScore& level : e.levels) best = std::max(best, level.score);
  EXPECT_EQ(best, e.window.score);
  const WindowExplanation same = explain(finder, image, e.window.window);
  EXPECT_EQ(same.level, e.level);
  EXPECT_EQ(same.column, e.column);
  EXPECT_EQ(same.row, e.row);
  EXPECT_EQ(same.window.score, e.window.score);
  EXPECT_TRUE(same.levels.empty());
}

// A window in the middle of two of the search overlaps with both alike.
TEST_P(ExplainPeople, OfEqualOverlapsTheHighestScoreCounts) {
  const Detector finder = detector();
  const Image<std::uint8_t> image = figure(150, 160, 70, 20, 110);
  const WindowExplanation e = explain(finder, image, 75, 60);
  const Extent size = finder.model().window();
  const auto half = static_cast<float>(finder.model().stride) / 2;
  int found = 0;
  for (const LevelScore& level : e.levels) {
    if (level.window.width != static_cast<float>(size.width)) continue;
    ++found;
    for (const float aside : {-half, half}) {
      Rect<float> between = level.window;
      between.x += aside;
      EXPECT_EQ(explain(finder, image, between).window.score, level.score);
    }
  }
  EXPECT_EQ(found, 1);
}

TEST(ExplainPeopleRejected, ScoresSayHowFarWindowsCame) {
  constexpr int kSteps = 5;
  for (int passed = 0; passed < kSteps; ++passed) {
    EXPECT_EQ(trees_passed(kSteps, rejected_score(passed)), passed);
    for (const float margin : {-1e-3F, -2.0F, -500.0F})
      EXPECT_EQ(stages_passed(kSteps, cascade::rejected_score(kSteps - passed, margin)), passed);
  }
  for (const float score : {-49.0F, 0.0F, 12.0F}) {
    EXPECT_EQ(trees_passed(kSteps, score), kSteps);
    EXPECT_EQ(stages_passed(kSteps, score), kSteps);
  }
}

TEST(ExplainPeopleRejected, TheStepThatRejectsIsTheDetectors) {
  DetectOptions options;
  options.scan.ratio = 1.5;
  options.exec.device = Device::cpu();
  const Image<std::uint8_t> plain = figure(120, 150, -100, 20, 110);
  const Detector cascade("cascade", options);
  const WindowExplanation by_stage = explain(cascade, plain, 60, 75);
  ASSERT_EQ(by_stage.outcome, Outcome::kRejected);
  EXPECT_EQ(
      stages_passed(std::get<CascadeModel>(cascade.model().classifier), by_stage.window.score),
      static_cast<std::size_t>(by_stage.passed));
  EXPECT_EQ(by_stage.stages.size(), static_cast<std::size_t>(by_stage.passed) + 1);
  EXPECT_GT(by_stage.missing, 0);
  EXPECT_THAT(present(by_stage).summary, HasSubstr("rejected it"));
  const WindowExplanation by_tree = explain(Detector("channels", options), plain, 60, 75);
  ASSERT_EQ(by_tree.outcome, Outcome::kRejected);
  EXPECT_EQ(by_tree.window.score, -1e6F + static_cast<float>(by_tree.passed));
  EXPECT_NEAR(by_tree.trees.back().rejection - by_tree.sum, by_tree.missing, 1e-9);
}

// Places lie in the whole image, not in the part that is searched.
TEST(ExplainPeopleRegion, PlacesAreThoseOfTheImage) {
  DetectOptions options;
  options.exec.device = Device::cpu();
  options.scan.ratio = 1.3;
  const Image<std::uint8_t> image = figure(260, 220, 160, 70, 110);
  options.region = Rect<int>{90, 50, 150, 150};
  const WindowExplanation e = explain(Detector("channels", options), image, 160, 120);
  EXPECT_NEAR(e.window.box.x + e.window.box.width / 2, 160, e.window.box.width);
  EXPECT_THROW((void)explain(Detector("channels", options), image, 5, 5), InvalidArgument);
}

TEST(ExplainPeopleErrors, SayWhatIsWrong) {
  const Detector finder("hog-cells");
  const Image<std::uint8_t> image = figure(100, 140, 50, 10, 110);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { (void)explain(finder, image, 100, 3); }),
              HasSubstr("100,3 lies outside of the image of 100x140"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                (void)explain(finder, image, Rect<float>{900, 900, 10, 20});
              }),
              HasSubstr("overlaps with 900,900,10,20"));
  EXPECT_THROW((void)channel_name(10), InvalidArgument);
}

}  // namespace
}  // namespace fovea::people
