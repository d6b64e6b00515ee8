#include "actions/train/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

TEST(Calibration, LateFusionNeedsAllPrototypesAndNoOtherFusion) {
  TrainOptions options;
  EXPECT_TRUE(fuses_late(options));
  EXPECT_EQ(kept_points(options), 0);  // all points
  options.fusion_points = 7;
  EXPECT_EQ(kept_points(options), 7);
  options.selection = Selection::kFloating;
  EXPECT_FALSE(fuses_late(options));
  EXPECT_EQ(kept_points(options), 120);  // those of the reject rule
  options = {};
  options.score.fusion = 1;
  EXPECT_FALSE(fuses_late(options));
  EXPECT_EQ(kept_points(options), 0);
  options = {};
  options.late_fusion = false;
  options.reject_points = 0;
  EXPECT_EQ(kept_points(options), -1);
  EXPECT_FALSE(fuses_late(paper_options()));
}

TEST(Calibration, LabelsAreThoseOfGroupsThatAreTrained) {
  const std::vector<std::int32_t> groups{-1, 2, 0};
  EXPECT_TRUE(has_label(groups, 2));
  EXPECT_FALSE(has_label(groups, 1));
}

TEST(Calibration, ModelsHaveWordsMachinesAndWeights) {
  const SyntheticCorpus set(3, 3, 16);
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  const Model model = train(set.corpus, set.points, options);
  ASSERT_TRUE(model.late_fusion.has_value());
  EXPECT_EQ(model.late_fusion->words.width(), kDescriptorSize);
  EXPECT_EQ(model.late_fusion->classifier.classes, 3);
  EXPECT_GT(std::ranges::max(model.late_fusion->weights), 0);
  EXPECT_GE(std::ranges::min(model.late_fusion->weights), 0);
  EXPECT_EQ(model.descriptors.height(), 9 * 16);
  // One person cannot be left out.
  const SyntheticCorpus alone(2, 1, 16);
  EXPECT_FALSE(train(alone.corpus, alone.points, options).late_fusion.has_value());
}

}  // namespace
}  // namespace fovea::actions
