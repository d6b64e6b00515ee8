// One stage of a cascade: boosted block classifiers, and the linear score over many blocks that
// ranks the windows that pass.
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
  double pass_rate = 0;   // share of the positives that pass
  double false_rate = 1;  // share of the negatives that pass
};

// AdaBoost with graded votes (Schapire and Singer, 1999; with signs alone it is that of Freund and
// Schapire). In each round `blocks_per_round` random blocks of the pool learn to separate the
// weighted samples, and the best one joins the stage. Rounds end when the threshold that lets
// pass_rate of the positives pass lets at most false_rate of the negatives pass.
StageResult train_stage(const StageSamples& samples, const std::vector<Block>& pool,
                        const CascadeTrainOptions& options, const Exec& exec);

// The numbers of many blocks of many windows, one window per row, from which the ranking learns.
class RankingSamples {
 public:
  // Allocates memory for `most` windows at once.
  RankingSamples(std::vector<Block> blocks, std::size_t most);
  const std::vector<Block>& blocks() const { return blocks_; }
  std::size_t width() const { return blocks_.size() * cascade::kNumbers; }
  std::size_t count() const { return numbers_.size() / width(); }
  void add(const SampleSums& samples, const Exec& exec);
  // Adds rows for more windows and returns the number of the first.
  std::size_t grow(std::size_t count);
  // May be called by several threads, each for windows of its own.
  void set(std::size_t window, const SampleSums& samples, std::size_t sample);
  ImageView<const float> view() const;

 private:
  std::vector<Block> blocks_;
  std::vector<cascade::BlockPlan> plans_;
  std::vector<float> numbers_;
};

// One linear classifier over all blocks, divided among them; the first one has the bias. The first
// `positives` samples are positive.
std::vector<BlockClassifier> train_ranking(const RankingSamples& samples, std::size_t positives,
                                           double cost, const Exec& exec);

}  // namespace fovea::people
