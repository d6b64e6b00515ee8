// Discrete AdaBoost (Freund and Schapire 1997): a tree votes yes or no, and the weight of its vote
// follows from its error. Leaves with real numbers (Schapire and Singer 1999) were tried and
// generalized worse: the log-average miss rate on images of another set was 42 % instead of 37 %. A
// node takes the split with the least weight on the wrong side among a random share of the
// features. Weights are added in the order of samples, feature by feature, so that the number of
// threads has no influence.
#include "people/train/train_channels_boost.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/parallel.h"

namespace fovea::people {
namespace {

constexpr int kValues = 256;
constexpr int kFeaturesPerTask = 20;
constexpr double kMostSay =
    1.5;  // so that no tree rejects a window by itself, even one without errors

// The samples that reach a node; those before `positives` are positive.
struct Node {
  std::vector<int> samples;
  std::vector<float> weights;
  int positives = 0;
};

struct Split {
  double error = 1e300;
  std::uint32_t feature = 0;
  int threshold = 1;  // values below it go left
};

// Weights by value. Neighboring samples often have equal values, so that two sums are used in turn.
struct Histogram {
  std::array<float, 2 * kValues> sums{};

  void add(const std::uint8_t* feature, const Node& node, int first, int last) {
    float* even = sums.data();
    float* odd = sums.data() + kValues;
    const int* sample = node.samples.data();
    const float* weight = node.weights.data();
    int i = first;
    for (; i + 2 <= last; i += 2) {
      even[feature[sample[i]]] += weight[i];
      odd[feature[sample[i + 1]]] += weight[i + 1];
    }
    if (i < last) even[feature[sample[i]]] += weight[i];
  }
  double at(int value) const { return double{sums[value]} + sums[kValues + value]; }
  double all() const { return std::accumulate(sums.begin(), sums.end(), 0.0); }
};

Split best_threshold(const std::uint8_t* values, std::uint32_t feature, const Node& node) {
  Histogram positive, negative;
  positive.add(values, node, 0, node.positives);
  negative.add(values, node, node.positives, static_cast<int>(node.samples.size()));
  const double all_positive = positive.all(), all_negative = negative.all();
  double left_positive = 0, left_negative = 0;
  Split best;
  best.feature = feature;
  for (int value = 0; value + 1 < kValues; ++value) {
    const double p = positive.at(value), n = negative.at(value);
    if (p == 0 && n == 0) continue;
    left_positive += p;
    left_negative += n;
    const double right_positive = std::max(0.0, all_positive - left_positive),
                 right_negative = std::max(0.0, all_negative - left_negative);
    const double error = std::min(left_positive + right_negative, left_negative + right_positive);
    if (error < best.error) {
      best.error = error;
      best.threshold = value + 1;
    }
  }
  return best;
}

Split best_split(const BoostSamples& samples, const Node& node,
                 const std::vector<std::uint32_t>& features, const Exec& exec) {
  std::vector<Split> found(features.size());
  parallel_for(exec, static_cast<std::int64_t>(features.size()), kFeaturesPerTask,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i)
                   found[i] = best_threshold(samples.feature(features[i]), features[i], node);
               });
  return *std::min_element(found.begin(), found.end(),
                           [](const Split& a, const Split& b) { return a.error < b.error; });
}

std::vector<std::uint32_t> choose_features(int features, double share, Random& random) {
  const auto count = std::clamp(static_cast<int>(std::lround(features * share)), 1, features);
  std::vector<std::uint32_t> all(static_cast<std::size_t>(features));
  std::iota(all.begin(), all.end(), 0U);
  for (int i = 0; i < count; ++i)
    std::swap(all[i], all[i + random.below(static_cast<std::uint32_t>(features - i))]);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

std::array<Node, 2> divide(const Node& node, const std::uint8_t* values, int threshold) {
  std::array<Node, 2> sides;
  for (std::size_t i = 0; i < node.samples.size(); ++i) {
    Node& side = sides[values[node.samples[i]] < threshold ? 0 : 1];
    side.samples.push_back(node.samples[i]);
    side.weights.push_back(node.weights[i]);
    if (static_cast<int>(i) < node.positives) ++side.positives;
  }
  return sides;
}

struct LeafWeight {
  double positive = 0;
  double negative = 0;
};
LeafWeight weight_of(const Node& node) {
  const auto middle = node.weights.begin() + node.positives;
  return {std::accumulate(node.weights.begin(), middle, 0.0),
          std::accumulate(middle, node.weights.end(), 0.0)};
}

// Scales weights so that they add up to 1.
void normalize(std::vector<double>& weights, int positives) {
  const auto middle = weights.begin() + positives;
  const double sum =
      std::accumulate(weights.begin(), middle, 0.0) + std::accumulate(middle, weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

}  // namespace

std::vector<ChannelTree> boost_trees(const BoostSamples& samples, const BoostOptions& options,
                                     const Exec& exec, const std::function<void(int)>& report) {
  std::vector<double> weights(static_cast<std::size_t>(samples.count));
  for (int i = 0; i < samples.count; ++i)
    weights[i] =
        0.5 / (i < samples.positives ? samples.positives : samples.count - samples.positives);
  Node all;
  all.positives = samples.positives;
  all.samples.resize(weights.size());
  std::iota(all.samples.begin(), all.samples.end(), 0);
  all.weights.resize(weights.size());
  std::vector<ChannelTree> trees;
  for (int t = 0; t < options.trees; ++t) {
    throw_if_stopped(exec);
    Random random(exec.seed, (options.sequence << 32U) + static_cast<std::uint64_t>(t));
    std::copy(weights.begin(), weights.end(), all.weights.begin());
    ChannelTree tree;
    const auto split = [&](int node, const Node& at) {
      const auto features = choose_features(samples.features, options.feature_share, random);
      const Split best = best_split(samples, at, features, exec);
      tree.feature[node] = best.feature;
      tree.threshold[node] = static_cast<std::uint8_t>(best.threshold);
      return divide(at, samples.feature(best.feature), best.threshold);
    };
    const std::array<Node, 2> sides = split(0, all);
    std::array<Node, 4> leaves;
    for (int side = 0; side < 2; ++side) {
      auto [left, right] = split(1 + side, sides[side]);
      leaves[2 * side] = std::move(left);
      leaves[2 * side + 1] = std::move(right);
    }
    std::array<bool, 4> yes{};
    double error = 0;
    for (int l = 0; l < 4; ++l) {
      const LeafWeight weight = weight_of(leaves[l]);
      yes[l] = weight.positive > weight.negative;
      error += std::min(weight.positive, weight.negative);
    }
    const double say =
        std::clamp(0.5 * std::log((1 - error) / std::max(error, 1e-9)), 0.0, kMostSay);
    for (int l = 0; l < 4; ++l) {
      const double value = yes[l] ? say : -say;
      tree.leaf[l] = static_cast<std::int16_t>(
          std::lround((value + options.calibration) * ChannelsModel::kScoreUnit));
      const double positive = std::exp(-value), negative = std::exp(value);
      for (std::size_t i = 0; i < leaves[l].samples.size(); ++i)
        weights[leaves[l].samples[i]] *=
            static_cast<int>(i) < leaves[l].positives ? positive : negative;
    }
    normalize(weights, samples.positives);
    trees.push_back(tree);
    report(t + 1);
  }
  return trees;
}

}  // namespace fovea::people
