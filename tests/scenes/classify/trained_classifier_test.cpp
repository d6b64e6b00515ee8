// Covers: classifier_basis, classifier_knn, classifier_rows, classifier_sigmoid, classifier_svm
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/scenes/trained_classifier.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/histograms.h"
#include "scenes/with_exec.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::HasSubstr;

using Data = DrawnHistograms;
constexpr auto histograms = draw_histograms;
constexpr ClassifierKind kKinds[] = {ClassifierKind::kKnn, ClassifierKind::kSvm,
                                     ClassifierKind::kLogistic};

double accuracy(const TrainedClassifier& classifier, const Data& data) {
  const auto predicted = best_classes(classifier.scores(data.rows));
  int right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    right += predicted[i] == data.labels[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(predicted.size());
}

class ChiSquared : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(ChiSquared);

TEST_P(ChiSquared, IsTheSumItSays) {
  Random random(3);
  for (const int bins : {1, 3, 16, 17, 31, 500, 1003}) {
    Image<float> from = test::random_image<float>(random, bins, 9);
    Image<float> to = test::random_image<float>(random, bins, 13);
    from.at(0, 0) = to.at(0, 0) = 0;  // 0 / 0 counts nothing
    Image<float> distances(13, 9);
    chi_squared_distances(from, to, distances, {.device = device()});
    for (int y = 0; y < 9; ++y)
      for (int x = 0; x < 13; ++x) {
        double expected = 0;
        for (int i = 0; i < bins; ++i) {
          const double a = from.at(i, y), b = to.at(i, x);
          if (a + b > 0) expected += (a - b) * (a - b) / (a + b) / 2;
        }
        ASSERT_NEAR(distances.at(x, y), expected, 1e-5 * bins) << bins;
      }
  }
}

TEST_P(ChiSquared, IsTheSameToTheBitForAnyInstructionSetAndNumberOfThreads) {
  Random random(4);
  const Image<float> rows = test::random_image<float>(random, 777, 70);
  Image<float> one(70, 70), many(70, 70);
  chi_squared_distances(rows, rows, one, {.device = device(), .threads = 1});
  for (const int threads : {2, 7}) {
    chi_squared_distances(rows, rows, many, {.device = device(), .threads = threads});
    EXPECT_TRUE(test::images_equal(one, many));
  }
  // 16 partial sums, halved again and again: the order that all instruction sets keep.
  for (int x = 0; x < 70; ++x) {
    float partial[16] = {};
    for (int i = 0; i < 777; ++i) {
      const float d = rows.at(i, 0) - rows.at(i, x);
      partial[i % 16] += d * d / std::max(rows.at(i, 0) + rows.at(i, x), 1e-38F);
    }
    for (int width = 8; width > 0; width /= 2)
      for (int k = 0; k < width; ++k) partial[k] += partial[k + width];
    ASSERT_EQ(one.at(x, 0), partial[0] / 2);
  }
}

TEST(Votes, TieGoesToTheClassOfTheNearest) {
  std::vector<float> shares(3);
  vote(std::vector<std::int32_t>{2, 1, 1, 2, 0}, 5, shares);
  EXPECT_EQ(best_classes(packed_view<const float>(shares.data(), 3, 1))[0], 2);
  EXPECT_NEAR(shares[1], 0.4, 1e-6);
  vote(std::vector<std::int32_t>{0, 1, 1, 2, 2}, 5, shares);
  EXPECT_EQ(best_classes(packed_view<const float>(shares.data(), 3, 1))[0], 1);
  vote(std::vector<std::int32_t>{0, 2, 2}, 1, shares);
  EXPECT_EQ(shares, (std::vector<float>{1, 0, 0}));
}

TEST(Votes, EqualDistancesKeepTheOrderOfSamples) {
  const std::vector<float> distances{2, 1, 1, 0.5F, 1};
  EXPECT_EQ(nearest_labels(distances, std::vector<std::int32_t>{0, 1, 2, 3, 4}, 3),
            (std::vector<std::int32_t>{3, 1, 2}));
}

TEST(Basis, KeepsAllProducts) {
  Random random(8);
  Image<float> samples = test::random_image<float>(random, 1500, 130);
  for (int x = 0; x < samples.width(); ++x) samples.at(x, 77) = samples.at(x, 5);  // one twice
  const ProductBasis basis(samples, {.threads = 2});
  const auto dot = [](ImageView<const float> rows, int a, int b) {
    return std::inner_product(rows.row(a), rows.row(a) + rows.width, rows.row(b), 0.0);
  };
  for (const int a : {0, 5, 63, 64, 77, 129})
    for (const int b : {0, 5, 77, 100})
      EXPECT_NEAR(dot(basis.rows(), a, b), dot(samples, a, b), 2e-3);

  // A sum of points is the sum of the samples.
  std::vector<float> weights(130, 0);
  for (int i = 0; i < 130; ++i)
    for (std::size_t k = 0; k < weights.size(); ++k)
      weights[k] += static_cast<float>(i % 3 - 1) * basis.rows().at(static_cast<int>(k), i);
  const std::vector<double> factors = basis.factors(weights);
  for (int x = 0; x < samples.width(); x += 97) {
    double expected = 0, sum = 0;
    for (int i = 0; i < 130; ++i) {
      expected += (i % 3 - 1) * samples.at(x, i);
      sum += factors[static_cast<std::size_t>(i)] * samples.at(x, i);
    }
    EXPECT_NEAR(sum, expected, 1e-3);
  }
}

TEST(Sigmoid, ComesBackFromSamplesDrawnWithIt) {
  const Sigmoid truth{-2.5, 0.7};
  Random random(6);
  std::vector<float> margins;
  std::vector<std::int8_t> belongs;
  for (int i = 0; i < 20000; ++i) {
    margins.push_back(2 * random.normal());
    belongs.push_back(random.uniform() < truth(margins.back()) ? 1 : 0);
  }
  const Sigmoid fit = fit_sigmoid(margins, belongs);
  EXPECT_NEAR(fit.slope, truth.slope, 0.1);
  EXPECT_NEAR(fit.offset, truth.offset, 0.1);
}

TEST(Sigmoid, OfMarginsThatSeparateAllIsFinite) {
  std::vector<float> margins;
  std::vector<std::int8_t> belongs;
  for (int i = 0; i < 40; ++i) {
    belongs.push_back(i % 2 == 0 ? 1 : 0);
    margins.push_back(i % 2 == 0 ? 1 : -1);
  }
  const Sigmoid fit = fit_sigmoid(margins, belongs);
  EXPECT_TRUE(std::isfinite(fit.slope) && std::isfinite(fit.offset));
  EXPECT_GT(fit(1), 0.9);
  EXPECT_LT(fit(-1), 0.1);
  EXPECT_TRUE(std::isfinite(fit_sigmoid(margins, std::vector<std::int8_t>(40, 0)).slope));
}

TEST(TrainedClassifier, LearnsClasses) {
  const Data train = histograms(3, 40, 60, 0.35F, 1), test = histograms(3, 30, 60, 0.35F, 2);
  for (const ClassifierKind kind : kKinds)
    for (const Kernel kernel : {Kernel::kIntersection, Kernel::kChiSquared, Kernel::kLinear})
      EXPECT_GT(accuracy(train_classifier(train.rows, train.labels, 3,
                                          {.classifier = kind, .kernel = kernel, .cost = 100}),
                         test),
                0.9);
  for (const Distance distance : {Distance::kEuclidean, Distance::kCosine})
    EXPECT_GT(accuracy(train_classifier(train.rows, train.labels, 3, {.distance = distance}), test),
              0.9);
}

TEST(TrainedClassifier, ScoresAreSharesOfOne) {
  const Data train = histograms(4, 20, 40, 0.5F, 1);
  for (const ClassifierKind kind : kKinds) {
    const Image<float> scores =
        train_classifier(train.rows, train.labels, 4, {.classifier = kind}).scores(train.rows);
    for (int y = 0; y < scores.height(); ++y) {
      float sum = 0;
      for (int c = 0; c < 4; ++c) {
        EXPECT_GE(scores.at(c, y), 0);
        EXPECT_LE(scores.at(c, y), 1);
        sum += scores.at(c, y);
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(TrainedClassifier, MarginsAloneComeWithoutFolds) {
  const Data train = histograms(3, 20, 40, 0.3F, 1);
  const TrainedClassifier classifier = train_classifier(
      train.rows, train.labels, 3, {.classifier = ClassifierKind::kSvm, .folds = 0});
  EXPECT_TRUE(classifier.svm.slope.empty());
  EXPECT_GT(accuracy(classifier, train), 0.95);
  const Image<float> scores = classifier.scores(train.rows);
  EXPECT_LT(*std::min_element(scores.row(0), scores.row(0) + 3), 0);
}

TEST(TrainedClassifier, ContributionsOfBinsAddUpToTheMargin) {
  const Data train = histograms(3, 20, 40, 0.3F, 1);
  const int bins = train.rows.width();
  for (const Kernel kernel : {Kernel::kIntersection, Kernel::kChiSquared}) {
    const TrainedClassifier classifier =
        train_classifier(train.rows, train.labels, 3,
                         {.classifier = ClassifierKind::kSvm, .kernel = kernel, .folds = 0});
    const Image<float> scores = classifier.scores(train.rows);
    for (int y = 0; y < train.rows.height(); ++y) {
      const Image<float> given =
          classifier.contributions({train.rows.row(y), static_cast<std::size_t>(bins)});
      ASSERT_EQ(given.height(), 3);
      for (int c = 0; c < 3; ++c) {
        const double sum = std::accumulate(given.row(c), given.row(c) + bins, 0.0);
        EXPECT_NEAR(sum + classifier.svm.bias[static_cast<std::size_t>(c)], scores.at(c, y), 1e-5);
        for (int x = 0; x < bins; ++x) EXPECT_TRUE(train.rows.at(x, y) > 0 || given.at(x, c) == 0);
      }
    }
  }
}

TEST(TrainedClassifier, ContributionsOfBinsAddUpToTheSimilarityWithNeighbors) {
  const Data train = histograms(3, 20, 40, 0.3F, 1);
  const int bins = train.rows.width(), samples = train.rows.height();
  constexpr int kNeighbors = 4;
  const TrainedClassifier classifier =
      train_classifier(train.rows, train.labels, 3, {.neighbors = kNeighbors});
  for (const int y : {0, 1, 17}) {
    std::vector<float> distances(static_cast<std::size_t>(samples));
    chi_squared_distances(train.rows.view().crop(0, y, bins, 1), train.rows,
                          packed_view(distances.data(), samples, 1));
    std::vector<double> expected(3, 0);
    for (const std::int32_t i : nearest_samples(distances, kNeighbors))
      expected[static_cast<std::size_t>(train.labels[static_cast<std::size_t>(i)])] +=
          (1 - distances[static_cast<std::size_t>(i)]) / kNeighbors;
    const Image<float> given =
        classifier.contributions({train.rows.row(y), static_cast<std::size_t>(bins)});
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(std::accumulate(given.row(c), given.row(c) + bins, 0.0),
                  expected[static_cast<std::size_t>(c)], 1e-5);
  }
}

// Of a histogram and itself, the cosine is 1 and the product is the sum of the squares.
TEST(TrainedClassifier, ContributionsToOtherDistancesAddUpToCosinesAndProducts) {
  const Data train = histograms(2, 8, 20, 0.3F, 1);
  const std::span<const float> row(train.rows.row(3), 20);
  const double square = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  for (const Distance distance : {Distance::kCosine, Distance::kEuclidean}) {
    const Image<float> given =
        train_classifier(train.rows, train.labels, 2, {.neighbors = 1, .distance = distance})
            .contributions(row);
    const double sum = std::accumulate(given.row(1), given.row(1) + 20, 0.0);
    EXPECT_NEAR(sum, distance == Distance::kCosine ? 1 : square, 1e-6);
    EXPECT_EQ(std::accumulate(given.row(0), given.row(0) + 20, 0.0), 0);
  }
}

TEST(TrainedClassifier, ContributionsToLogisticRegressionAddUpToTheLogarithmOfOdds) {
  const Data train = histograms(2, 15, 30, 0.3F, 1);
  const TrainedClassifier classifier =
      train_classifier(train.rows, train.labels, 2, {.classifier = ClassifierKind::kLogistic});
  const Image<float> scores = classifier.scores(train.rows);
  for (const int y : {0, 5, 29}) {
    const Image<float> given = classifier.contributions({train.rows.row(y), 30});
    const auto value = [&](int c) {
      return std::accumulate(given.row(c), given.row(c) + 30, 0.0) +
             classifier.logistic.bias[static_cast<std::size_t>(c)];
    };
    EXPECT_NEAR(value(1) - value(0), std::log(scores.at(1, y) / scores.at(0, y)), 1e-4);
  }
}

TEST(TrainedClassifier, IsTheSameForAnyNumberOfThreads) {
  const Data train = histograms(5, 25, 90, 0.6F, 1);
  const TrainClassifierOptions options{.classifier = ClassifierKind::kSvm};
  const TrainedClassifier one =
      train_classifier(train.rows, train.labels, 5, with(options, {.threads = 1}));
  for (const int threads : {2, 7}) {
    const TrainedClassifier many =
        train_classifier(train.rows, train.labels, 5, with(options, {.threads = threads}));
    EXPECT_TRUE(test::images_equal(one.svm.weights, many.svm.weights));
    EXPECT_EQ(one.svm.bias, many.svm.bias);
    EXPECT_EQ(one.svm.slope, many.svm.slope);
    EXPECT_TRUE(test::images_equal(one.scores(train.rows, {.threads = 1}),
                                   many.scores(train.rows, {.threads = threads})));
  }
}

// More samples than mapped numbers are not turned into points of their span.
TEST(TrainedClassifier, LearnsFromShortRowsAsFromLongOnes) {
  const Data train = histograms(2, 60, 8, 0.4F, 1), test = histograms(2, 60, 8, 0.4F, 2);
  EXPECT_GT(
      accuracy(train_classifier(train.rows, train.labels, 2, {.classifier = ClassifierKind::kSvm}),
               test),
      0.85);
}

TEST(TrainedClassifier, AClassOfOneSampleIsLearned) {
  Data train = histograms(3, 12, 60, 0.2F, 1);
  for (std::size_t i = 3; i < train.labels.size(); ++i)
    if (train.labels[i] == 2) train.labels[i] = 0;
  const TrainedClassifier classifier =
      train_classifier(train.rows, train.labels, 3, {.classifier = ClassifierKind::kSvm});
  EXPECT_EQ(classifier.svm.slope.size(), 3U);
  for (const float slope : classifier.svm.slope) EXPECT_TRUE(std::isfinite(slope));
}

TEST(TrainedClassifier, SaysWhatIsWrong) {
  const Data train = histograms(2, 5, 8, 0.4F, 1);
  const auto why = [&](int classes, const TrainClassifierOptions& options) {
    return message_of<InvalidArgument>(
        [&] { train_classifier(train.rows, train.labels, classes, options); });
  };
  EXPECT_THAT(why(1, {}), HasSubstr("1 class"));
  EXPECT_THAT(why(3, {}), HasSubstr("class 2 has no histogram"));
  EXPECT_THAT(why(2, {.neighbors = 11}), HasSubstr("11 neighbors of 10 samples"));
  EXPECT_THAT(why(2, {.neighbors = 0}), HasSubstr("neighbors"));
  EXPECT_THAT(why(2, {.classifier = ClassifierKind::kSvm, .folds = 1}), HasSubstr("1 fold"));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { train_classifier(train.rows, std::span(train.labels).first(3), 2); }),
              HasSubstr("3 labels for 10 histograms"));
  Image<float> bad = clone(train.rows);
  bad.at(2, 3) = -1;
  EXPECT_THAT(message_of<InvalidArgument>([&] { train_classifier(bad, train.labels, 2); }),
              HasSubstr("histogram 3 holds -1"));
  const TrainedClassifier knn = train_classifier(train.rows, train.labels, 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] { knn.scores(Image<float>(9, 2)); }),
              HasSubstr("9 bins, the classifier knows 8"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { knn.contributions(std::vector<float>(9)); }),
              HasSubstr("9 bins, the classifier knows 8"));
}

}  // namespace
}  // namespace fovea::scenes
