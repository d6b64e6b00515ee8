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

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"

namespace fovea::scenes {
namespace {

constexpr double kTolerance = 0.02;
constexpr std::uint64_t kFoldSequence = 0x666f6c64;

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
      : data_(data),
        options_(options),
        exec_(exec),
        samples_(options.kernel, data.rows, exec),
        rows_(samples_.rows()) {}

  SvmClasses train();

 private:
  LinearSvm solve(int positive, int left_out) const;
  float margin(const LinearSvm& solved, int row) const;

  const LabeledRows& data_;
  const TrainClassifierOptions& options_;
  const Exec& exec_;
  MappedSamples samples_;
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

SvmClasses OneAgainstAll::train() {
  const int folds = options_.folds;
  if (folds > 0) fold_ = deal_folds(data_.labels, data_.classes, folds, exec_.seed);

  SvmClasses result;
  result.kernel = options_.kernel;
  result.weights = Image<float>(samples_.width(), data_.classes);
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
      std::ranges::copy(samples_.weights(solved.weights), result.weights.row(c));
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

void svm_scores(const SvmClasses& svm, ImageView<const double> values, ImageView<float> scores) {
  for (int y = 0; y < scores.height; ++y) {
    double sum = 0;
    for (int c = 0; c < scores.width; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const double margin = values.at(c, y) + svm.bias[at];
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
}

void linear_contributions(const LinearFunctions& functions, std::span<const float> histogram,
                          ImageView<float> contributions) {
  const KernelMap map(functions.kernel);
  const auto numbers = static_cast<std::size_t>(map.numbers());
  KernelMap::Sparse sparse;
  map.map(histogram, sparse);
  for (int c = 0; c < contributions.height; ++c)
    for (std::size_t i = 0; i < sparse.bins.size(); ++i) {
      const float* weights =
          functions.weights.row(c) + static_cast<std::size_t>(sparse.bins[i]) * numbers;
      double sum = 0;
      for (std::size_t k = 0; k < numbers; ++k)
        sum += static_cast<double>(sparse.numbers[i][k]) * weights[k];
      contributions.at(sparse.bins[i], c) = static_cast<float>(sum);
    }
}

}  // namespace fovea::scenes
