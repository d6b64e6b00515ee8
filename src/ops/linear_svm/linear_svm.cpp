// Checks a training problem and runs the passes of dual coordinate descent: order, shrinking, and
// the multiplier of the free bias.
#include <fovea/core/error.h>
#include <fovea/core/memory.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/ops/linear_svm.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/dispatch.h"
#include "ops/linear_svm/backend.h"

namespace fovea {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_sizes(ImageView<const float> samples, std::span<const std::int8_t> labels,
                 std::span<const float> costs) {
  detail::require_host("train_linear_svm", "the matrix of samples", samples.memory);
  if (samples.channels != 1)
    throw InvalidArgument(
        fmt::format("train_linear_svm: samples of {} channels, expected 1: a row holds a sample",
                    samples.channels));
  if (samples.empty())
    throw InvalidArgument(
        fmt::format("train_linear_svm: {} samples of {} features, expected at least one of each",
                    samples.height, samples.width));
  const auto count = static_cast<std::size_t>(samples.height);
  if (labels.size() != count)
    throw InvalidArgument(
        fmt::format("train_linear_svm: {} labels for {} samples, expected one per sample",
                    labels.size(), count));
  if (!costs.empty() && costs.size() != count)
    throw InvalidArgument(fmt::format(
        "train_linear_svm: {} sample costs for {} samples, expected one per sample or none",
        costs.size(), count));
}

// The dual variables of the samples with a cost above 0.
std::vector<cpu::SvmSample> make_samples(std::span<const std::int8_t> labels,
                                         std::span<const float> costs, double cost) {
  std::vector<cpu::SvmSample> samples;
  samples.reserve(labels.size());
  bool seen[2] = {false, false};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != 1 && labels[i] != -1)
      throw InvalidArgument(
          fmt::format("train_linear_svm: sample {} has label {}, expected 1 or -1", i,
                      static_cast<int>(labels[i])));
    const double share = costs.empty() ? 1 : costs[i];
    if (!(share >= 0) || !std::isfinite(share))
      throw InvalidArgument(fmt::format(
          "train_linear_svm: sample {} costs {}, expected a finite number of 0 or more", i, share));
    if (share == 0) continue;
    seen[labels[i] > 0] = true;
    samples.push_back(
        {0, cost * share, 0, static_cast<std::int32_t>(i), static_cast<float>(labels[i])});
  }
  if (!seen[0] || !seen[1])
    throw InvalidArgument(fmt::format(
        "train_linear_svm: no sample with a cost above 0 has label {}; give samples of both labels",
        seen[1] ? -1 : 1));
  return samples;
}

class Problem {
 public:
  Problem(ImageView<const float> samples, std::span<const std::int8_t> labels,
          std::span<const float> costs, const LinearSvmOptions& options)
      : options_(options), samples_(make_samples(labels, costs, options.cost)) {
    state_.features = samples.width;
    state_.samples = samples_;
    set_curvatures(samples);
    pack(samples);
    order_.resize(samples_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    if (free_bias()) start_bias();
  }

  LinearSvm solve();

 private:
  bool free_bias() const { return options_.bias_feature == 0; }
  void set_curvatures(ImageView<const float> samples);
  void pack(ImageView<const float> samples);
  void start_bias();
  void shuffle_order(int pass, std::size_t active);
  void renew_weights() {
    sums_.resize(static_cast<std::size_t>(state_.features));
    cpu::svm_weights(state_, sums_);
    double balance = 0;
    for (const cpu::SvmSample& sample : samples_) balance += sample.alpha * sample.label;
    state_.bias = center_ + balance * state_.bias_step;
  }
  double objective() const;

  const LinearSvmOptions& options_;
  std::vector<cpu::SvmSample> samples_;
  std::vector<std::uint32_t> order_;
  std::vector<double> sums_;
  Image<float> copy_;     // copy of the rows, padded
  Image<float> weights_;  // aligned for vectors
  cpu::SvmState state_;
  double center_ = 0;  // the bias is this plus bias_step * sum of alpha * label
};

// The bias is treated as one more feature. For a free bias this feature has the size of a sample,
// which gives the best condition number, and its center moves until the feature contributes
// nothing.
void Problem::set_curvatures(ImageView<const float> samples) {
  std::vector<float> norms(static_cast<std::size_t>(samples.height));
  cpu::svm_norms(samples, norms);
  double sum = 0;
  for (const cpu::SvmSample& sample : samples_) {
    const double norm = norms[static_cast<std::size_t>(sample.row)];
    if (!std::isfinite(norm))
      throw InvalidArgument(
          fmt::format("train_linear_svm: sample {} holds a number that is not finite, or too large",
                      sample.row));
    sum += norm;
  }
  const double mean = sum / static_cast<double>(samples_.size());
  state_.bias_step =
      free_bias() ? (mean > 0 ? mean : 1) : options_.bias_feature * options_.bias_feature;
  for (cpu::SvmSample& sample : samples_)
    sample.inverse_curvature = 1 / (norms[static_cast<std::size_t>(sample.row)] + state_.bias_step);
}

void Problem::pack(ImageView<const float> samples) {
  constexpr std::size_t kMostCopied = 64U << 20U;  // bytes
  const int padded = cpu::svm_padded_size(samples.width);
  weights_ = Image<float>(std::max(padded, samples.width), 1);
  std::fill_n(weights_.row(0), weights_.width(), 0.F);
  state_.weights = weights_.row(0);
  state_.rows = samples.data;
  state_.stride = samples.stride;
  const std::size_t bytes = samples_.size() * static_cast<std::size_t>(padded) * sizeof(float);
  if (padded == 0 || bytes > kMostCopied) return;
  copy_ = Image<float>(padded, static_cast<int>(samples_.size()));
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    float* row = copy_.row(static_cast<int>(i));
    std::copy_n(samples.row(samples_[i].row), samples.width, row);
    std::fill(row + samples.width, row + padded, 0.F);
    samples_[i].row = static_cast<std::int32_t>(i);
  }
  state_.rows = copy_.row(0);
  state_.stride = copy_.stride();
  state_.padded = true;
}

