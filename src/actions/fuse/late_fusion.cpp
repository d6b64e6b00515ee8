#include "actions/fuse/late_fusion.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "actions/infinity.h"

namespace fovea::actions {
namespace {

constexpr double kLeastDeviation = 1e-12;
constexpr double kNearest = 1e-9;  // equal clips have the distance 0, which has no logarithm
// The penalty of squared weights beside the mean loss of a clip: without one, weights grow without
// bounds if all clips are classified correctly.
constexpr double kPenalty = 0.003;
// Half of a fused score comes from the methods that know most by themselves. The share of a method
// falls by e where the logarithm of its likelihood, summed over all clips, is so much less.
constexpr double kLikelihoodStep = 4;
constexpr double kJointShare = 0.5;
constexpr int kSteps = 60, kHalvings = 30;
constexpr double kLeastStep = 1e-10;
constexpr std::size_t kParts = LateFusion::kParts;
using Square = std::array<FusionWeights, kParts>;

// Replaces what is infinite by the least finite score; returns nothing if all are infinite.
std::vector<double> finite_scores(std::vector<double> scores) {
  double least = kInfinity<double>;
  for (const double score : scores)
    if (std::isfinite(score)) least = std::min(least, score);
  if (!std::isfinite(least)) return {};
  for (double& score : scores)
    if (!std::isfinite(score)) score = least;
  return scores;
}

std::vector<double> logarithms(std::span<const double> distances) {
  std::vector<double> scores;
  scores.reserve(distances.size());
  for (const double distance : distances) scores.push_back(-std::log(std::max(distance, kNearest)));
  return finite_scores(std::move(scores));
}

std::vector<double> shares_of(std::span<const int> votes) {
  int all = 0;
  for (const int count : votes) all += count;
  std::vector<double> scores;
  if (all == 0) return scores;
  const double whole = all + 0.5 * static_cast<double>(votes.size());
  scores.reserve(votes.size());
  for (const int count : votes) scores.push_back(std::log((count + 0.5) / whole));
  return scores;
}

// Returns scores with the mean 0 and the deviation 1 over the classes; 0 if all are equal.
std::vector<double> standardized(std::vector<double> scores) {
  const auto count = static_cast<double>(scores.size());
  double mean = 0, variance = 0;
  for (const double score : scores) mean += score / count;
  for (const double score : scores) variance += (score - mean) * (score - mean) / count;
  const double deviation = std::sqrt(variance);
  for (double& score : scores) score = deviation > kLeastDeviation ? (score - mean) / deviation : 0;
  return scores;
}

// The logarithm of the sum of exponentials, of which the greatest is left out: the logarithm is the
// greatest value plus `rest`.
struct Sum {
  double greatest = -kInfinity<double>;
  double rest = 0;
};
Sum log_sum(std::span<const double> values) {
  const auto at = std::ranges::max_element(values);
  double others = 0;
  for (auto i = values.begin(); i != values.end(); ++i)
    if (i != at) others += std::exp(*i - *at);
  return {*at, std::log1p(others)};
}

std::vector<double> weighted_sums(const FusionScores& scores, const FusionWeights& weights,
                                  std::size_t classes) {
  std::vector<double> sums(classes, 0);
  for (std::size_t k = 0; k < kParts; ++k)
    for (std::size_t c = 0; c < scores[k].size(); ++c) sums[c] += weights[k] * scores[k][c];
  return sums;
}

std::size_t class_count(const FusionScores& scores) {
  std::size_t classes = 0;
  for (const std::vector<double>& part : scores) classes = std::max(classes, part.size());
  return classes;
}

// Solves a x = b for the used parts by elimination; `a` is positive definite.
FusionWeights solved(Square a, FusionWeights b, const std::array<bool, kParts>& used) {
  for (std::size_t i = 0; i < kParts; ++i) {
    if (used[i]) continue;
    for (std::size_t k = 0; k < kParts; ++k) a[i][k] = a[k][i] = 0;
    a[i][i] = 1;
    b[i] = 0;
  }
  for (std::size_t i = 0; i < kParts; ++i)
    for (std::size_t row = i + 1; row < kParts; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (std::size_t k = i; k < kParts; ++k) a[row][k] -= factor * a[i][k];
      b[row] -= factor * b[i];
    }
  for (std::size_t i = kParts; i-- > 0;) {
    for (std::size_t k = i + 1; k < kParts; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// The mean loss of clips and its penalty, with derivatives, as a function of the weights.
class Likelihood {
 public:
  explicit Likelihood(std::span<const FusionClip> clips) {
    for (const FusionClip& clip : clips)
      if (clip.label >= 0 && class_count(clip.scores) > 0) clips_.push_back(&clip);
  }

  bool empty() const { return clips_.empty(); }
  std::span<const FusionClip* const> clips() const { return clips_; }
  double loss(const FusionWeights& weights) const {
    double sum = clip_losses(weights) / static_cast<double>(clips_.size());
    for (const double weight : weights) sum += kPenalty / 2 * weight * weight;
    return sum;
  }
  // Summed over clips, without the penalty.
  double clip_losses(const FusionWeights& weights) const {
    double sum = 0;
    for (const FusionClip* clip : clips_) {
      const std::vector<double> values =
          weighted_sums(clip->scores, weights, class_count(clip->scores));
      const Sum all = log_sum(values);
      sum += all.rest + (all.greatest - values[static_cast<std::size_t>(clip->label)]);
    }
    return sum;
  }

  void derivatives(const FusionWeights& weights, FusionWeights& gradient, Square& hessian) const {
    gradient = {};
    hessian = {};
    for (std::size_t k = 0; k < kParts; ++k) {
      gradient[k] = kPenalty * weights[k];
      hessian[k][k] = kPenalty;
    }
    for (const FusionClip* clip : clips_) add(*clip, weights, gradient, hessian);
  }

 private:
  void add(const FusionClip& clip, const FusionWeights& weights, FusionWeights& gradient,
           Square& hessian) const {
    const std::size_t classes = class_count(clip.scores);
    std::vector<double> likely = weighted_sums(clip.scores, weights, classes);
    const Sum all = log_sum(likely);
    for (double& value : likely) value = std::exp(value - all.greatest - all.rest);
    const auto score = [&](std::size_t k, std::size_t c) {
      return clip.scores[k].empty() ? 0 : clip.scores[k][c];
    };
    FusionWeights mean{};
    for (std::size_t k = 0; k < kParts; ++k)
      for (std::size_t c = 0; c < classes; ++c) mean[k] += likely[c] * score(k, c);
    const double share = 1 / static_cast<double>(clips_.size());
    for (std::size_t k = 0; k < kParts; ++k) {
      gradient[k] += share * (mean[k] - score(k, static_cast<std::size_t>(clip.label)));
      for (std::size_t j = 0; j < kParts; ++j)
        for (std::size_t c = 0; c < classes; ++c)
          hessian[k][j] += share * likely[c] * (score(k, c) - mean[k]) * (score(j, c) - mean[j]);
    }
  }

  std::vector<const FusionClip*> clips_;
};

// Newton's method with halved steps; the loss is convex.
FusionWeights most_likely(const Likelihood& likelihood, const std::array<bool, kParts>& used) {
  FusionWeights weights{}, gradient{};
  Square hessian{};
  double loss = likelihood.loss(weights);
  for (int step = 0; step < kSteps; ++step) {
    likelihood.derivatives(weights, gradient, hessian);
    const FusionWeights change = solved(hessian, gradient, used);
    double length = 1, greatest = 0;
    for (const double value : change) greatest = std::max(greatest, std::abs(value));
    if (greatest < kLeastStep) break;
    bool is_less = false;
    for (int halving = 0; halving < kHalvings && !is_less; ++halving, length /= 2) {
      FusionWeights tried = weights;
      for (std::size_t k = 0; k < kParts; ++k) tried[k] -= length * change[k];
      const double other = likelihood.loss(tried);
      is_less = other < loss;
      if (!is_less) continue;
      weights = tried;
      loss = other;
    }
    if (!is_less) break;
  }
  return weights;
}

// A method with a negative weight is left out, the worst first, and the others are weighed anew.
FusionWeights without_negative(const Likelihood& likelihood, std::array<bool, kParts> used) {
  for (;;) {
    const FusionWeights weights = most_likely(likelihood, used);
    const auto worst = std::ranges::min_element(weights);
    if (*worst >= 0) return weights;
    used[static_cast<std::size_t>(worst - weights.begin())] = false;
  }
}

// Each method is weighed by itself, so that its scores are calibrated; methods share in their sum
// by how likely they make the true classes; and the sum is calibrated again.
FusionWeights best_methods(const Likelihood& likelihood) {
  FusionWeights weights{}, losses{};
  for (std::size_t k = 0; k < kParts; ++k) {
    std::array<bool, kParts> alone{};
    alone[k] = true;
    const FusionWeights own = without_negative(likelihood, alone);
    weights[k] = own[k];
    losses[k] = likelihood.clip_losses(own);
  }
  const double least = std::ranges::min(losses);
  double whole = 0;
  for (const double loss : losses) whole += std::exp((least - loss) / kLikelihoodStep);
  for (std::size_t k = 0; k < kParts; ++k)
    weights[k] *= std::exp((least - losses[k]) / kLikelihoodStep) / whole;
  std::vector<FusionClip> sums;
  sums.reserve(likelihood.clips().size());
  for (const FusionClip* clip : likelihood.clips())
    sums.push_back(
        {clip->label, {weighted_sums(clip->scores, weights, class_count(clip->scores))}});
  const double scale = without_negative(Likelihood(sums), {true})[0];
  for (double& weight : weights) weight *= scale;
  return weights;
}

}  // namespace

FusionScores fusion_scores(const FusionEvidence& evidence) {
  return {standardized(logarithms(evidence.matching)), standardized(logarithms(evidence.singles)),
          standardized(shares_of(evidence.votes)),
          standardized(finite_scores({evidence.words.begin(), evidence.words.end()}))};
}

FusionWeights learn_fusion(std::span<const FusionClip> clips) {
  constexpr FusionWeights kMatchingAlone{1};
  const Likelihood likelihood(clips);
  if (likelihood.empty()) return kMatchingAlone;
  std::array<bool, kParts> all{};
  all.fill(true);
  const FusionWeights joint = without_negative(likelihood, all), best = best_methods(likelihood);
  FusionWeights weights{};
  for (std::size_t k = 0; k < kParts; ++k)
    weights[k] = kJointShare * joint[k] + (1 - kJointShare) * best[k];
  return std::ranges::max(weights) > 0 ? weights : kMatchingAlone;
}

std::vector<double> fused_distances(const FusionScores& scores, const FusionWeights& weights,
                                    int classes) {
  const auto count = static_cast<std::size_t>(classes);
  if (class_count(scores) == 0) return std::vector<double>(count, kInfinity<double>);
  std::vector<double> values = weighted_sums(scores, weights, count);
  const Sum all = log_sum(values);
  for (double& value : values) value = all.rest + (all.greatest - value);
  return values;
}

}  // namespace fovea::actions
