// Checks the histograms with which a classifier is trained or that it scores, and dispatches by its
// kind.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/trained_classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"

namespace fovea::scenes {
namespace {

void check_rows(const char* what, ImageView<const float> rows) {
  detail::require_host(what, "the image of histograms", rows.memory);
  if (rows.channels != 1)
    throw InvalidArgument(fmt::format(
        "{}: histograms of {} channels, expected 1: a row holds a histogram", what, rows.channels));
}

// Throws unless all histograms are finite and have no negative values.
void check_histograms(ImageView<const float> rows) {
  for (int y = 0; y < rows.height; ++y)
    for (int x = 0; x < rows.width; ++x)
      if (!(rows.at(x, y) >= 0) || !std::isfinite(rows.at(x, y)))
        throw InvalidArgument(
            fmt::format("train_classifier: histogram {} holds {}, expected finite numbers of 0 or "
                        "more",
                        y, rows.at(x, y)));
}

void check_labels(const LabeledRows& data) {
  if (data.rows.empty())
    throw InvalidArgument(
        fmt::format("train_classifier: {} histograms of {} bins; there must be some",
                    data.rows.height, data.rows.width));
  if (data.labels.size() != static_cast<std::size_t>(data.rows.height))
    throw InvalidArgument(fmt::format("train_classifier: {} labels for {} histograms",
                                      data.labels.size(), data.rows.height));
  if (data.classes < 2)
    throw InvalidArgument(
        fmt::format("train_classifier: {} class, expected two or more", data.classes));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(data.classes), 0);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    if (data.labels[i] < 0 || data.labels[i] >= data.classes)
      throw InvalidArgument(
          fmt::format("train_classifier: histogram {} has label {}, expected 0 to {}", i,
                      data.labels[i], data.classes - 1));
    ++counts[static_cast<std::size_t>(data.labels[i])];
  }
  const auto none = std::ranges::find(counts, 0);
  if (none != counts.end())
    throw InvalidArgument(fmt::format("train_classifier: class {} has no histogram to learn from",
                                      none - counts.begin()));
}

// Throws unless the histograms have the bins that the classifier knows.
void check_bins(const char* what, const TrainedClassifier& classifier, int bins) {
  const int known = classifier.kind == ClassifierKind::kKnn
                        ? classifier.knn.samples.width()
                        : classifier.svm.weights.width() / kMapNumbers;
  if (bins != known)
    throw InvalidArgument(
        fmt::format("{}: histograms of {} bins, the classifier knows {}", what, bins, known));
}

}  // namespace

std::span<const Choice> choices(ClassifierKind) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"knn", static_cast<int>(ClassifierKind::kKnn)},
       {"svm", static_cast<int>(ClassifierKind::kSvm)}}};
  return kChoices;
}

std::span<const Choice> choices(Kernel) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"intersection", static_cast<int>(Kernel::kIntersection)},
       {"chi-squared", static_cast<int>(Kernel::kChiSquared)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, TrainClassifierOptions& options) {
  visit("classifier", options.classifier,
        "knn lets the nearest training images vote; svm trains one support vector machine per "
        "class");
  visit("neighbors", options.neighbors, "K of knn: how many of the nearest images vote", 1, 1000);
  visit("kernel", options.kernel, "how svm compares two histograms");
  visit("cost", options.cost, "C of svm: the weight of a training image on the wrong side", 1e-6,
        1e6);
  visit("folds", options.folds,
        "svm: number of parts of the images that are left out in turn to calibrate probabilities; "
        "0 gives no probabilities",
        0, 100);
}

Image<float> TrainedClassifier::scores(ImageView<const float> features, const Exec& exec) const {
  check_rows("scores", features);
  if (features.height > 0) check_bins("scores", *this, features.width);
  Image<float> result(classes, features.height);
  if (features.height == 0) return result;
  if (kind == ClassifierKind::kKnn) knn_scores(knn, features, result, exec);
  else svm_scores(svm, features, result, exec);
  return result;
}

Image<float> TrainedClassifier::contributions(std::span<const float> histogram,
                                              const Exec& exec) const {
  check_bins("contributions", *this, static_cast<int>(histogram.size()));
  Image<float> result(static_cast<int>(histogram.size()), classes);
  for (int y = 0; y < classes; ++y) std::fill_n(result.row(y), result.width(), 0.F);
  if (kind == ClassifierKind::kKnn) knn_contributions(knn, histogram, result, exec);
  else svm_contributions(svm, histogram, result);
  return result;
}

std::vector<std::int32_t> best_classes(ImageView<const float> scores) {
  std::vector<std::int32_t> best;
  for (int y = 0; y < scores.height; ++y) {
    const float* row = scores.row(y);
    best.push_back(static_cast<std::int32_t>(std::max_element(row, row + scores.width) - row));
  }
  return best;
}

TrainedClassifier train_classifier(ImageView<const float> features,
                                   std::span<const std::int32_t> labels, int classes,
                                   const TrainClassifierOptions& options) {
  check_options(options);
  check_rows("train_classifier", features);
  const LabeledRows data{features, labels, classes};
  check_labels(data);
  check_histograms(features);
  TrainedClassifier result{.kind = options.classifier, .classes = classes};
  if (options.classifier == ClassifierKind::kSvm) {
    if (options.folds == 1)
      throw InvalidArgument(
          "train_classifier: 1 fold leaves nothing to train on; choose 0 or 2 and more");
    result.svm = train_svm(data, options, options.exec);
    return result;
  }
  if (options.neighbors > features.height)
    throw InvalidArgument(fmt::format("train_classifier: {} neighbors of {} samples; choose fewer",
                                      options.neighbors, features.height));
  result.knn = {options.neighbors, clone(features), {labels.begin(), labels.end()}};
  return result;
}

void chi_squared_distances(ImageView<const float> from, ImageView<const float> to,
                           ImageView<float> distances, const Exec& exec) {
  check_rows("chi_squared_distances", from);
  check_rows("chi_squared_distances", to);
  if (from.width != to.width)
    throw InvalidArgument(fmt::format("chi_squared_distances: histograms of {} and of {} bins",
                                      from.width, to.width));
  detail::require_host("chi_squared_distances", "the image of distances", distances.memory);
  detail::require_shape("chi_squared_distances", "distances", distances, to.height, from.height, 1);
  constexpr int kRows = 8;
  parallel_for(exec, from.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    cpu::chi_squared_rows(from, to, distances, static_cast<int>(begin), static_cast<int>(end));
  });
}

}  // namespace fovea::scenes
