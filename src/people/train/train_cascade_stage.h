// One stage of a cascade: boosted block classifiers, and the linear score over many blocks that
// ranks what passes.
#pragma once
#include <vector>

#include "people/train/train_cascade_samples.h"

namespace fovea::people {

struct StageSamples {
  const SampleSums& positives;
  const SampleSums& negatives;
  const CascadeModel& before;  // the stages so far
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
                        const CascadeTrainOptions& options, const Exec& exec);

// Numbers of many blocks of many windows, a window a row: what the ranking learns from.
class RankingSamples {
 public:
  // Takes memory for `most` windows at once.
  RankingSamples(std::vector<Block> blocks, std::size_t most);
  const std::vector<Block>& blocks() const { return blocks_; }
  std::size_t width() const { return blocks_.size() * cascade::kNumbers; }
  std::size_t count() const { return numbers_.size() / width(); }
  void add(const SampleSums& samples, const Exec& exec);
  // Room for more windows; the number of the first.
  std::size_t grow(std::size_t count);
  // Several threads may call, each for windows of its own.
  void set(std::size_t window, const SampleSums& samples, std::size_t sample);
  ImageView<const float> view() const;

 private:
  std::vector<Block> blocks_;
  std::vector<cascade::BlockPlan> plans_;
  std::vector<float> numbers_;
};

// One linear classifier over all blocks, divided among them; the first has the bias. The first
// `positives` samples are such.
std::vector<BlockClassifier> train_ranking(const RankingSamples& samples, std::size_t positives,
                                           double cost, const Exec& exec);

}  // namespace fovea::people