// While the weights are 0, the bias takes the side of the label with the greater cost.
void Problem::start_bias() {
  double balance = 0;
  for (const cpu::SvmSample& sample : samples_) balance += sample.upper * sample.label;
  center_ = balance > 0 ? 1 : balance < 0 ? -1 : 0;
  state_.bias = center_;
}

void Problem::shuffle_order(int pass, std::size_t active) {
  Random random(options_.exec.seed, static_cast<std::uint64_t>(pass));
  for (std::size_t i = active; i > 1; --i) {
    const auto j = static_cast<std::size_t>((static_cast<std::uint64_t>(random.bits()) * i) >> 32U);
    std::swap(order_[i - 1], order_[j]);
  }
}

double Problem::objective() const {
  std::vector<float> margins(samples_.size());
  cpu::svm_margins(state_, margins);
  double loss = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i)
    loss += samples_[i].upper * std::max(0.0, 1 - static_cast<double>(margins[i]));
  double length = 0;
  for (int i = 0; i < state_.features; ++i)
    length += static_cast<double>(state_.weights[i]) * state_.weights[i];
  if (!free_bias()) length += state_.bias * state_.bias / state_.bias_step;
  return length / 2 + loss;
}

LinearSvm Problem::solve() {
  LinearSvm result;
  std::size_t active = order_.size();
  state_.shrink_above = kInfinity;
  state_.shrink_below = -kInfinity;
  while (result.passes < options_.max_passes && !result.converged) {
    throw_if_stopped(options_.exec);
    shuffle_order(result.passes, active);
    const bool all = active == order_.size();
    state_.order = std::span(order_).first(active);
    const cpu::SvmPass pass = cpu::svm_pass(state_);
    active = pass.active;
    ++result.passes;
    double gap = pass.greatest - pass.least;
    if (free_bias()) {
      const double step = state_.bias - center_;
      center_ += step;
      state_.bias += step;
      gap = std::max(gap, 2 * std::abs(step));
    }
    if (all) result.gap = gap;
    if (gap <= options_.tolerance) {
      result.converged = all && active == order_.size();
      // Samples that were shrunk away are checked once more, with weights free of rounding errors.
      active = order_.size();
      state_.shrink_above = kInfinity;
      state_.shrink_below = -kInfinity;
      renew_weights();
      continue;
    }
    state_.shrink_above = pass.greatest > 0 ? pass.greatest : kInfinity;
    state_.shrink_below = pass.least < 0 ? pass.least : -kInfinity;
  }
  renew_weights();
  result.weights.assign(state_.weights, state_.weights + state_.features);
  result.bias = static_cast<float>(state_.bias);
  result.objective = objective();
  return result;
}

}  // namespace

void describe(OptionVisitor& visit, LinearSvmOptions& options) {
  visit("cost", options.cost,
        "C, the weight of the samples' losses relative to the length of the weights", 1e-12, 1e12);
  visit("bias-feature", options.bias_feature,
        "0: the bias is free; else it is the weight of a feature of this value", 0, 1e6);
  visit("tolerance", options.tolerance, "spread of the projected gradients at which to end", 1e-9,
        10);
  visit("max-passes", options.max_passes, "greatest number of passes over the samples", 1, 1e9);
}

LinearSvm train_linear_svm(ImageView<const float> samples, std::span<const std::int8_t> labels,
                           std::span<const float> sample_costs, const LinearSvmOptions& options) {
  check_options(options);
  check_sizes(samples, labels, sample_costs);
  return Problem(samples, labels, sample_costs, options).solve();
}

}  // namespace fovea
