// Support vector machines, one class against all others, on mapped histograms. The problems of all
// classes, and those that leave out a part of the samples for calibration, use the same samples.
// They are solved in the space that the samples span, whose rows are many times shorter.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/linear_svm.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"

namespace fovea::scenes {
namespace {

// With more samples than this, the matrix of all products costs more than it saves.
constexpr int kMostBasis = 6000;
constexpr double kTolerance = 0.02;
constexpr std::uint64_t kFoldSequence = 0x666f6c64;

Image<float> mapped(const KernelMap& map, ImageView<const float> rows, const Exec& exec) {
  Image<float> result(rows.width * kMapNumbers, rows.height);
  parallel_for(exec, rows.height, 8, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < end; ++y)
      map.map({rows.row(y), static_cast<std::size_t>(rows.width)},
              {result.row(y), static_cast<std::size_t>(result.width())});
  });
  return result;
}

// Returns, for each sample, the fold in which it is left out; every class is divided evenly among
// the folds. The only sample of a class gets -1 and is never left out.
std::vector<int> deal_folds(std::span<const std::int32_t> labels, int classes, int folds,
                            std::uint64_t seed) {
  std::vector<int> fold(labels.size(), -1);
  int next = 0;
  for (int c = 0; c < classes; ++c) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == c) members.push_back(i);
    if (members.size() < 2) continue;
    Random random(seed, kFoldSequence + static_cast<std::uint64_t>(c));
    shuffle(members, random);
    for (const std::size_t i : members) fold[i] = next++ % folds;
  }
  return fold;
}

// All problems over the same samples.
class OneAgainstAll {
 public:
  OneAgainstAll(const LabeledRows& data, const TrainClassifierOptions& options, const Exec& exec)
      : data_(data), options_(options), exec_(exec) {}

  SvmClasses train();

 private:
  LinearSvm solve(int positive, int left_out) const;
  std::vector<float> weights_of(const LinearSvm& solved) const;
  float margin(const LinearSvm& solved, int row) const;

  const LabeledRows& data_;
  const TrainClassifierOptions& options_;
  const Exec& exec_;
  Image<float> mapped_;
  std::optional<ProductBasis> basis_;
  ImageView<const float> rows_;  // the samples that problems are solved on
  std::vector<int> fold_;
};

LinearSvm OneAgainstAll::solve(int positive, int left_out) const {
  std::vector<std::int8_t> signs(data_.labels.size());
  std::vector<float> costs(data_.labels.size(), 1);
  for (std::size_t i = 0; i < signs.size(); ++i) {
    signs[i] = data_.labels[i] == positive ? 1 : -1;
    if (left_out >= 0 && fold_[i] == left_out) costs[i] = 0;
  }
  LinearSvmOptions svm{.cost = options_.cost, .tolerance = kTolerance};
  svm.exec.seed = exec_.seed;
  svm.exec.stop = exec_.stop;
  return train_linear_svm(rows_, signs, costs, svm);
}

float OneAgainstAll::margin(const LinearSvm& solved, int row) const {
  return std::inner_product(solved.weights.begin(), solved.weights.end(), rows_.row(row),
                            solved.bias);
}

std::vector<float> OneAgainstAll::weights_of(const LinearSvm& solved) const {
  if (!basis_) return solved.weights;
  const std::vector<double> factors = basis_->factors(solved.weights);
  std::vector<double> sums(static_cast<std::size_t>(mapped_.width()), 0.0);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0) continue;
    const float* row = mapped_.row(static_cast<int>(i));
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += factors[i] * row[k];
  }
  return {sums.begin(), sums.end()};
}

