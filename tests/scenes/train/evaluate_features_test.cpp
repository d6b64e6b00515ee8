// Covers: split_result
#include <fovea/core/error.h>
#include <fovea/scenes/evaluate.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/classify/histograms.h"
#include "scenes/textures.h"
#include "scenes/with_exec.h"
#include "support/files.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(EvaluateFeatures, IsTheEvaluationOfImagesWithTheirFeatures) {
  const Textures set(8);
  EvaluateOptions options;
  options.train.descriptor.step = 3;
  options.train.dictionary.words = 10;
  options.train.dictionary.samples = 20;
  options.train.pyramid = 0;
  const Dictionary dictionary =
      learn_dictionary(set, options.train.descriptor, options.train.dictionary);
  const Image<float> features = make_features(set, dictionary, features_with(0)).features;
  const std::vector<Split> splits = random_splits(set.labels, 3, 2, 0.75, 5);
  for (const ClassifierKind kind :
       {ClassifierKind::kKnn, ClassifierKind::kSvm, ClassifierKind::kLogistic}) {
    options.train.classifier = {.classifier = kind, .neighbors = 3, .distance = Distance::kCosine};
    const EvaluateReport images = evaluate(set, set.labels, 3, splits, options);
    const EvaluateReport table =
        evaluate_features(features, set.labels, 3, splits, options.train.classifier);
    ASSERT_EQ(table.splits.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(table.splits[i].counts, images.splits[i].counts);
    EXPECT_EQ(table.accuracy_mean, images.accuracy_mean);
    EXPECT_EQ(table.accuracy_deviation, images.accuracy_deviation);
    EXPECT_EQ(table.neighbors, images.neighbors);
    EXPECT_EQ(table.neighbors_accuracy, images.neighbors_accuracy);
    EXPECT_EQ(table.neighbors.empty(), kind != ClassifierKind::kKnn);
    EXPECT_TRUE(table.learning.empty());
  }
}

// With one neighbor, a histogram that is trained on as well has the class of its twin.
TEST(EvaluateFeatures, CountsWhatIsRight) {
  const DrawnHistograms data = draw_histograms(2, 6, 12, 0.2F, 1);
  Image<float> twice(12, 24);
  std::vector<std::int32_t> labels;
  for (int y = 0; y < 24; ++y) {
    std::copy_n(data.rows.row(y % 12), 12, twice.row(y));
    labels.push_back(data.labels[static_cast<std::size_t>(y % 12)]);
  }
  labels[20] = 1 - labels[20];
  Split split;
  for (int y = 0; y < 12; ++y) split.train.push_back(y);
  for (int y = 12; y < 24; ++y) split.test.push_back(y);
  const EvaluateReport report = evaluate_features(twice, labels, 2, {&split, 1}, {.neighbors = 1});
  EXPECT_DOUBLE_EQ(report.accuracy_mean, 11.0 / 12);
  EXPECT_DOUBLE_EQ(report.neighbors_accuracy.at(0), 11.0 / 12);
  EXPECT_EQ(report.neighbors.size(), 12U);
}

TEST(EvaluateFeatures, SaysWhatIsWrong) {
  const DrawnHistograms data = draw_histograms(2, 6, 12, 0.2F, 1);
  const std::vector<Split> splits = random_splits(data.labels, 2, 1, 0.5, 1);
  const auto why = [&](std::span<const std::int32_t> labels,
                       const TrainClassifierOptions& options) {
    return message_of<InvalidArgument>(
        [&] { evaluate_features(data.rows, labels, 2, splits, options); });
  };
  EXPECT_THAT(why(data.labels, {.neighbors = 7}), HasSubstr("7 neighbors of 6"));
  EXPECT_THAT(why(std::span(data.labels).first(5), {}), HasSubstr("5 labels for 12"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { evaluate_features(data.rows, data.labels, 2, {}); }),
      HasSubstr("no split"));
}

}  // namespace
}  // namespace fovea::scenes
