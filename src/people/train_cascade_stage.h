// One stage of a cascade: boosted block classifiers, and the linear score over many blocks that
// ranks what passes.
#pragma once
#include <vector>

#include "people/train_cascade_samples.h"

namespace fovea::people {

struct StageSamples {
  const SampleSums& positives;
  const SampleSums& negatives;
};

struct StageResult {
  CascadeStage stage;
  double pass_rate = 0;   // of the positives
  double false_rate = 1;  // of the negatives
};

// AdaBoost with graded votes (Schapire and Singer, 1999; with signs alone it is Freund and
// Schapire's): in each round `blocks_per_round` random blocks of the pool learn to tell the
// weighted samples apart and the one that does best joins, until the threshold that lets pass_rate
// of the positives pass holds up all but false_rate of the negatives.
StageResult train_stage(const StageSamples& samples, const std::vector<Block>& pool,
                        std::uint64_t stage, const CascadeTrainOptions& options, const Exec& exec);

// One linear classifier over all of `blocks`, divided among them; the first has the bias.
std::vector<BlockClassifier> train_ranking(const StageSamples& samples,
                                           const std::vector<Block>& blocks, double cost,
                                           const Exec& exec);

}  // namespace fovea::people
