// Boosting of a stage. The blocks of a round are independent and share the cores; each classifier
// is trained by one thread, so that the result does not depend on the number of threads.
#include "people/train/train_cascade_stage.h"

#include <fovea/ops/linear_svm.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace fovea::people {
namespace {

constexpr int kMostLearners = 200;  // classifiers per stage
constexpr double kTolerance = 0.1;  // tolerance of a block's classifier; boosting makes up for it
constexpr int kMostPasses = 30;
constexpr double kLeastError = 1e-4;  // keeps votes finite
constexpr float kSlack =
    1e-4F;  // subtracted from the threshold, because the scanner rounds differently

struct Candidate {
  BlockClassifier classifier;
  double correlation = -1;  // correlation of votes, from -1 to 1, with labels under the weights
};

// Positives come first.
class Boosting {
 public:
  Boosting(const StageSamples& samples, const CascadeTrainOptions& options, const Exec& exec)
      : samples_(samples),
        options_(options),
        exec_(exec),
        positives_(samples.positives.count()),
        count_(positives_ + samples.negatives.count()),
        labels_(count_, -1),
        weights_(count_),
        sums_(count_, 0.0F) {
    std::fill_n(labels_.begin(), positives_, static_cast<std::int8_t>(1));
    if (samples.before.chained)
      for (const CascadeStage& stage : samples.before.stages)
        for (const BlockClassifier& c : stage.classifiers) add_votes(c);
    balance();
  }

  Candidate train(const Block& block) const {
    const auto features = static_cast<std::size_t>(cascade::kNumbers);
    std::vector<float> all(count_ * features);
    const cascade::BlockPlan geometry = cascade::block_geometry(block);
    for (std::size_t i = 0; i < count_; ++i) numbers(i, geometry, all.data() + i * features);
    std::vector<float> costs(count_);
    for (std::size_t i = 0; i < count_; ++i)
      costs[i] = static_cast<float>(weights_[i] * static_cast<double>(count_));
    const auto view =
        packed_view<const float>(all.data(), cascade::kNumbers, static_cast<int>(count_));
    LinearSvmOptions svm;
    svm.cost = options_.cost;
    svm.tolerance = kTolerance;
    svm.max_passes = kMostPasses;
    svm.exec = {.device = Device::cpu(), .threads = 1, .seed = exec_.seed};
    LinearSvm machine = train_linear_svm(view, labels_, costs, svm);
    Candidate candidate;
    candidate.correlation = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const float vote = cascade::block_vote(
          margin(machine.weights.data(), machine.bias, all.data() + i * features), 1.0F,
          options_.graded);
      candidate.correlation += weights_[i] * labels_[i] * vote;
    }
    candidate.classifier.block = block;
    candidate.classifier.weights = std::move(machine.weights);
    candidate.classifier.bias = machine.bias;
    return candidate;
  }

  // The classifier joins with the vote that AdaBoost gives it.
  void join(Candidate candidate, CascadeStage& stage) {
    const double r = std::clamp(candidate.correlation, -1 + 2 * kLeastError, 1 - 2 * kLeastError);
    BlockClassifier& own = candidate.classifier;
    own.vote = static_cast<float>(0.5 * std::log((1 + r) / (1 - r)));
    const cascade::BlockPlan geometry = cascade::block_geometry(own.block);
    float block[cascade::kNumbers];
    double total = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      // Computed again, because the votes of all competing blocks would take too much memory.
      numbers(i, geometry, block);
      const float vote = own.vote * cascade::block_vote(margin(own.weights.data(), own.bias, block),
                                                        1.0F, options_.graded);
      sums_[i] += vote;
      weights_[i] *= std::exp(-labels_[i] * static_cast<double>(vote));
      total += weights_[i];
    }
    for (double& weight : weights_) weight /= total;
    stage.classifiers.push_back(std::move(candidate.classifier));
  }

  // The highest threshold that lets enough positives pass, and what else it lets pass.
  void measure(StageResult& result) const {
    std::vector<float> sorted(sums_.begin(),
                              sums_.begin() + static_cast<std::ptrdiff_t>(positives_));
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const auto needed =
        static_cast<std::size_t>(std::ceil(options_.pass_rate * static_cast<double>(positives_)));
    const float threshold = sorted[std::clamp<std::size_t>(needed, 1, positives_) - 1] - kSlack;
    const auto passing = [&](std::size_t begin, std::size_t end) {
      std::size_t passed = 0;
      for (std::size_t i = begin; i < end; ++i) passed += sums_[i] >= threshold ? 1 : 0;
      return static_cast<double>(passed) / static_cast<double>(end - begin);
    };
    result.stage.threshold = threshold;
    result.pass_rate = passing(0, positives_);
    result.false_rate = passing(positives_, count_);
  }

 private:
  void numbers(std::size_t i, const cascade::BlockPlan& geometry, float* out) const {
    if (i < positives_) samples_.positives.numbers(i, geometry, out);
    else samples_.negatives.numbers(i - positives_, geometry, out);
  }
  static float margin(const float* weights, float bias, const float* numbers) {
    float sum = bias;
    for (int k = 0; k < cascade::kNumbers; ++k) sum += weights[k] * numbers[k];
    return sum;
  }

  // A classifier of an earlier stage.
  void add_votes(const BlockClassifier& c) {
    const cascade::BlockPlan geometry = cascade::block_geometry(c.block);
    float own[cascade::kNumbers];
    for (std::size_t i = 0; i < count_; ++i) {
      numbers(i, geometry, own);
      sums_[i] += cascade::block_vote(margin(c.weights.data(), c.bias, own), c.vote,
                                      samples_.before.graded);
    }
  }

  // Positives and negatives have the same total weight; within each, weights follow from the votes
  // so far.
  void balance() {
    double totals[2] = {0, 0};
    for (std::size_t i = 0; i < count_; ++i) {
      weights_[i] = std::exp(-labels_[i] * static_cast<double>(sums_[i]));
      totals[labels_[i] > 0 ? 1 : 0] += weights_[i];
    }
    for (std::size_t i = 0; i < count_; ++i) weights_[i] *= 0.5 / totals[labels_[i] > 0 ? 1 : 0];
  }

  StageSamples samples_;
  const CascadeTrainOptions& options_;
  const Exec& exec_;
  std::size_t positives_;
  std::size_t count_;
  std::vector<std::int8_t> labels_;
  std::vector<double> weights_;
  std::vector<float> sums_;
};

