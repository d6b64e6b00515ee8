// Checks a training problem, computes the matrix of its kernel tile by tile, and changes pairs of
// dual variables until none of them violates the optimality conditions.
#include <fovea/core/error.h>
#include <fovea/core/memory.h>
#include <fovea/core/options.h>
#include <fovea/ops/kernel_svm.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "ops/kernel_svm/backend.h"

namespace fovea {
namespace {

std::size_t element(int first, int offset) {
  return static_cast<std::size_t>(first) + static_cast<std::size_t>(offset);
}

constexpr int kTile = cpu::kProductTile;

void check_problem(ImageView<const float> samples, std::span<const std::int8_t> labels,
                   std::span<const float> costs) {
  detail::require_host("train_kernel_svm", "the matrix of samples", samples.memory);
  if (samples.channels != 1)
    throw InvalidArgument(
        fmt::format("train_kernel_svm: samples of {} channels, expected 1: a row holds a sample",
                    samples.channels));
  if (samples.empty())
    throw InvalidArgument(
        fmt::format("train_kernel_svm: {} samples of {} features, expected at least one of each",
                    samples.height, samples.width));
  const auto count = static_cast<std::size_t>(samples.height);
  if (labels.size() != count)
    throw InvalidArgument(
        fmt::format("train_kernel_svm: {} labels for {} samples, expected one per sample",
                    labels.size(), count));
  if (!costs.empty() && costs.size() != count)
    throw InvalidArgument(fmt::format(
        "train_kernel_svm: {} sample costs for {} samples, expected one per sample or none",
        costs.size(), count));
}

// A sample that takes part, and its dual variable.
struct Variable {
  int row = 0;       // among all samples
  double label = 0;  // 1 or -1
  double upper = 0;  // C of this sample
  double alpha = 0;
  // The score without bias, minus the label: -label times the gradient of the dual, and the same
  // for all free variables when the problem is solved.
  double error = 0;

  // How far label * alpha may grow, and how far it may fall.
  double room_up() const { return label > 0 ? upper - alpha : alpha; }
  double room_down() const { return label > 0 ? alpha : upper - alpha; }
};

std::vector<Variable> variables_of(std::span<const std::int8_t> labels,
                                   std::span<const float> costs, double cost) {
  std::vector<Variable> all;
  all.reserve(labels.size());
  bool seen[2] = {false, false};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != 1 && labels[i] != -1)
      throw InvalidArgument(
          fmt::format("train_kernel_svm: sample {} has label {}, expected 1 or -1", i,
                      static_cast<int>(labels[i])));
    const double share = costs.empty() ? 1 : costs[i];
    if (!(share >= 0) || !std::isfinite(share))
      throw InvalidArgument(fmt::format(
          "train_kernel_svm: sample {} costs {}, expected a finite number of 0 or more", i, share));
    if (share == 0) continue;
    seen[labels[i] > 0] = true;
    const double label = labels[i];
    all.push_back({static_cast<int>(i), label, cost * share, 0, -label});
  }
  if (!seen[0] || !seen[1])
    throw InvalidArgument(fmt::format(
        "train_kernel_svm: no sample with a cost above 0 has label {}; give samples of both labels",
        seen[1] ? -1 : 1));
  return all;
}

// A kernel as a function of a scalar product and the squared lengths of both samples.
struct KernelValue {
  SvmKernel kernel;
  double gamma;
  float operator()(float product, float a, float b) const {
    if (kernel == SvmKernel::kLinear) return product;
    const double distance = static_cast<double>(a) + b - 2 * static_cast<double>(product);
    return static_cast<float>(std::exp(-gamma * std::max(distance, 0.0)));
  }
};

// Squared lengths, as the tiles of products have them, so that the distance of a sample to itself
// is exactly 0.
std::vector<float> squared_lengths(ImageView<const float> rows) {
  std::vector<float> lengths(static_cast<std::size_t>(rows.height));
  float product = 0;
  for (int y = 0; y < rows.height; ++y) {
    const auto row = rows.crop(0, y, rows.width, 1);
    cpu::row_products(row, row, packed_view(&product, 1, 1));
    lengths[static_cast<std::size_t>(y)] = product;
  }
  return lengths;
}

