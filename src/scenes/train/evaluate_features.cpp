// Trains and tests classifiers on splits of features, and sums up the results.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/evaluate.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/train/split_result.h"
#include "scenes/train/train_images.h"

namespace fovea::scenes {
namespace {

constexpr int kMostTried = 50;  // greatest number of neighbors whose accuracy is reported

void check_splits(std::span<const Split> splits, int images) {
  if (splits.empty()) throw InvalidArgument("evaluate: no split; there must be one or more");
  for (const Split& split : splits) {
    if (split.train.empty() || split.test.empty())
      throw InvalidArgument(fmt::format("evaluate: a split of {} training and {} test images",
                                        split.train.size(), split.test.size()));
    std::vector<bool> trained(static_cast<std::size_t>(images), false);
    const auto check = [&](int i) {
      if (i < 0 || i >= images)
        throw InvalidArgument(fmt::format("evaluate: a split names image {} of {}", i, images));
    };
    for (const int i : split.train) {
      check(i);
      trained[static_cast<std::size_t>(i)] = true;
    }
    for (const int i : split.test) {
      check(i);
      if (trained[static_cast<std::size_t>(i)])
        throw InvalidArgument(fmt::format("evaluate: image {} is trained on and tested with", i));
    }
  }
}

// By the numbers of rows, which callers replace by those of images.
std::vector<Prediction> predictions_of(std::span<const std::int32_t> labels) {
  std::vector<Prediction> predictions;
  predictions.reserve(labels.size());
  for (const std::int32_t label : labels)
    predictions.push_back({static_cast<int>(predictions.size()), label});
  return predictions;
}

// One search for neighbors is enough for all numbers of them.
SplitReport run_neighbors(const LabeledRows& train, const LabeledRows& test,
                          const TrainClassifierOptions& options) {
  const int asked = options.neighbors, samples = train.rows.height;
  if (asked > samples)
    throw InvalidArgument(
        fmt::format("evaluate: {} neighbors of {} training images; choose fewer", asked, samples));
  const int tried = std::min(kMostTried, samples);
  const Exec exec = detail::resolve_exec("evaluate", options.exec, {train.rows, test.rows});
  Image<std::int32_t> nearest(std::max(tried, asked), test.rows.height);
  make_neighbor_engine({train.rows, options.distance, exec})->find(test.rows, nearest);
  std::vector<std::int32_t> predicted(test.labels.size());
  Image<std::int32_t> right(tried, test.rows.height);
  parallel_for(exec, test.rows.height, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> shares(static_cast<std::size_t>(test.classes));
    std::vector<std::int32_t> labels(static_cast<std::size_t>(nearest.width()));
    const auto winner = [&](int count) {
      vote(labels, count, shares);
      return static_cast<std::int32_t>(std::ranges::max_element(shares) - shares.begin());
    };
    for (int y = static_cast<int>(begin); y < end; ++y) {
      std::transform(nearest.row(y), nearest.row(y) + nearest.width(), labels.begin(),
                     [&](std::int32_t i) { return train.labels[static_cast<std::size_t>(i)]; });
      const auto at = static_cast<std::size_t>(y);
      for (int k = 1; k <= tried; ++k) right.at(k - 1, y) = winner(k) == test.labels[at] ? 1 : 0;
      predicted[at] = winner(asked);
    }
  });
  SplitReport result{count_confusion(test.labels, predicted, test.classes),
                     std::vector<std::int64_t>(static_cast<std::size_t>(tried), 0),
                     {},
                     predictions_of(predicted)};
  for (int y = 0; y < test.rows.height; ++y)
    for (int k = 0; k < tried; ++k)
      result.right_by_neighbors[static_cast<std::size_t>(k)] += right.at(k, y);
  return result;
}

// The rows and labels of some samples.
struct ChosenRows {
  Image<float> rows;
  std::vector<std::int32_t> labels;

  ChosenRows(ImageView<const float> features, std::span<const std::int32_t> all,
             std::span<const int> which)
      : rows(rows_of(features, which, 1)) {
    labels.reserve(which.size());
    for (const int i : which) labels.push_back(all[static_cast<std::size_t>(i)]);
  }
};

}  // namespace

