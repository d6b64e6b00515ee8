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
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"
#include "scenes/classify/scorer.h"

namespace fovea::scenes {
bool takes_negative(const TrainClassifierOptions& options) {
  return options.classifier == ClassifierKind::kKnn ? options.distance != Distance::kChiSquared
                                                    : options.kernel == Kernel::kLinear;
}
bool takes_negative(const TrainedClassifier& classifier) {
  TrainClassifierOptions options{.classifier = classifier.kind,
                                 .distance = classifier.knn.distance};
  if (classifier.kind != ClassifierKind::kKnn) options.kernel = linear_functions(classifier).kernel;
  return takes_negative(options);
}

void check_histograms(const char* what, ImageView<const float> rows, bool negative) {
  for (int y = 0; y < rows.height; ++y)
    for (int x = 0; x < rows.width; ++x)
      if (!(rows.at(x, y) >= 0 || negative) || !std::isfinite(rows.at(x, y)))
        throw InvalidArgument(fmt::format("{}: histogram {} holds {}, expected finite numbers{}",
                                          what, y, rows.at(x, y), negative ? "" : " of 0 or more"));
}

namespace {

void check_rows(const char* what, ImageView<const float> rows) {
  if (rows.channels != 1)
    throw InvalidArgument(fmt::format(
        "{}: histograms of {} channels, expected 1: a row holds a histogram", what, rows.channels));
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
  const LinearFunctions functions = linear_functions(classifier);
  const int known = classifier.kind == ClassifierKind::kKnn
                        ? classifier.knn.samples.width()
                        : functions.weights.width / map_numbers(functions.kernel);
  if (bins != known)
    throw InvalidArgument(
        fmt::format("{}: histograms of {} bins, the classifier knows {}", what, bins, known));
}

}  // namespace

std::span<const Choice> choices(ClassifierKind) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"knn", static_cast<int>(ClassifierKind::kKnn)},
       {"svm", static_cast<int>(ClassifierKind::kSvm)},
       {"logistic", static_cast<int>(ClassifierKind::kLogistic)}}};
  return kChoices;
}

std::span<const Choice> choices(Distance) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"chi-squared", static_cast<int>(Distance::kChiSquared)},
       {"euclidean", static_cast<int>(Distance::kEuclidean)},
       {"cosine", static_cast<int>(Distance::kCosine)}}};
  return kChoices;
}

std::span<const Choice> choices(Kernel) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"intersection", static_cast<int>(Kernel::kIntersection)},
       {"chi-squared", static_cast<int>(Kernel::kChiSquared)},
       {"linear", static_cast<int>(Kernel::kLinear)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, TrainClassifierOptions& options) {
  visit("classifier", options.classifier,
        "knn lets the nearest training images vote; svm trains one support vector machine per "
        "class; logistic is multinomial logistic regression");
  visit("neighbors", options.neighbors, "K of knn: how many of the nearest images vote", 1,
        kMostNeighbors);
  visit("distance", options.distance, "which images knn takes for near");
  visit("kernel", options.kernel, "how svm and logistic compare two histograms");
  visit("cost", options.cost,
        "C of svm and logistic: the weight of the training images' losses beside the length of the "
        "weights; the linear kernel needs a greater one",
        1e-6, 1e6);
  visit("folds", options.folds,
        "svm: number of parts of the images that are left out in turn to calibrate probabilities; "
        "0 gives no probabilities",
        0, 100);
}

void describe(OptionVisitor& visit, DistanceOptions& options) {
  visit("distance", options.distance, "how far two histograms are from each other");
}

Image<float> TrainedClassifier::scores(ImageView<const float> features, const Exec& exec) const {
  check_rows("scores", features);
  if (features.height == 0) return Image<float>(classes, 0);
  check_bins("scores", *this, features.width);
  if (features.memory != Memory::kCuda) check_histograms("scores", features, takes_negative(*this));
  return Scorer(*this, detail::resolve_exec("scores", exec, {features})).scores(features);
}

Image<float> TrainedClassifier::contributions(std::span<const float> histogram,
                                              const Exec& exec) const {
  check_bins("contributions", *this, static_cast<int>(histogram.size()));
  Image<float> result(static_cast<int>(histogram.size()), classes);
  for (int y = 0; y < classes; ++y) std::fill_n(result.row(y), result.width(), 0.F);
  if (kind == ClassifierKind::kKnn) knn_contributions(knn, histogram, result, exec);
  else linear_contributions(linear_functions(*this), histogram, result);
  return result;
}

std::vector<std::int32_t> best_classes(ImageView<const float> scores) {
  std::vector<std::int32_t> best;
  best.reserve(static_cast<std::size_t>(scores.height));
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
  detail::require_host("train_classifier", "the image of histograms", features.memory);
  const LabeledRows data{features, labels, classes};
  check_labels(data);
  check_histograms("train_classifier", features, takes_negative(options));
  TrainedClassifier result{.kind = options.classifier, .classes = classes};
  if (options.classifier == ClassifierKind::kLogistic) {
    result.logistic = train_logistic(data, options, options.exec);
    return result;
  }
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
  result.knn = {
      options.neighbors, options.distance, clone(features), {labels.begin(), labels.end()}};
  return result;
}

void histogram_distances(ImageView<const float> from, ImageView<const float> to,
                         ImageView<float> distances, const DistanceOptions& options) {
  constexpr const char* kName = "histogram_distances";
  check_options(options);
  check_rows(kName, from);
  check_rows(kName, to);
  if (from.width != to.width)
    throw InvalidArgument(
        fmt::format("{}: histograms of {} and of {} bins", kName, from.width, to.width));
  detail::require_shape(kName, "distances", distances, to.height, from.height, 1);
  DistanceOptions resolved = options;
  resolved.exec = detail::resolve_exec(kName, options.exec, {from, to, distances});
  if (distances.empty()) return;
  if (detail::on_cuda(resolved.exec)) cuda::histogram_distances(from, to, distances, resolved);
  else cpu::histogram_distances(from, to, distances, resolved);
}

void chi_squared_distances(ImageView<const float> from, ImageView<const float> to,
                           ImageView<float> distances, const Exec& exec) {
  histogram_distances(from, to, distances, {.distance = Distance::kChiSquared, .exec = exec});
}

}  // namespace fovea::scenes
