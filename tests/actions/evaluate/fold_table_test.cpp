// Compares what is kept of matches with the table of all prototypes and clips.
#include "actions/evaluate/fold_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/evaluate/score.h"
#include "actions/synthetic.h"
#include "actions/train/train.h"
#include "actions/train/train_table.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;

TEST(LeastDistances, KeepsTheLeastInOrder) {
  LeastDistances<float> least(2, 2, 3);
  for (const float value : {5.0F, 1.0F, 4.0F, 2.0F, kInfinity<float>, 9.0F}) least.add(1, 0, value);
  least.add(1, 1, 7);
  EXPECT_THAT(least.get(1, 0), ElementsAre(1, 2, 4));
  EXPECT_THAT(least.get(1, 1), ElementsAre(7, kInfinity<float>, kInfinity<float>));
}

TrainOptions table_options() {
  TrainOptions options;
  options.features.scale = 2;
  options.cut.nodes = 8;
  options.cut.step = 4;
  return options;
}

// The distances of one clip to classes, from a table of everything.
struct WholeTable {
  WholeTable(const SyntheticCorpus& set, const TrainOptions& options) : set(set) {
    std::vector<Chain> chains;
    std::vector<Prototype> prototypes;
    std::vector<Scene> scenes;
    const ClipSource source(set.points);
    for (int clip = 0; clip < source.size(); ++clip) {
      const PointSet salient = salient_of(source, clip);
      const auto label = set.corpus.clips[static_cast<std::size_t>(clip)].label;
      for (const Prototype& prototype : cut_prototypes(salient, label, clip, options.cut)) {
        chains.push_back(make_chain(salient, prototype, options.features));
        prototypes.push_back(prototype);
      }
      scenes.push_back(clip_scene(set.points[static_cast<std::size_t>(clip)], options.scene_points,
                                  options.features));
    }
    columns = columns_by_clip(prototypes, source.size());
    table = match_all(chains, prototypes, scenes, options.match, {});
  }

  std::vector<double> distances(int clip, const std::vector<int>& train,
                                const ScoreOptions& score) const {
    const auto values = table.values(score.score);
    const auto classes = static_cast<int>(set.corpus.classes.size());
    std::vector<int> chosen;
    std::vector<double> between;
    std::vector<std::int32_t> labels;
    for (const int other : train) {
      const ClipColumns& own = columns[static_cast<std::size_t>(other)];
      chosen.insert(chosen.end(), own.plain.begin(), own.plain.end());
      chosen.insert(chosen.end(), own.mirrored.begin(), own.mirrored.end());
      between.push_back(symmetric_distance(
          clip_distance(row_of(values, clip), own),
          clip_distance(row_of(values, other), columns[static_cast<std::size_t>(clip)])));
      labels.push_back(set.corpus.clips[static_cast<std::size_t>(other)].label);
    }
    if (score.symmetric) return nearest_clips(between, labels, classes, score.best);
    return nearest_prototypes(row_of(values, clip), chosen, table.prototypes, classes, score.best)
        .distances;
  }

  const SyntheticCorpus& set;
  std::vector<ClipColumns> columns;
  ScoreTable table;
};

void expect_same(const SyntheticCorpus& set, const std::vector<Fold>& folds) {
  const TrainOptions options = table_options();
  const WholeTable whole(set, options);
  const FoldJobs jobs(set.corpus, folds, true);
  const FoldTable table(ClipSource(set.points), jobs, options, {5, 3}, {});
  for (const bool symmetric : {false, true})
    for (const Score score : {Score::kEnergy, Score::kAppearance})
      for (std::size_t job = 0; job < jobs.jobs().size(); ++job)
        for (const int clip : jobs.jobs()[job].test) {
          const ScoreOptions how{.score = score, .best = 3, .symmetric = symmetric};
          EXPECT_EQ(table.distances(clip, jobs.labels(static_cast<int>(job)), how,
                                    static_cast<int>(set.corpus.classes.size())),
                    whole.distances(clip, jobs.jobs()[job].train, how));
        }
}

TEST(FoldTable, IsTheTableOfAllPrototypesWhereSubjectsAreLeftOut) {
  const SyntheticCorpus set(2, 4, 20);
  expect_same(set, leave_one_subject_out(set.corpus));
}

TEST(FoldTable, IsTheTableOfAllPrototypesInASplit) {
  const SyntheticCorpus set(2, 4, 20);
  expect_same(set, {{"split", {0, 1, 4, 5}, {3, 7}, {2, 6}}});
}

// More clips than are matched at a time.
TEST(FoldTable, BlocksDoNotChangeIt) {
  const SyntheticCorpus set(2, 35, 8);
  expect_same(set, {leave_one_subject_out(set.corpus)[0]});
}

}  // namespace
}  // namespace fovea::actions