SvmClasses OneAgainstAll::train() {
  mapped_ = mapped(KernelMap(options_.kernel), data_.rows, exec_);
  const bool wide = mapped_.width() > mapped_.height() && mapped_.height() <= kMostBasis;
  if (wide) basis_.emplace(mapped_, exec_);
  rows_ = wide ? basis_->rows() : mapped_.view();
  const int folds = options_.folds;
  if (folds > 0) fold_ = deal_folds(data_.labels, data_.classes, folds, exec_.seed);

  SvmClasses result;
  result.kernel = options_.kernel;
  result.weights = Image<float>(mapped_.width(), data_.classes);
  const auto classes = static_cast<std::size_t>(data_.classes);
  result.bias.resize(classes);
  // Problem 0 of a class uses all samples; the others leave out one fold each.
  const int problems = 1 + folds;
  std::vector<std::vector<float>> margins(classes, std::vector<float>(data_.labels.size()));
  Exec quiet = exec_;
  quiet.progress = {};
  const std::int64_t count = std::int64_t{data_.classes} * problems;
  parallel_for(quiet, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto c = static_cast<int>(i / problems);
      const auto left_out = static_cast<int>(i % problems) - 1;
      const LinearSvm solved = solve(c, left_out);
      const auto at = static_cast<std::size_t>(c);
      for (int row = 0; folds > 0 && row < rows_.height; ++row)
        if (fold_[static_cast<std::size_t>(row)] == left_out)
          margins[at][static_cast<std::size_t>(row)] = margin(solved, row);
      if (left_out >= 0) continue;
      std::ranges::copy(weights_of(solved), result.weights.row(c));
      result.bias[at] = solved.bias;
    }
  });
  for (std::size_t c = 0; c < classes && folds > 0; ++c) {
    std::vector<std::int8_t> belongs(data_.labels.size());
    for (std::size_t i = 0; i < belongs.size(); ++i)
      belongs[i] = static_cast<std::size_t>(data_.labels[i]) == c ? 1 : 0;
    const Sigmoid sigmoid = fit_sigmoid(margins[c], belongs);
    result.slope.push_back(static_cast<float>(sigmoid.slope));
    result.offset.push_back(static_cast<float>(sigmoid.offset));
  }
  return result;
}

}  // namespace

SvmClasses train_svm(const LabeledRows& data, const TrainClassifierOptions& options,
                     const Exec& exec) {
  return OneAgainstAll(data, options, exec).train();
}

void svm_scores(const SvmClasses& svm, ImageView<const float> features, ImageView<float> scores,
                const Exec& exec) {
  const KernelMap map(svm.kernel);
  parallel_for(exec, features.height, 4, [&](std::int64_t begin, std::int64_t end) {
    KernelMap::Sparse sparse;
    for (int y = static_cast<int>(begin); y < end; ++y) {
      map.map({features.row(y), static_cast<std::size_t>(features.width)}, sparse);
      double sum = 0;
      for (int c = 0; c < scores.width; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const float* weights = svm.weights.row(c);
        double margin = svm.bias[at];
        for (std::size_t i = 0; i < sparse.bins.size(); ++i)
          for (std::size_t k = 0; k < kMapNumbers; ++k)
            margin += static_cast<double>(sparse.numbers[i][k]) *
                      weights[static_cast<std::size_t>(sparse.bins[i]) * kMapNumbers + k];
        const double score =
            svm.slope.empty() ? margin : Sigmoid{svm.slope[at], svm.offset[at]}(margin);
        scores.at(c, y) = static_cast<float>(score);
        sum += score;
      }
      if (svm.slope.empty()) continue;
      // An image that is far from all classes may have only probabilities that round to 0.
      for (int c = 0; c < scores.width; ++c)
        scores.at(c, y) = sum > 0 ? static_cast<float>(scores.at(c, y) / sum)
                                  : 1.F / static_cast<float>(scores.width);
    }
  });
}

void svm_contributions(const SvmClasses& svm, std::span<const float> histogram,
                       ImageView<float> contributions) {
  KernelMap::Sparse sparse;
  KernelMap(svm.kernel).map(histogram, sparse);
  for (int c = 0; c < contributions.height; ++c)
    for (std::size_t i = 0; i < sparse.bins.size(); ++i) {
      const float* weights =
          svm.weights.row(c) + static_cast<std::ptrdiff_t>(sparse.bins[i]) * kMapNumbers;
      double sum = 0;
      for (std::size_t k = 0; k < kMapNumbers; ++k)
        sum += static_cast<double>(sparse.numbers[i][k]) * weights[k];
      contributions.at(sparse.bins[i], c) = static_cast<float>(sum);
    }
}

}  // namespace fovea::scenes
