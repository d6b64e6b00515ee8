#include <fovea/scenes/trained_classifier.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "scenes/classify/histograms.h"
#include "scenes/with_exec.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

TrainClassifierOptions with_cost(double cost) {
  return {.classifier = ClassifierKind::kLogistic, .kernel = Kernel::kLinear, .cost = cost};
}

// Histograms of a congruential generator, so that another program can draw the same.
DrawnHistograms congruential(int count, int bins, int classes) {
  DrawnHistograms data{Image<float>(bins, count), {}};
  std::uint64_t state = 1;
  for (int y = 0; y < count; ++y) {
    data.labels.push_back(y % classes);
    std::vector<double> row(static_cast<std::size_t>(bins));
    for (int x = 0; x < bins; ++x) {
      state = (state * 1103515245 + 12345) % (std::uint64_t{1} << 31);
      row[static_cast<std::size_t>(x)] =
          static_cast<double>((state >> 16) % 1000) * (x % classes == y % classes ? 2 : 1);
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (int x = 0; x < bins; ++x)
      data.rows.at(x, y) = static_cast<float>(row[static_cast<std::size_t>(x)] / sum);
  }
  return data;
}

void expect_near(std::span<const double> expected, const float* found, double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// LogisticRegression of scikit-learn 1.9.1, whose solvers lbfgs and newton-cg agree to 1e-5.
TEST(Logistic, IsThatOfScikitLearn) {
  const DrawnHistograms data = congruential(30, 6, 3);
  const TrainedClassifier weak = train_classifier(data.rows, data.labels, 3, with_cost(10));
  expect_near(std::vector{2.13152545, -0.68617919, -0.596358, 2.48645236, -2.07922645, -1.25621441},
              weak.logistic.weights.row(0), 1e-4);
  expect_near(
      std::vector{-0.58319602, -0.23100878, 1.84823028, -2.09780924, -0.79243985, 1.85622392},
      weak.logistic.weights.row(2), 1e-4);
  expect_near(std::vector{-0.19469359, 0.10177994, 0.09291364}, weak.logistic.bias.data(), 1e-4);
  const Image<float> scores = weak.scores(data.rows);
  expect_near(std::vector{0.65744484, 0.15816936, 0.1843858}, scores.row(0), 1e-5);
  expect_near(std::vector{0.04099121, 0.73623317, 0.22277563}, scores.row(1), 1e-5);

  const TrainedClassifier strong = train_classifier(data.rows, data.labels, 3, with_cost(1000));
  expect_near(
      std::vector{-6.44434793, 2.13064008, -6.61410217, -1.00237938, 8.84929473, 3.08089537},
      strong.logistic.weights.row(1), 1e-3);
  expect_near(std::vector{-1.21207001, 0.60170627, 0.61036374}, strong.logistic.bias.data(), 1e-3);
}

// With more bins than samples the problem is solved in the span of the samples.
TEST(Logistic, InTheSpanOfItsSamplesIsThatOfScikitLearn) {
  const DrawnHistograms data = congruential(12, 40, 3);
  const TrainedClassifier found = train_classifier(data.rows, data.labels, 3, with_cost(100));
  expect_near(std::vector{6.00589786, 0.80462114, -0.63481592, 1.94435776},
              found.logistic.weights.row(0), 1e-3);
  expect_near(std::vector{-3.28748362, 2.09968002, -1.61461762, -1.52568721},
              found.logistic.weights.row(1), 1e-3);
  expect_near(std::vector{-0.06983948, -0.03745055, 0.10729003}, found.logistic.bias.data(), 1e-4);
  const Image<float> scores = found.scores(data.rows);
  expect_near(std::vector{0.61676778, 0.20339819, 0.17983403}, scores.row(0), 1e-4);
  expect_near(std::vector{0.14477299, 0.66352183, 0.19170518}, scores.row(1), 1e-4);
}

// Where all samples are alike, only the biases learn: probabilities are the shares of the classes.
TEST(Logistic, OfSamplesThatAreAlikeGivesTheSharesOfClasses) {
  Image<float> rows(7, 10);
  for (int y = 0; y < 10; ++y) std::fill_n(rows.row(y), 7, 1.F / 7);
  const std::vector<std::int32_t> labels{0, 0, 0, 0, 0, 1, 1, 1, 2, 2};
  const Image<float> scores = train_classifier(rows, labels, 3, with_cost(10)).scores(rows);
  expect_near(std::vector{0.5, 0.3, 0.2}, scores.row(4), 1e-5);
}

// The mean of |weights|^2 / 2 + C * losses does not fall in any direction.
TEST(Logistic, IsAtTheMinimum) {
  const DrawnHistograms data = draw_histograms(4, 15, 9, 0.5F, 3);
  const TrainedClassifier found = train_classifier(data.rows, data.labels, 4, with_cost(50));
  const auto objective = [&](const Image<float>& weights, const std::vector<float>& bias) {
    double sum = 0;
    for (int y = 0; y < data.rows.height(); ++y) {
      double values[4], total = 0;
      for (int c = 0; c < 4; ++c) {
        values[c] = bias[static_cast<std::size_t>(c)];
        for (int x = 0; x < 9; ++x)
          values[c] += static_cast<double>(data.rows.at(x, y)) * weights.at(x, c);
        total += std::exp(values[c]);
      }
      sum += 50 * (std::log(total) - values[data.labels[static_cast<std::size_t>(y)]]);
    }
    for (int c = 0; c < 4; ++c)
      for (int x = 0; x < 9; ++x) sum += 0.5 * weights.at(x, c) * weights.at(x, c);
    return sum;
  };
  const double least = objective(found.logistic.weights, found.logistic.bias);
  for (int c = 0; c < 4; ++c)
    for (const float change : {-0.01F, 0.01F}) {
      std::vector<float> bias = found.logistic.bias;
      bias[static_cast<std::size_t>(c)] += change;
      EXPECT_GT(objective(found.logistic.weights, bias), least);
      for (int x = 0; x < 9; ++x) {
        Image<float> weights = clone(found.logistic.weights);
        weights.at(x, c) += change;
        EXPECT_GT(objective(weights, found.logistic.bias), least);
      }
    }
}

TEST(Logistic, OfClassesFarApartIsFinite) {
  Image<float> rows(2, 4);
  for (int y = 0; y < 4; ++y) {
    rows.at(y % 2, y) = 1;
    rows.at(1 - y % 2, y) = 0;
  }
  const std::vector<std::int32_t> labels{0, 1, 0, 1};
  for (const double cost : {1e-6, 1.0, 1e6}) {
    const Image<float> scores = train_classifier(rows, labels, 2, with_cost(cost)).scores(rows);
    EXPECT_EQ(best_classes(scores), labels) << cost;
    for (int y = 0; y < 4; ++y) EXPECT_NEAR(scores.at(0, y) + scores.at(1, y), 1, 1e-6);
  }
}

TEST(Logistic, IsTheSameForAnyNumberOfThreads) {
  for (const int bins : {20, 150}) {  // as it is, and in the span of the samples
    const DrawnHistograms data = draw_histograms(3, 25, bins, 0.6F, 1);
    const TrainClassifierOptions options{.classifier = ClassifierKind::kLogistic};
    const TrainedClassifier one =
        train_classifier(data.rows, data.labels, 3, with(options, {.threads = 1}));
    for (const int threads : {2, 5}) {
      const TrainedClassifier many =
          train_classifier(data.rows, data.labels, 3, with(options, {.threads = threads}));
      EXPECT_TRUE(test::images_equal(one.logistic.weights, many.logistic.weights));
      EXPECT_EQ(one.logistic.bias, many.logistic.bias);
    }
  }
}

}  // namespace
}  // namespace fovea::scenes
