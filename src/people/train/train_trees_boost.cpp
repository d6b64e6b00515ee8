// Discrete AdaBoost (Freund and Schapire 1997): a tree votes yes or no, and the weight of its vote
// follows from its error. Leaves with real numbers (Schapire and Singer 1999) were tried and
// generalized worse: the log-average miss rate on images of another set was 42 % instead of 37 %. A
// node takes the split with the least weight on the wrong side among a random share of the
// features. Weights are added in the order of samples, feature by feature, so that the number of
// threads has no influence.
#include "people/train/train_trees_boost.h"

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

// The weights of all samples that reach a leaf.
struct LeafWeight {
  double positive = 0;
  double negative = 0;
};

// Scales weights so that they add up to 1.
void normalize(std::vector<double>& weights, int positives) {
  const auto middle = weights.begin() + positives;
  const double sum =
      std::accumulate(weights.begin(), middle, 0.0) + std::accumulate(middle, weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

// The weight below which samples are left out, so that those that stay have at least the share
// `kept` of all weight; all weights together are 1. Weights count in steps of 1/8 of an octave.
double least_weight(const std::vector<double>& weights, double kept) {
  if (kept >= 1) return 0;
  constexpr int kSteps = 8, kOctaves = 64;
  std::array<double, kSteps * kOctaves> sums{};
  const auto place = [](double weight) {
    const int at = static_cast<int>(std::floor(-std::log2(std::max(weight, 1e-300)) * kSteps));
    return static_cast<std::size_t>(std::clamp(at, 0, kSteps * kOctaves - 1));
  };
  for (const double weight : weights) sums[place(weight)] += weight;
  double left_out = 0;
  std::size_t at = sums.size();
  while (at > 1 && left_out + sums[at - 1] <= 1 - kept) left_out += sums[--at];
  return std::exp2(-static_cast<double>(at) / kSteps);
}

// The samples that a tree grows from.
Node heavy_samples(const BoostSamples& samples, const std::vector<double>& weights, double kept) {
  const double least = least_weight(weights, kept);
  Node node;
  node.samples.reserve(weights.size());
  node.weights.reserve(weights.size());
  for (int i = 0; i < samples.count; ++i) {
    if (weights[i] < least) continue;
    node.samples.push_back(i);
    node.weights.push_back(static_cast<float>(weights[i]));
    if (i < samples.positives) ++node.positives;
  }
  return node;
}

// The nodes of one tree.
struct GrownTree {
  std::vector<std::uint32_t> feature;
  std::vector<std::uint8_t> threshold;
};

GrownTree grow(const BoostSamples& samples, const BoostOptions& options, Node all, Random& random,
               const Exec& exec) {
  GrownTree tree;
  std::vector<Node> level;
  level.push_back(std::move(all));
  for (int depth = 0; depth < options.depth; ++depth) {
    std::vector<Node> below;
    below.reserve(2 * level.size());
    for (const Node& node : level) {
      const auto features = choose_features(samples.features, options.feature_share, random);
      const Split best = best_split(samples, node, features, exec);
      tree.feature.push_back(best.feature);
      tree.threshold.push_back(static_cast<std::uint8_t>(best.threshold));
      if (depth + 1 == options.depth) continue;
      auto [left, right] = divide(node, samples.feature(best.feature), best.threshold);
      below.push_back(std::move(left));
      below.push_back(std::move(right));
    }
    level = std::move(below);
  }
  return tree;
}

// The leaf that each sample reaches.
void find_leaves(const BoostSamples& samples, const GrownTree& tree,
                 std::vector<std::uint8_t>& leaf) {
  const std::size_t nodes = tree.feature.size();
  std::fill(leaf.begin(), leaf.end(), 0);
  // Level by level and node by node, so that each feature is read from its begin to its end.
  for (std::size_t first = 0, width = 1; first < nodes; first += width, width *= 2) {
    std::vector<const std::uint8_t*> values(width);
    for (std::size_t n = 0; n < width; ++n) values[n] = samples.feature(tree.feature[first + n]);
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      const std::size_t n = leaf[i];
      const bool right = values[n][i] >= tree.threshold[first + n];
      leaf[i] = static_cast<std::uint8_t>(2 * n + (right ? 1 : 0));
    }
  }
}

}  // namespace

FilteredTrees boost_trees(const BoostSamples& samples, const BoostOptions& options,
                          const Exec& exec, const std::function<void(int)>& report) {
  std::vector<double> weights(static_cast<std::size_t>(samples.count));
  for (int i = 0; i < samples.count; ++i)
    weights[i] =
        0.5 / (i < samples.positives ? samples.positives : samples.count - samples.positives);
  FilteredTrees trees;
  trees.depth = options.depth;
  std::vector<std::uint8_t> leaf(weights.size());
  for (int t = 0; t < options.trees; ++t) {
    throw_if_stopped(exec);
    Random random(exec.seed, (options.sequence << 32U) + static_cast<std::uint64_t>(t));
    const GrownTree tree =
        grow(samples, options, heavy_samples(samples, weights, options.kept_weight), random, exec);
    find_leaves(samples, tree, leaf);
    std::vector<LeafWeight> reached(static_cast<std::size_t>(trees.leaves()));
    for (int i = 0; i < samples.count; ++i) {
      LeafWeight& weight = reached[leaf[i]];
      (i < samples.positives ? weight.positive : weight.negative) += static_cast<float>(weights[i]);
    }
    double error = 0;
    for (const LeafWeight& weight : reached) error += std::min(weight.positive, weight.negative);
    const double say =
        options.shrinkage *
        std::clamp(0.5 * std::log((1 - error) / std::max(error, 1e-9)), 0.0, kMostSay);
    std::vector<bool> yes(reached.size());
    for (std::size_t l = 0; l < reached.size(); ++l) {
      yes[l] = reached[l].positive > reached[l].negative;
      const double value = yes[l] ? say : -say;
      trees.leaf.push_back(static_cast<std::int16_t>(
          std::lround((value + options.calibration) * FilteredModel::kScoreUnit)));
    }
    trees.feature.insert(trees.feature.end(), tree.feature.begin(), tree.feature.end());
    trees.threshold.insert(trees.threshold.end(), tree.threshold.begin(), tree.threshold.end());
    const double wrong = std::exp(say), right = std::exp(-say);
    for (int i = 0; i < samples.count; ++i)
      weights[i] *= (i < samples.positives) == yes[leaf[i]] ? right : wrong;
    normalize(weights, samples.positives);
    report(t + 1);
  }
  return trees;
}

}  // namespace fovea::people
