// Covers: train_table
#include "actions/train/train.h"

#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "support/files.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

TrainOptions quick_options() {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  return options;
}

TEST(Train, CutsPrototypesFromFramesWithPoints) {
  const PointSet clip = synthetic_points(0, 0, 25);
  const auto cut = cut_prototypes(clip, 2, 7, {.nodes = 10, .step = 8, .mirror = true});
  ASSERT_EQ(cut.size(), 4U);
  EXPECT_EQ(cut[2].first, 8);
  EXPECT_EQ(cut[3].mirrored, true);
  EXPECT_EQ(cut[3].clip, 7);
  EXPECT_EQ(cut_prototypes(clip, 0, 0, {.nodes = 40, .step = 8, .mirror = false}).size(), 1U);
  EXPECT_EQ(cut_prototypes(clip, 0, 0, {.nodes = 40, .step = 8, .mirror = false})[0].nodes, 25);
  EXPECT_TRUE(cut_prototypes(clip, 0, 0, {.nodes = 60, .step = 8}).empty());
}

TEST(Train, TellsSubjectsItHasNotSeen) {
  const SyntheticCorpus set(3, 3, 30);
  const Model model = train(set.corpus, set.points, quick_options());
  std::vector<PointSet> fresh;
  for (int label = 0; label < 3; ++label) fresh.push_back(synthetic_points(label, 9, 24));
  fresh.push_back(synthetic_points(7, 9, 24));  // none of them
  fresh.emplace_back();
  fresh.back().frames = 20;  // no points: dummies only
  const std::vector<ClipClass> found = classify_clips(model, fresh);
  for (int label = 0; label < 3; ++label) {
    EXPECT_EQ(found[static_cast<std::size_t>(label)].nearest, label);
    EXPECT_EQ(found[static_cast<std::size_t>(label)].label, label);
    EXPECT_GT(found[static_cast<std::size_t>(label)].margin, 0);
  }
  EXPECT_EQ(found[3].label, -1);
  EXPECT_GE(found[3].nearest, 0);
  EXPECT_EQ(found[4].label, -1);
}

TEST(Train, SymmetryAndFusionTellThemToo) {
  const SyntheticCorpus set(3, 3, 30);
  TrainOptions options = quick_options();
  options.score.symmetric = true;
  options.score.fusion = 1;
  const Model model = train(set.corpus, set.points, options);
  EXPECT_EQ(model.descriptors.height(), 9 * 30);
  std::vector<PointSet> fresh;
  for (int label = 0; label < 3; ++label) fresh.push_back(synthetic_points(label, 9, 24));
  const std::vector<ClipClass> found = classify_clips(model, fresh);
  for (int label = 0; label < 3; ++label)
    EXPECT_EQ(found[static_cast<std::size_t>(label)].nearest, label);
}

TEST(Train, AModelFromAFileTellsTheSameToTheBit) {
  const test::TempFolder folder;
  const SyntheticCorpus set(2, 2, 20);
  TrainOptions options = quick_options();
  std::vector<PointSet> fresh;
  fresh.push_back(synthetic_points(1, 5, 20));
  for (const double fusion : {0.5, 0.0}) {
    options.score.fusion = fusion;
    const Model model = train(set.corpus, set.points, options);
    EXPECT_EQ(model.late_fusion.has_value(), fusion == 0);
    model.write(folder / "m.safetensors");
    const ClipClass now = classify_clips(model, fresh)[0];
    const ClipClass back = classify_clips(Model::read(folder / "m.safetensors"), fresh)[0];
    EXPECT_EQ(now.distances, back.distances);
    EXPECT_EQ(now.label, back.label);
  }
}

TEST(Train, FloatingSelectionKeepsFewAndTheirClips) {
  const SyntheticCorpus set(3, 4, 30);
  TrainOptions options = quick_options();
  options.selection = Selection::kFloating;
  options.prototypes = 6;
  const Model model = train(set.corpus, set.points, options);
  EXPECT_LE(model.prototypes.size(), 6U);
  EXPECT_GE(model.prototypes.size(), 3U);
  EXPECT_LE(model.clips.size(), model.prototypes.size());
  std::vector<PointSet> fresh;
  for (int label = 0; label < 3; ++label) fresh.push_back(synthetic_points(label, 9, 24));
  const std::vector<ClipClass> found = classify_clips(model, fresh);
  for (int label = 0; label < 3; ++label)
    EXPECT_EQ(found[static_cast<std::size_t>(label)].nearest, label);
}

TEST(Train, IsTheSameForAnyNumberOfThreads) {
  const test::TempFolder folder;
  const SyntheticCorpus set(2, 3, 20);
  for (const int threads : {1, 3}) {
    TrainOptions options = quick_options();
    options.exec.threads = threads;
    train(set.corpus, set.points, options)
        .write(folder / (std::to_string(threads) + ".safetensors"));
  }
  EXPECT_EQ(test::load(folder / "1.safetensors"), test::load(folder / "3.safetensors"));
}

