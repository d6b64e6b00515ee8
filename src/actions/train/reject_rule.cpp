#include "actions/train/reject_rule.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "actions/evaluate/score.h"
#include "actions/infinity.h"

namespace fovea::actions {
namespace {

constexpr double kLeastDistance = 1e-9;  // equal clips have the distance 0, which has no logarithm
constexpr double kRidge = 0.01;
constexpr int kNewtonSteps = 12;
constexpr double kLeastWeight = 1e-3, kMostLogarithm = 50;
constexpr double kLeastGain = 1e-9;  // of area, so that rounding does not choose features
constexpr std::size_t kCount = RejectRule::kFeatures;
constexpr std::size_t kUnknowns = kCount + 1;  // weights and the constant

double log_of(double distance) { return std::log(std::max(distance, kLeastDistance)); }

// Returns the mean over n of log(d / mean of the n next) for the least distance d.
double cohort_ratio(std::span<const double> distances) {
  std::vector<double> sorted;
  for (const double distance : distances)
    if (std::isfinite(distance)) sorted.push_back(std::max(distance, kLeastDistance));
  if (sorted.size() < 2) return 0;
  std::ranges::sort(sorted);
  double sum = 0, others = 0;
  for (std::size_t n = 1; n < sorted.size(); ++n) {
    others += sorted[n];
    sum += std::log(sorted[0] * static_cast<double>(n) / others);
  }
  return sum / static_cast<double>(sorted.size() - 1);
}

struct Trial {
  RejectFeatures features{};
  bool unknown = false;
  std::int32_t label = 0;    // of the clip
  std::int32_t without = 0;  // the class that was left out
};
using FeatureSet = std::array<bool, kCount>;

// Returns the trial of a clip without one class (-1: with all); nothing if no class is left.
std::optional<Trial> trial_of(const RejectClip& clip, int without) {
  std::vector<double> matching = clip.matching, singles = clip.singles, fused = clip.fused;
  if (without >= 0)
    for (std::vector<double>* distances : {&matching, &singles, &fused})
      if (!distances->empty()) (*distances)[static_cast<std::size_t>(without)] = kInfinity<double>;
  const int nearest = least_of(fused.empty() ? matching : fused);
  if (nearest < 0 || !std::isfinite(matching[static_cast<std::size_t>(nearest)])) return {};
  if (!singles.empty() && !std::isfinite(singles[static_cast<std::size_t>(nearest)])) return {};
  return Trial{reject_features({matching, singles}, nearest), clip.label == without, clip.label,
               without};
}

using Vector = std::array<double, kUnknowns>;
using Matrix = std::array<Vector, kUnknowns>;

// Solves a x = b by elimination; `a` is positive definite, because of the ridge.
Vector solve(Matrix a, Vector b) {
  for (std::size_t i = 0; i < kUnknowns; ++i)
    for (std::size_t row = i + 1; row < kUnknowns; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (std::size_t k = i; k < kUnknowns; ++k) a[row][k] -= factor * a[i][k];
      b[row] -= factor * b[i];
    }
  for (std::size_t i = kUnknowns; i-- > 0;) {
    for (std::size_t k = i + 1; k < kUnknowns; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// Logistic regression of "unknown" on standardized features, in which known and unknown trials have
// the same weight in all, by Newton's steps. Returns weights of the features as they are; those
// that are not in the set have the weight 0.
RejectFeatures regression(std::span<const Trial> trials, const FeatureSet& used) {
  const auto count = static_cast<double>(trials.size());
  RejectFeatures mean{}, deviation{};
  double unknown = 0;
  for (const Trial& trial : trials) {
    unknown += trial.unknown ? 1 : 0;
    for (std::size_t i = 0; i < kCount; ++i) mean[i] += trial.features[i] / count;
  }
  for (const Trial& trial : trials)
    for (std::size_t i = 0; i < kCount; ++i)
      deviation[i] += (trial.features[i] - mean[i]) * (trial.features[i] - mean[i]) / count;
  for (double& value : deviation) value = value > 1e-20 ? std::sqrt(value) : 1;
  const auto standardized = [&](const Trial& trial, std::size_t i) {
    return used[i] ? (trial.features[i] - mean[i]) / deviation[i] : 0;
  };
  Vector weights{};
  for (int step = 0; step < kNewtonSteps; ++step) {
    Vector gradient{};
    Matrix hessian{};
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      gradient[i] = kRidge * weights[i];
      hessian[i][i] = kRidge;
    }
    for (const Trial& trial : trials) {
      Vector x{};
      x[kCount] = 1;
      double sum = weights[kCount];
      for (std::size_t i = 0; i < kCount; ++i) {
        x[i] = standardized(trial, i);
        sum += weights[i] * x[i];
      }
      const double share = 0.5 / (trial.unknown ? unknown : count - unknown);
      const double likely = 1 / (1 + std::exp(-sum));
      for (std::size_t i = 0; i < kUnknowns; ++i) {
        gradient[i] += share * (likely - (trial.unknown ? 1 : 0)) * x[i];
        for (std::size_t k = 0; k < kUnknowns; ++k)
          hessian[i][k] += share * likely * (1 - likely) * x[i] * x[k];
      }
    }
    const Vector change = solve(hessian, gradient);
    for (std::size_t i = 0; i < kUnknowns; ++i) weights[i] -= change[i];
  }
  RejectFeatures result{};
  for (std::size_t i = 0; i < kCount; ++i) result[i] = weights[i] / deviation[i];
  return result;
}

double weighted(const RejectFeatures& weights, const RejectFeatures& features) {
  double sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) sum += weights[i] * features[i];
  return sum;
}

// Returns the share of pairs of a known and an unknown trial in which the unknown one has the
// greater sum; equal sums count half.
double area_below(std::span<const Trial> trials, const RejectFeatures& weights) {
  std::vector<double> known, unknown;
  for (const Trial& trial : trials)
    (trial.unknown ? unknown : known).push_back(weighted(weights, trial.features));
  if (known.empty() || unknown.empty()) return 0.5;
  std::ranges::sort(known);
  double sum = 0;
  for (const double value : unknown) {
    const auto [low, high] = std::equal_range(known.begin(), known.end(), value);
    sum += 0.5 * static_cast<double>((low - known.begin()) + (high - known.begin()));
  }
  return sum / static_cast<double>(known.size() * unknown.size());
}

// Returns how well a set of features separates trials by weights that have never seen the class
// that is left out: the mean area over the classes.
double area_inside(std::span<const Trial> trials, const std::set<std::int32_t>& labels,
                   const FeatureSet& used) {
  double sum = 0;
  for (const std::int32_t without : labels) {
    std::vector<Trial> others, own;
    for (const Trial& trial : trials) {
      if (trial.without == without) own.push_back(trial);
      else if (trial.label != without) others.push_back(trial);
    }
    if (std::ranges::any_of(others, &Trial::unknown))
      sum += area_below(own, regression(others, used));
  }
  return sum / static_cast<double>(labels.size());
}

// Chooses the set of features with the greatest area; of equal ones, that with more features.
FeatureSet chosen_features(std::span<const Trial> trials, const std::set<std::int32_t>& labels,
                           bool singles) {
  FeatureSet best{};
  double greatest = -1;
  for (std::size_t count = kCount; count > 0; --count)
    for (unsigned bits = 1; bits < (1U << kCount); ++bits) {
      FeatureSet used{};
      for (std::size_t i = 0; i < kCount; ++i) used[i] = ((bits >> i) & 1U) != 0;
      if (static_cast<std::size_t>(std::ranges::count(used, true)) != count) continue;
      if (!singles && (used[2] || used[3])) continue;
      if (const double area = area_inside(trials, labels, used); area > greatest + kLeastGain) {
        greatest = area;
        best = used;
      }
    }
  return best;
}

}  // namespace

RejectFeatures reject_features(const RejectEvidence& evidence, int nearest) {
  const auto at = static_cast<std::size_t>(nearest);
  RejectFeatures result{log_of(evidence.matching[at]), cohort_ratio(evidence.matching), 0, 0};
  if (evidence.singles.empty() || !std::isfinite(evidence.singles[at])) return result;
  result[2] = log_of(evidence.singles[at]);
  result[3] = cohort_ratio(evidence.singles);
  return result;
}

double allowance(const RejectRule& rule, const RejectEvidence& evidence, int nearest) {
  // Late fusion may prefer a class none of whose prototypes fits into the clip.
  if (!std::isfinite(evidence.matching[static_cast<std::size_t>(nearest)])) return 0;
  // A clip without points matches by dummies alone, which says nothing.
  if (rule.singles && (evidence.singles.empty() ||
                       !std::isfinite(evidence.singles[static_cast<std::size_t>(nearest)])))
    return 0;
  // If the distance grows by a factor, each feature grows by the logarithm of that factor.
  double sum = 0;
  for (const double weight : rule.weights) sum += weight;
  const double left = rule.limit - weighted(rule.weights, reject_features(evidence, nearest));
  return std::exp(std::clamp(left / std::max(sum, kLeastWeight), -kMostLogarithm, kMostLogarithm));
}

std::optional<RejectRule> learn_reject_rule(std::span<const RejectClip> clips, double share) {
  std::set<std::int32_t> labels;
  for (const RejectClip& clip : clips) labels.insert(clip.label);
  if (labels.size() < 3) return {};
  std::vector<Trial> trials;
  for (const std::int32_t without : labels)
    for (const RejectClip& clip : clips)
      if (const auto trial = trial_of(clip, without)) trials.push_back(*trial);
  const auto unknown = std::ranges::count_if(trials, &Trial::unknown);
  if (unknown == 0 || unknown == std::ssize(trials)) return {};
  const bool singles =
      std::ranges::any_of(clips, [](const RejectClip& one) { return !one.singles.empty(); });
  const FeatureSet used = chosen_features(trials, labels, singles);
  RejectRule rule;
  rule.weights = regression(trials, used);
  rule.singles = singles;
  std::vector<double> values;
  for (const RejectClip& clip : clips)
    if (const auto trial = trial_of(clip, -1))
      values.push_back(weighted(rule.weights, trial->features));
  std::ranges::sort(values);
  const auto kept =
      static_cast<std::size_t>(std::ceil((1 - share) * static_cast<double>(values.size()) - 1e-9));
  rule.limit = values[std::clamp<std::size_t>(kept, 1, values.size()) - 1];
  return rule;
}

}  // namespace fovea::actions
