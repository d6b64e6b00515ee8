// The fields of what the scenes system gives.
#include <fovea/core/record.h>
#include <fovea/scenes/evaluate.h>

namespace fovea::scenes {

void describe(FieldVisitor& visit, ClassifyResult& result) {
  visit.record("ClassifyResult", "which kind of place an image shows");
  visit("name", result.name, "the class with the greatest score");
  visit("label", result.label, "its number in the model, from 0");
  visit("score", result.score, "its score");
  visit("scores", result.scores,
        "one per class, in the model's order; they add up to 1 unless the model is not calibrated");
}

void describe(FieldVisitor& visit, ClassNames& names) {
  visit("classes", names.classes, "the names of the model's classes, by label");
}

void describe(FieldVisitor& visit, WordLearning& learning) {
  visit.record("WordLearning", "how words were learned");
  visit("iterations", learning.iterations, "of k-means on the samples");
  visit("inertia", learning.inertia,
        "sum of the squared distances of the samples, or places, from their words");
  visit("converged", learning.converged, "whether k-means ended by itself");
  visit("samples", learning.samples, "how many descriptors the words were learned from");
  visit("passes", learning.passes, "with all places: how often every place was looked at",
        {.sparse = true});
  visit("batches", learning.batches, "mini-batches in these passes", {.sparse = true});
}

void describe(FieldVisitor& visit, Prediction& prediction) {
  visit.record("Prediction", "what an image was classified as when it was tested");
  visit("image", prediction.image, "its number");
  visit("label", prediction.label, "the class");
}

void describe(FieldVisitor& visit, SplitReport& report) {
  visit.record("SplitReport", "how one split was classified");
  visit("classes", report.confusion.classes, "how many there are");
  visit("confusion", report.confusion.counts,
        "how often a true class was taken for each class, row after row");
  visit("right_by_neighbors", report.right_by_neighbors,
        "knn: how many test images were right with 1, 2, ... neighbors");
  visit("learning", report.learning, "how its words were learned");
  visit("predictions", report.predictions, "of its test images");
}

void describe(FieldVisitor& visit, NeighborsAccuracy& accuracy) {
  visit.record("NeighborsAccuracy", "the accuracy with a number of neighbors");
  visit("k", accuracy.k, "how many neighbors vote");
  visit("accuracy", accuracy.accuracy, "the mean over the splits");
}

void describe(FieldVisitor& visit, EvaluationSummary& summary) {
  visit.record("EvaluationSummary", "how often images were classified correctly");
  visit("images", summary.images, "how many images there were");
  visit("failed", summary.failed, "how many of them could not be read");
  visit("splits", summary.splits, "how often they were divided");
  visit("accuracy_mean", summary.accuracy_mean, "over the splits");
  visit("accuracy_deviation", summary.accuracy_deviation, "between the splits");
  visit("accuracy_interval", summary.accuracy_interval,
        "95 % confidence interval, for a single split");
  visit("accuracies", summary.accuracies, "one per split");
  visit("accuracy_against_k", summary.accuracy_against_k,
        "knn: numbers of neighbors and the accuracy with each", {.sparse = true});
  visit("kmeans", summary.kmeans, "how words were learned: once for all splits, or once per split");
  visit("classes", summary.classes, "the names, by label");
  visit("confusion_matrix", summary.confusion_matrix,
        "rows are true classes, columns predicted ones");
  visit("recall", summary.recall, "the share of each true class that is right", {.printed = false});
}

EvaluationSummary summarize(const EvaluateReport& report, int images,
                            const std::vector<std::string>& classes) {
  EvaluationSummary summary{.images = images,
                            .failed = report.failed,
                            .splits = static_cast<int>(report.splits.size()),
                            .accuracy_mean = report.accuracy_mean,
                            .accuracy_deviation = report.accuracy_deviation,
                            .kmeans = report.learning,
                            .classes = classes,
                            .recall = report.total.recall()};
  if (report.splits.size() == 1) {
    const Interval interval = report.total.interval();
    summary.accuracy_interval = {interval.low, interval.high};
  }
  for (const Confusion& split : report.splits) summary.accuracies.push_back(split.accuracy());
  for (std::size_t i = 0; i < report.neighbors.size(); ++i)
    summary.accuracy_against_k.push_back({report.neighbors[i], report.neighbors_accuracy[i]});
  const auto width = static_cast<std::ptrdiff_t>(report.total.classes);
  for (auto row = report.total.counts.begin(); row != report.total.counts.end(); row += width)
    summary.confusion_matrix.emplace_back(row, row + width);
  return summary;
}

}  // namespace fovea::scenes