// Models with several points per frame are trained, stored and used like others.
TEST(Train, SeveralPointsPerFrame) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const test::TempFolder folder;
  const SyntheticCorpus set(3, 3, 24, 4);
  std::vector<PointSet> fresh;
  for (int label = 0; label < 3; ++label) fresh.push_back(synthetic_points(label, 9, 20, 4));
  for (const Variant variant : {Variant::kChains, Variant::kGreedy}) {
    TrainOptions options = quick_options();
    options.cut.points = options.scene_points = 3;
    options.cut.variant = variant;
    const Model model = train(set.corpus, set.points, options);
    EXPECT_EQ(model.clips[0].points.size(), 3U * 24U);
    EXPECT_EQ(model.chain(0).size(), 3 * 8);
    EXPECT_EQ(model.prototypes[0].nodes, 8);
    const std::vector<ClipClass> found = classify_clips(model, fresh);
    for (int label = 0; label < 3; ++label)
      EXPECT_EQ(found[static_cast<std::size_t>(label)].label, label);
    model.write(folder / "m.safetensors");
    const Model back = Model::read(folder / "m.safetensors");
    EXPECT_EQ(back.cut.points, 3);
    EXPECT_EQ(back.cut.variant, variant);
    EXPECT_EQ(classify_clips(back, fresh)[1].distances, found[1].distances);
    options.exec.threads = 3;
    train(set.corpus, set.points, options).write(folder / "3.safetensors");
    options.exec.threads = 1;
    train(set.corpus, set.points, options).write(folder / "1.safetensors");
    EXPECT_EQ(test::load(folder / "1.safetensors"), test::load(folder / "3.safetensors"));
  }
}

TEST(Train, SeveralPointsNeedAVariant) {
  const SyntheticCorpus set(2, 2, 20);
  TrainOptions options = quick_options();
  options.cut.points = 2;
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(set.corpus, set.points, options); }),
              HasSubstr("2 points per frame of a model, but the variant single has one"));
}

TEST(Train, WhatCannotBeTrainedOnIsNamed) {
  SyntheticCorpus set(2, 2, 20);
  set.points[3] = synthetic_points(1, 1, 2);
  set.points[2] = synthetic_points(1, 0, 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(set.corpus, set.points, quick_options()); }),
              HasSubstr("no clip of class action1 has points in 4 frames"));
  set.points.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(set.corpus, set.points, quick_options()); }),
              HasSubstr("points of 3 clips for a corpus of 4"));
  SyntheticCorpus alone(2, 1, 20);
  TrainOptions floating = quick_options();
  floating.selection = Selection::kFloating;
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(alone.corpus, alone.points, floating); }),
              HasSubstr("there is only 1"));
}

TEST(Train, RejectLevelsLoseTheShareThatWasAskedFor) {
  // Two prototypes, each at 1 from its own clips and at 3 and 5 from others; one own clip at 2:
  // half of the usual 4.
  Image<float> distances(2, 8);
  const std::vector<std::int32_t> labels{0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<int> clip_subjects(8, 1), prototype_subjects(2, 0);
  for (int y = 0; y < 8; ++y) {
    const int own = y / 4;
    distances.at(own, y) = y == 3 ? 2.0F : 1.0F;
    distances.at(1 - own, y) = y % 2 == 0 ? 3.0F : 5.0F;
  }
  std::vector<Prototype> prototypes{{0, 0, 0, 5, false, 0}, {1, 1, 0, 5, false, 0}};
  set_reject_levels({distances.view(), labels, clip_subjects, prototype_subjects, 0}, prototypes);
  EXPECT_FLOAT_EQ(prototypes[0].reject, 2);
  EXPECT_FLOAT_EQ(prototypes[1].reject, 2);
  set_reject_levels({distances.view(), labels, clip_subjects, prototype_subjects, 0.125},
                    prototypes);
  EXPECT_FLOAT_EQ(prototypes[0].reject, 1);
}

TEST(Train, ThePaperHasItsOwnOptions) {
  const TrainOptions paper = paper_options();
  EXPECT_EQ(paper.cut.nodes, 30);
  EXPECT_FALSE(paper.match.dummies);
  EXPECT_FALSE(paper.cut.mirror);
  EXPECT_FALSE(paper.features.square_root);
  EXPECT_EQ(paper.features.scale, 1);
  EXPECT_EQ(paper.match.window, 10);
  EXPECT_EQ(paper.score.best, 1);
  EXPECT_EQ(paper.scene_points, 0);
  EXPECT_EQ(paper.selection, Selection::kFloating);
  EXPECT_EQ(paper.prototypes, 50);
  EXPECT_EQ(paper.score.score, Score::kAppearance);
  EXPECT_EQ(paper.points.harris.threshold, 1e-9);
  EXPECT_NO_THROW(check_options(paper));
}

}  // namespace
}  // namespace fovea::actions