// The kernel of every pair of samples.
class KernelMatrix {
 public:
  KernelMatrix(ImageView<const float> samples, const KernelSvmOptions& options)
      : values_(samples.height, samples.height) {
    const KernelValue value{options.kernel, options.gamma};
    const std::vector<float> lengths = squared_lengths(samples);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (!std::isfinite(lengths[i]))
        throw InvalidArgument(fmt::format(
            "train_kernel_svm: sample {} holds a number that is not finite, or too large", i));
    const int count = samples.height, tiles = (count + kTile - 1) / kTile;
    // The matrix is symmetric: a row of tiles begins at its diagonal and is mirrored.
    parallel_for(options.exec, tiles, 1, [&](std::int64_t first, std::int64_t last) {
      std::array<float, static_cast<std::size_t>(kTile) * kTile> memory;
      for (auto tile = static_cast<int>(first); tile < last; ++tile)
        for (int x = tile * kTile; x < count; x += kTile) {
          const int y = tile * kTile;
          const int rows = std::min(kTile, count - y), columns = std::min(kTile, count - x);
          const auto products = packed_view(memory.data(), columns, rows);
          cpu::row_products(samples.crop(0, y, samples.width, rows),
                            samples.crop(0, x, samples.width, columns), products);
          for (int j = 0; j < rows; ++j)
            for (int i = 0; i < columns; ++i)
              values_.at(y + j, x + i) = values_.at(x + i, y + j) =
                  value(products.at(i, j), lengths[element(y, j)], lengths[element(x, i)]);
        }
    });
  }
  const float* row(int index) const { return values_.row(index); }
  double diagonal(int index) const { return values_.at(index, index); }

 private:
  Image<float> values_;
};

class Solver {
 public:
  Solver(const KernelMatrix& kernel, std::vector<Variable>& variables,
         const KernelSvmOptions& options)
      : kernel_(kernel), all_(variables), options_(options) {}

  void solve(KernelSvm& result) {
    constexpr std::uint64_t kBetweenChecks = 1024;
    for (;; ++result.steps) {
      if (result.steps % kBetweenChecks == 0) throw_if_stopped(options_.exec);
      const int up = lowest_error();
      const Pair pair = partner_of(up);
      result.gap = pair.gap;
      result.converged = pair.gap <= options_.tolerance;
      if (result.converged || pair.down < 0 || result.steps >= options_.max_steps) break;
      change(up, pair.down);
    }
    result.bias = static_cast<float>(-level());
    for (const Variable& each : all_)  // sum of alpha minus half of alpha * label * score
      result.objective += each.alpha - 0.5 * each.alpha * each.label * (each.error + each.label);
  }

 private:
  struct Pair {
    int down = -1;
    double gap = 0;
  };

  // Of the variables that may grow along their label, the one with the lowest error; the first
  // among equals.
  int lowest_error() const {
    int best = -1;
    for (int i = 0; i < static_cast<int>(all_.size()); ++i)
      if (at(i).room_up() > 0 && (best < 0 || at(i).error < at(best).error)) best = i;
    return best;
  }

  // Of the variables that may fall, the one that gains most when `up` grows as much.
  Pair partner_of(int up) const {
    const float* row = kernel_.row(up);
    Pair pair;
    double most = 0, highest = -std::numeric_limits<double>::infinity();
    const double own = kernel_.diagonal(up), error = at(up).error;
    for (int i = 0; i < static_cast<int>(all_.size()); ++i) {
      if (at(i).room_down() <= 0) continue;
      highest = std::max(highest, at(i).error);
      const double difference = at(i).error - error;
      if (difference <= 0) continue;
      const double gain =
          difference * difference / curvature(own + kernel_.diagonal(i) - 2.0 * row[i]);
      if (gain > most) {
        most = gain;
        pair.down = i;
      }
    }
    pair.gap = std::max(highest - error, 0.0);
    return pair;
  }

  // Rounding may make the curvature between equal samples 0 or less.
  static double curvature(double value) { return std::max(value, 1e-12); }

  void change(int up, int down) {
    Variable &a = at(up), &b = at(down);
    const float *row = kernel_.row(up), *other = kernel_.row(down);
    const double most = (b.error - a.error) /
                        curvature(kernel_.diagonal(up) + kernel_.diagonal(down) - 2.0 * row[down]);
    const double step = std::min({most, a.room_up(), b.room_down()});
    const bool a_ends = step == a.room_up(), b_ends = step == b.room_down();
    a.alpha = a_ends ? (a.label > 0 ? a.upper : 0) : a.alpha + a.label * step;
    b.alpha = b_ends ? (b.label > 0 ? 0 : b.upper) : b.alpha - b.label * step;
    for (std::size_t i = 0; i < all_.size(); ++i)
      all_[i].error += step * (static_cast<double>(row[i]) - other[i]);
  }

  // The error that free variables have in common, or the middle of what the others allow.
  double level() const {
    double sum = 0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    int free = 0;
    for (const Variable& each : all_) {
      const bool up = each.room_up() > 0, down = each.room_down() > 0;
      if (up && down) sum += each.error, ++free;
      if (up) lowest = std::min(lowest, each.error);
      if (down) highest = std::max(highest, each.error);
    }
    return free > 0 ? sum / free : (lowest + highest) / 2;
  }

  Variable& at(int index) { return all_[static_cast<std::size_t>(index)]; }
  const Variable& at(int index) const { return all_[static_cast<std::size_t>(index)]; }