std::vector<Block> random_blocks(std::vector<Block> pool, int count, Random& random) {
  const std::size_t wanted = std::min(pool.size(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(pool[i], pool[i + random.below(static_cast<std::uint32_t>(pool.size() - i))]);
  pool.resize(wanted);
  return pool;
}

}  // namespace

StageResult train_stage(const StageSamples& samples, const std::vector<Block>& pool,
                        const CascadeTrainOptions& options, const Exec& exec) {
  Boosting boosting(samples, options, exec);
  const std::uint64_t stage = samples.before.stages.size();
  StageResult result;
  while (result.false_rate > options.false_rate &&
         result.stage.classifiers.size() < kMostLearners) {
    Random random(exec.seed,
                  (stage + 1) * 0x100000000ULL + 0x80000000ULL + result.stage.classifiers.size());
    const std::vector<Block> blocks = random_blocks(pool, options.blocks_per_round, random);
    // The first among equals wins, whatever the order of chunks.
    std::vector<Candidate> best(blocks.size());
    parallel_for(exec, static_cast<std::int64_t>(blocks.size()), 1,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                        ++i)
                     best[i] = boosting.train(blocks[i]);
                 });
    auto winner = std::max_element(best.begin(), best.end(), [](const auto& a, const auto& b) {
      return a.correlation < b.correlation;
    });
    boosting.join(std::move(*winner), result.stage);
    boosting.measure(result);
  }
  return result;
}

RankingSamples::RankingSamples(std::vector<Block> blocks, std::size_t most)
    : blocks_(std::move(blocks)) {
  for (const Block& block : blocks_) plans_.push_back(cascade::block_geometry(block));
  numbers_.reserve(most * width());
}

std::size_t RankingSamples::grow(std::size_t count) {
  const std::size_t first = this->count();
  numbers_.resize((first + count) * width());
  return first;
}

void RankingSamples::set(std::size_t window, const SampleSums& samples, std::size_t sample) {
  float* numbers = numbers_.data() + window * width();
  for (const cascade::BlockPlan& plan : plans_) {
    samples.numbers(sample, plan, numbers);
    numbers += cascade::kNumbers;
  }
}

void RankingSamples::add(const SampleSums& samples, const Exec& exec) {
  const std::size_t first = grow(samples.count());
  parallel_for(exec, static_cast<std::int64_t>(samples.count()), 64,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i)
                   set(first + i, samples, i);
               });
}

ImageView<const float> RankingSamples::view() const {
  return packed_view<const float>(numbers_.data(), static_cast<int>(width()),
                                  static_cast<int>(count()));
}

std::vector<BlockClassifier> train_ranking(const RankingSamples& samples, std::size_t positives,
                                           double cost, const Exec& exec) {
  const auto features = static_cast<std::ptrdiff_t>(cascade::kNumbers);
  std::vector<std::int8_t> labels(samples.count(), -1);
  std::fill_n(labels.begin(), positives, static_cast<std::int8_t>(1));
  LinearSvmOptions svm;
  svm.cost = cost;
  svm.exec = {.device = Device::cpu(), .threads = 1, .seed = exec.seed};
  svm.exec.stop = exec.stop;
  const LinearSvm machine = train_linear_svm(samples.view(), labels, {}, svm);
  std::vector<BlockClassifier> ranking;
  auto weights = machine.weights.begin();
  for (const Block& block : samples.blocks()) {
    ranking.push_back({block, {weights, weights + features}, 0.0F, 1.0F});
    weights += features;
  }
  ranking.front().bias = machine.bias;
  return ranking;
}

}  // namespace fovea::people