void check_labels(std::span<const std::int32_t> labels, int images, int classes) {
  if (labels.size() != static_cast<std::size_t>(images))
    throw InvalidArgument(fmt::format("evaluate: {} labels for {} images", labels.size(), images));
  if (classes < 2)
    throw InvalidArgument(fmt::format("evaluate: {} class, expected two or more", classes));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || labels[i] >= classes)
      throw InvalidArgument(fmt::format("evaluate: image {} has label {}, expected 0 to {}", i,
                                        labels[i], classes - 1));
}

void check_evaluation(std::span<const std::int32_t> labels, int images, int classes,
                      std::span<const Split> splits) {
  check_labels(labels, images, classes);
  check_splits(splits, images);
}

SplitReport run_split(const LabeledRows& train, const LabeledRows& test,
                      const TrainClassifierOptions& options) {
  if (options.classifier == ClassifierKind::kKnn) return run_neighbors(train, test, options);
  const TrainedClassifier classifier =
      train_classifier(train.rows, train.labels, train.classes, options);
  const auto predicted = best_classes(classifier.scores(test.rows, options.exec));
  return {.confusion = count_confusion(test.labels, predicted, test.classes),
          .predictions = predictions_of(predicted)};
}

void number_predictions(SplitReport& report, std::span<const int> images) {
  for (Prediction& prediction : report.predictions)
    prediction.image = images[static_cast<std::size_t>(prediction.image)];
}

Exec exec_of_split(const Exec& exec, std::size_t split, std::size_t count) {
  Exec inner = exec;
  if (!exec.progress || count == 1) return inner;
  inner.progress = [&exec, split, count](const Progress& progress) {
    const std::string stage = fmt::format("split {} of {}: {}", split + 1, count, progress.stage);
    exec.progress({stage, progress.done, progress.total});
  };
  return inner;
}

EvaluateReport summarize_splits(std::span<const SplitReport> splits, DictionaryFrom words) {
  EvaluateReport report;
  const auto count = static_cast<double>(splits.size());
  report.splits.reserve(splits.size());
  for (const SplitReport& split : splits) {
    report.splits.push_back(split.confusion);
    report.total += split.confusion;
    report.accuracy_mean += split.confusion.accuracy() / count;
    report.predictions.insert(report.predictions.end(), split.predictions.begin(),
                              split.predictions.end());
    if (words == DictionaryFrom::kSplit || report.learning.empty())
      report.learning.insert(report.learning.end(), split.learning.begin(), split.learning.end());
  }
  double squares = 0;
  for (const Confusion& split : report.splits)
    squares += std::pow(split.accuracy() - report.accuracy_mean, 2);
  if (count > 1) report.accuracy_deviation = std::sqrt(squares / (count - 1));

  std::size_t tried = kMostTried;
  for (const SplitReport& split : splits) tried = std::min(tried, split.right_by_neighbors.size());
  for (std::size_t k = 0; k < tried; ++k) {
    double mean = 0;
    for (const SplitReport& split : splits)
      mean += static_cast<double>(split.right_by_neighbors[k]) /
              static_cast<double>(split.confusion.total()) / count;
    report.neighbors.push_back(static_cast<int>(k) + 1);
    report.neighbors_accuracy.push_back(mean);
  }
  return report;
}

EvaluateReport evaluate_features(ImageView<const float> features,
                                 std::span<const std::int32_t> labels, int classes,
                                 std::span<const Split> splits,
                                 const TrainClassifierOptions& options,
                                 const SplitFinished& finished) {
  check_options(options);
  detail::require_host("evaluate_features", "the image of histograms", features.memory);
  check_evaluation(labels, features.height, classes, splits);
  check_histograms("evaluate_features", features, takes_negative(options));
  std::vector<SplitReport> results;
  results.reserve(splits.size());
  for (std::size_t i = 0; i < splits.size(); ++i) {
    throw_if_stopped(options.exec);
    const ChosenRows train(features, labels, splits[i].train);
    const ChosenRows test(features, labels, splits[i].test);
    TrainClassifierOptions own = options;
    own.exec = exec_of_split(options.exec, i, splits.size());
    results.push_back(
        run_split({train.rows, train.labels, classes}, {test.rows, test.labels, classes}, own));
    number_predictions(results.back(), splits[i].test);
    if (own.exec.progress) own.exec.progress({"classifier", 1, 1});
    if (finished) finished(i, results.back());
  }
  return summarize_splits(results, DictionaryFrom::kSplit);
}

}  // namespace fovea::scenes