  const KernelMatrix& kernel_;
  std::vector<Variable>& all_;
  const KernelSvmOptions& options_;
};

Image<float> rows_of(ImageView<const float> samples, std::span<const Variable> variables) {
  Image<float> rows(samples.width, static_cast<int>(variables.size()));
  for (std::size_t i = 0; i < variables.size(); ++i)
    std::copy_n(samples.row(variables[i].row), samples.width, rows.row(static_cast<int>(i)));
  return rows;
}

}  // namespace

std::span<const Choice> choices(SvmKernel) {
  static constexpr Choice kAll[] = {{"linear", static_cast<int>(SvmKernel::kLinear)},
                                    {"rbf", static_cast<int>(SvmKernel::kRbf)}};
  return kAll;
}

void describe(OptionVisitor& visit, KernelSvmOptions& options) {
  visit("kernel", options.kernel, "how similar two samples are");
  visit("gamma", options.gamma, "exponent of the RBF kernel exp(-gamma |a - b|^2)", 1e-12, 1e12);
  visit("cost", options.cost,
        "C, the weight of the samples' losses relative to the length of the weights", 1e-12, 1e12);
  visit("tolerance", options.tolerance, "violation of the optimality conditions at which to end",
        1e-9, 10);
  visit("max-steps", options.max_steps, "greatest number of pairs that are changed", 1, 1e15);
  visit.bytes("kernel-memory", options.kernel_bytes,
              "the most memory for the matrix of the kernel, four bytes per pair of samples");
}

KernelSvm train_kernel_svm(ImageView<const float> samples, std::span<const std::int8_t> labels,
                           std::span<const float> sample_costs, const KernelSvmOptions& options) {
  check_options(options);
  check_problem(samples, labels, sample_costs);
  std::vector<Variable> variables = variables_of(labels, sample_costs, options.cost);
  const std::uint64_t needed = variables.size() * variables.size() * sizeof(float);
  if (needed > options.kernel_bytes)
    throw InvalidArgument(
        fmt::format("train_kernel_svm: the kernel of {} samples needs {} bytes, but kernel-memory "
                    "is {}; raise it or give fewer samples",
                    variables.size(), needed, options.kernel_bytes));
  const Image<float> used = rows_of(samples, variables);
  KernelSvm result{
      .kernel = options.kernel, .gamma = options.gamma, .vectors = {}, .coefficients = {}};
  {
    const KernelMatrix kernel(used, options);
    Solver(kernel, variables, options).solve(result);
  }
  std::erase_if(variables, [](const Variable& each) { return each.alpha == 0; });
  result.vectors = rows_of(samples, variables);
  result.coefficients.reserve(variables.size());
  for (const Variable& each : variables)
    result.coefficients.push_back(static_cast<float>(each.label * each.alpha));
  return result;
}

void kernel_svm_scores(const KernelSvm& svm, ImageView<const float> samples,
                       std::span<float> scores, const Exec& exec) {
  detail::require_host("kernel_svm_scores", "the matrix of samples", samples.memory);
  if (samples.channels != 1 || samples.width != svm.vectors.width())
    throw InvalidArgument(
        fmt::format("kernel_svm_scores: samples of {} features and {} channels, expected {} and 1",
                    samples.width, samples.channels, svm.vectors.width()));
  if (scores.size() != static_cast<std::size_t>(samples.height))
    throw InvalidArgument(fmt::format("kernel_svm_scores: room for {} scores of {} samples",
                                      scores.size(), samples.height));
  const KernelValue value{svm.kernel, svm.gamma};
  const ImageView<const float> vectors = svm.vectors;
  const std::vector<float> lengths = squared_lengths(vectors);
  parallel_for(exec, samples.height, kTile, [&](std::int64_t first, std::int64_t last) {
    std::array<float, static_cast<std::size_t>(kTile) * kTile> memory;
    std::array<double, kTile> sums;
    const auto y = static_cast<int>(first), rows = static_cast<int>(last - first);
    const auto part = samples.crop(0, y, samples.width, rows);
    const std::vector<float> own = squared_lengths(part);
    sums.fill(svm.bias);
    for (int x = 0; x < vectors.height; x += kTile) {
      const int columns = std::min(kTile, vectors.height - x);
      const auto products = packed_view(memory.data(), columns, rows);
      cpu::row_products(part, vectors.crop(0, x, vectors.width, columns), products);
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i)
          sums[static_cast<std::size_t>(j)] +=
              static_cast<double>(svm.coefficients[element(x, i)]) *
              value(products.at(i, j), own[static_cast<std::size_t>(j)], lengths[element(x, i)]);
    }
    for (int j = 0; j < rows; ++j)
      scores[element(y, j)] = static_cast<float>(sums[static_cast<std::size_t>(j)]);
  });
}

}  // namespace fovea
