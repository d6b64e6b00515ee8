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
  EXPECT_FALSE(model.facts.contains("late_fusion"));
}

TEST(Calibration, ModelsWithoutLateFusionSayWhyAndKeepWhatTheyCompare) {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  // One person cannot be left out: there is no rule either.
  const SyntheticCorpus alone(2, 1, 16);
  const Model one = train(alone.corpus, alone.points, options);
  EXPECT_FALSE(one.late_fusion.has_value());
  EXPECT_FALSE(one.reject_rule.has_value());
  EXPECT_EQ(one.descriptors.height(), 0);
  EXPECT_TRUE(one.descriptor_labels.empty());
  EXPECT_EQ(one.facts.at("late_fusion"), "none (one subject)");
  // Fusion with a fixed weight compares them whoever is left out.
  options.score.fusion = 1;
  const Model fixed = train(alone.corpus, alone.points, options);
  EXPECT_EQ(fixed.descriptors.height(), 2 * 16);
  EXPECT_EQ(fixed.facts.at("late_fusion"), "none (fusion with a fixed weight)");
}

TEST(Calibration, WithoutWordsOfAClassTheRuleIsThatOfNoLateFusion) {
  SyntheticCorpus set(2, 2, 16);
  set.corpus.classes.emplace_back("unseen");
  const ClipSource clips{std::span<const PointSet>(set.points)};
  const std::vector<std::int32_t> labels{0, 0, 1, 1};
  const std::vector<int> all{0, 1, 2, 3};
  for (const Clip& clip : set.corpus.clips)
    ASSERT_EQ(clip.label, labels[static_cast<std::size_t>(&clip - set.corpus.clips.data())]);
  TrainOptions options;
  options.features.scale = 1;
  options.cut.nodes = 8;
  options.cut.step = 6;
  options.reject_points = 5;
  const auto learned = [&] {
    const ClipTask task{clips, labels, options, options.exec};
    const std::vector<Prototype> prototypes = cut_clips(task, all);
    const Image<float> scores = clip_table(task, prototypes, all);
    return calibrate({set.corpus, task, prototypes, all, scores});
  };
  const Calibration asked = learned();
  EXPECT_FALSE(asked.fusion.has_value());
  EXPECT_EQ(asked.points, 5);
  options.late_fusion = false;
  const Calibration plain = learned();
  EXPECT_EQ(plain.points, 5);
  ASSERT_EQ(asked.rule.has_value(), plain.rule.has_value());
  if (!plain.rule) return;
  EXPECT_EQ(asked.rule->weights, plain.rule->weights);
  EXPECT_EQ(asked.rule->limit, plain.rule->limit);
}

}  // namespace
}  // namespace fovea::actions
