// Covers: margins, classifier_cuda, backend
#include "scenes/classify/scorer.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scenes/classify/histograms.h"
#include "scenes/classify/kernel_map.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

std::vector<TrainClassifierOptions> every_classifier() {
  std::vector<TrainClassifierOptions> all;
  for (const Distance distance : {Distance::kChiSquared, Distance::kEuclidean, Distance::kCosine})
    all.push_back({.neighbors = 7, .distance = distance});
  for (const Kernel kernel : {Kernel::kIntersection, Kernel::kChiSquared, Kernel::kLinear}) {
    all.push_back({.classifier = ClassifierKind::kSvm, .kernel = kernel, .folds = 2});
    all.push_back({.classifier = ClassifierKind::kSvm, .kernel = kernel, .folds = 0});
    all.push_back({.classifier = ClassifierKind::kLogistic, .kernel = kernel});
  }
  return all;
}

class Scores : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(Scores);

// The products of all mapped bins with the weights, in double precision.
TEST_P(Scores, MarginsAreTheSumsTheySay) {
  const DrawnHistograms data = draw_histograms(3, 9, 37, 0.5F, 1);
  for (const Kernel kernel : {Kernel::kIntersection, Kernel::kChiSquared, Kernel::kLinear}) {
    Random random(2);
    const KernelMap map(kernel);
    const int width = 37 * map.numbers();
    const Image<float> weights = test::random_image<float>(random, width, 5);
    Image<double> margins(5, 27);
    make_margin_engine({{kernel, weights}, {.device = device()}})->find(data.rows, margins);
    std::vector<float> mapped(static_cast<std::size_t>(width));
    for (int y = 0; y < 27; ++y) {
      map.map({data.rows.row(y), 37}, mapped);
      for (int c = 0; c < 5; ++c) {
        double expected = 0;
        for (int i = 0; i < width; ++i)
          expected += static_cast<double>(mapped[static_cast<std::size_t>(i)]) * weights.at(i, c);
        ASSERT_NEAR(margins.at(c, y), expected, 1e-12);
      }
    }
  }
}

// Also the twins: a GPU computes the scores of the CPU to the bit, wherever the features lie.
TEST_P(Scores, AreThoseOfOneThreadOfTheCpuToTheBit) {
  const DrawnHistograms train = draw_histograms(5, 12, 83, 0.6F, 1);
  const DrawnHistograms test = draw_histograms(5, 13, 83, 0.6F, 2);
  for (const TrainClassifierOptions& options : every_classifier()) {
    const TrainedClassifier classifier = train_classifier(train.rows, train.labels, 5, options);
    const Image<float> expected =
        classifier.scores(test.rows, {.device = Device::cpu(), .threads = 1});
    const Image<float> found = classifier.scores(test.rows, {.device = device(), .threads = 3});
    EXPECT_TRUE(test::images_equal(expected, found));
    EXPECT_EQ(best_classes(expected), best_classes(found));
    if (device().kind != DeviceKind::kCuda) continue;
    EXPECT_TRUE(test::images_equal(expected, classifier.scores(clone(test.rows, Memory::kCuda))));
  }
}

TEST_P(Scores, AScorerServesManyCalls) {
  const DrawnHistograms train = draw_histograms(3, 10, 40, 0.5F, 1);
  for (const TrainClassifierOptions& options : every_classifier()) {
    const TrainedClassifier classifier = train_classifier(train.rows, train.labels, 3, options);
    Scorer scorer(classifier, {.device = device()});
    const Image<float> all = scorer.scores(train.rows);
    EXPECT_EQ(scorer.scores({}).height(), 0);
    for (const int y : {0, 7, 29}) {
      const Image<float> one = scorer.scores(train.rows.view().crop(0, y, 40, 1));
      EXPECT_TRUE(test::images_equal(one.view(), all.view().crop(0, y, 3, 1)));
    }
  }
}

TEST(TrainedScores, RefuseWhatIsNoHistogram) {
  const DrawnHistograms train = draw_histograms(2, 6, 8, 0.4F, 1);
  const TrainedClassifier classifier =
      train_classifier(train.rows, train.labels, 2, {.neighbors = 3});
  Image<float> bad = clone(train.rows);
  bad.at(2, 3) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { (void)classifier.scores(bad); }),
              testing::HasSubstr("scores: histogram 3 holds nan"));
}

}  // namespace
}  // namespace fovea::scenes
