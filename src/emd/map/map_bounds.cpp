// Dual vectors for lower bounds: vectors that are optimal for some histograms far from the target,
// the most useful ones first.
#include <algorithm>
#include <limits>
#include <numeric>

#include <fovea/core/random.h>

#include "emd/map/map_plan.h"

namespace fovea::emd {
namespace {

constexpr int kMostBounds = 16;
constexpr int kMixtures = 96;  // examples with mass in several bins

using Histogram = std::vector<double>;
struct Dual {
  std::vector<std::int64_t> u;
  double offset = 0;  // v.q / |q|, in the ground distance's unit
};

// Finds dual vectors. Bins in which the target has no mass set no limit, because nothing is moved
// there.
class DualFinder {
 public:
  DualFinder(const GroundDistance& ground, std::span<const std::uint16_t> target)
      : ground_(ground), target_(target.begin(), target.end()) {
    for (int j = 0; j < ground.columns(); ++j)
      if (target_[static_cast<std::size_t>(j)] > 0) columns_.push_back(j);
    mass_ = std::accumulate(target_.begin(), target_.end(), 0.0);
  }

  // Returns the dual vector that is optimal for a histogram: shortest paths in the residual graph
  // of the optimal flow. The last step makes the result feasible even if the paths are not exact.
  Dual find(const Histogram& histogram) const {
    const Solution best =
        distance(ground_, histogram, target_, {.mass = MassPolicy::kNormalize, .exec = one_core()});
    const auto rows = static_cast<std::size_t>(ground_.rows());
    std::vector<std::int64_t> to_row(rows, 0), to_column(target_.size(), 0);
    bool changed = true;
    for (std::size_t round = 0; changed && round < rows + columns_.size(); ++round) {
      changed = false;
      for (int i = 0; i < ground_.rows(); ++i)
        for (const int j : columns_) {
          std::int64_t& row = to_row[static_cast<std::size_t>(i)];
          std::int64_t& column = to_column[static_cast<std::size_t>(j)];
          const std::int64_t cost = units(i, j);
          if (row + cost < column) column = row + cost, changed = true;
          if (moves(best, i, j) && column - cost < row) row = column - cost, changed = true;
        }
    }
    return completed(to_column);
  }

  double bound(const Dual& dual, const Histogram& histogram) const {
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      sum += static_cast<double>(dual.u[i]) * histogram[i];
      mass += histogram[i];
    }
    return sum / mass + dual.offset;
  }

 private:
  static Exec one_core() { return {.device = Device::cpu(), .threads = 1}; }
  std::int64_t units(int i, int j) const {
    return ground_
        .units()[static_cast<std::size_t>(i) * static_cast<std::size_t>(ground_.columns()) +
                 static_cast<std::size_t>(j)];
  }
  bool moves(const Solution& solution, int i, int j) const {
    constexpr double kDust = 1e-9;
    return solution.flow[static_cast<std::size_t>(i) * static_cast<std::size_t>(ground_.columns()) +
                         static_cast<std::size_t>(j)] > kDust;
  }

  // Returns `v` with the greatest feasible u.
  Dual completed(const std::vector<std::int64_t>& v) const {
    Dual dual;
    for (int i = 0; i < ground_.rows(); ++i) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const int j : columns_)
        least = std::min(least, units(i, j) - v[static_cast<std::size_t>(j)]);
      dual.u.push_back(least);
    }
    double sum = 0;
    for (const int j : columns_)
      sum += static_cast<double>(v[static_cast<std::size_t>(j)]) *
             target_[static_cast<std::size_t>(j)];
    dual.offset = sum / mass_;
    return dual;
  }

  const GroundDistance& ground_;
  Histogram target_;
  std::vector<int> columns_{};
  double mass_ = 0;
};

// Histograms with all mass in one bin, and mixtures of two to four bins.
std::vector<Histogram> make_examples(int bins) {
  std::vector<Histogram> examples;
  for (int i = 0; i < bins; ++i) {
    examples.emplace_back(static_cast<std::size_t>(bins), 0.0);
    examples.back()[static_cast<std::size_t>(i)] = 1;
  }
  Random random(1);
  for (int k = 0; bins > 1 && k < kMixtures; ++k) {
    examples.emplace_back(static_cast<std::size_t>(bins), 0.0);
    for (int part = 0; part < 2 + k % 3; ++part)
      examples.back()[static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(bins)))] +=
          static_cast<double>(1 + random.below(4));
  }
  return examples;
}

}  // namespace

BoundPlan plan_bounds(const GroundDistance& ground, std::span<const std::uint16_t> target,
                      float threshold) {
  BoundPlan plan{.bins = ground.rows(), .threshold = threshold};
  if (threshold <= 0) return plan;
  const DualFinder finder(ground, target);
  const std::vector<Histogram> examples = make_examples(ground.rows());
  std::vector<Dual> duals;
  duals.reserve(examples.size());
  for (const Histogram& example : examples) duals.push_back(finder.find(example));

  // In each round the dual vector that raises the bounds of all examples most is taken.
  std::vector<double> reached(examples.size(), 0);
  const double smallest_gain =
      1e-3 * static_cast<double>(examples.size()) * (ground.greatest() / ground.unit());
  const double margin = 1e-12 * ground.greatest();
  for (int k = 0; k < kMostBounds && !duals.empty(); ++k) {
    double best_gain = smallest_gain;
    const Dual* best = nullptr;
    for (const Dual& dual : duals) {
      double gain = 0;
      for (std::size_t e = 0; e < examples.size(); ++e)
        gain += std::max(0.0, finder.bound(dual, examples[e]) - reached[e]);
      if (gain > best_gain) best_gain = gain, best = &dual;
    }
    if (best == nullptr) break;
    for (std::size_t e = 0; e < examples.size(); ++e)
      reached[e] = std::max(reached[e], finder.bound(*best, examples[e]));
    for (const std::int64_t u : best->u)
      plan.weights.push_back(static_cast<double>(u) * ground.unit());
    plan.offsets.push_back(best->offset * ground.unit() - margin);
  }
  return plan;
}

}  // namespace fovea::emd
