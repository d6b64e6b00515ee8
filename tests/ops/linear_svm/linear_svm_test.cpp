#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/linear_svm.h>

#include <cmath>
#include <limits>

#include "reference/linear_svm.h"
#include "support/devices.h"

namespace fovea {
namespace {

struct Data {
  Image<float> samples;
  std::vector<std::int8_t> labels;
};

// Two clouds that overlap, far from the origin, so that the bias matters.
Data clouds(int count, int features, std::uint64_t seed) {
  Random random(seed);
  Data data{Image<float>(features, count), {}};
  for (int i = 0; i < count; ++i) {
    const int label = i % 3 == 0 ? 1 : -1;
    data.labels.push_back(static_cast<std::int8_t>(label));
    for (int k = 0; k < features; ++k)
      data.samples.at(k, i) =
          0.5F + 0.3F * random.normal() + static_cast<float>(label) * (k % 2 ? 0.15F : 0.05F);
  }
  return data;
}

reference::LinearSvm in_double(const LinearSvm& svm) {
  return {{svm.weights.begin(), svm.weights.end()}, svm.bias};
}

double margin(const Data& data, const LinearSvm& svm, int i) {
  const auto exact = in_double(svm);
  return data.labels[i] * reference::score(data.samples, i, exact.weights, exact.bias);
}

using LinearSvmPlaces = test::OnEveryPlace;

TEST_P(LinearSvmPlaces, AgreesWithTheTextbook) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "no CUDA twin: sequential by nature";
  for (const int features : {1, 3, 36, 37, 130}) {
    const Data data = clouds(120, features, static_cast<std::uint64_t>(features));
    for (const double cost : {0.01, 1.0}) {
      const std::vector<double> costs(120, cost);
      const auto expected = reference::linear_svm(data.samples, data.labels, costs, 1e-5);
      const double best = reference::svm_objective(data.samples, data.labels, costs, expected);
      const LinearSvm svm = train_linear_svm(
          data.samples, data.labels, {}, {.cost = cost, .tolerance = 1e-4, .max_passes = 20000});
      EXPECT_TRUE(svm.converged);
      EXPECT_NEAR(svm.objective / best, 1, 1e-3) << features << " features, cost " << cost;
      EXPECT_NEAR(reference::svm_objective(data.samples, data.labels, costs, in_double(svm)),
                  svm.objective, 1e-4 * best);
    }
  }
}
FOVEA_ON_EVERY_PLACE(LinearSvmPlaces);

// One sample each side: the border stands in the middle between them.
TEST(LinearSvm, SeparatesTwoPointsInTheMiddle) {
  Image<float> samples(2, 2);
  samples.at(0, 0) = 3, samples.at(1, 0) = 1;
  samples.at(0, 1) = 1, samples.at(1, 1) = 1;
  const std::vector<std::int8_t> labels{1, -1};
  const LinearSvm svm = train_linear_svm(samples, labels, {}, {.cost = 100, .tolerance = 1e-5});
  EXPECT_TRUE(svm.converged);
  EXPECT_NEAR(svm.weights[0], 1, 1e-5);
  EXPECT_NEAR(svm.weights[1], 0, 1e-5);
  EXPECT_NEAR(svm.bias, -2, 1e-5);
  EXPECT_NEAR(svm.objective, 0.5, 1e-5);
}

// The bias costs nothing: moving all samples moves the border and changes neither its direction nor
// the objective.
TEST(LinearSvm, FreeBiasFollowsTheSamples) {
  Data data = clouds(300, 12, 5);
  const LinearSvmOptions options{.cost = 0.1, .tolerance = 1e-4, .max_passes = 20000};
  const LinearSvm here = train_linear_svm(data.samples, data.labels, {}, options);
  for (int i = 0; i < 300; ++i)
    for (int k = 0; k < 12; ++k) data.samples.at(k, i) += 3;
  const LinearSvm there = train_linear_svm(data.samples, data.labels, {}, options);
  EXPECT_NEAR(there.objective / here.objective, 1, 1e-3);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(there.weights[k], here.weights[k], 0.02);
}

TEST(LinearSvm, BiasFeatureCountsLikeTheOthers) {
  const Data data = clouds(300, 12, 6);
  const double free = std::abs(train_linear_svm(data.samples, data.labels, {}, {}).bias);
  const double held =
      std::abs(train_linear_svm(data.samples, data.labels, {}, {.bias_feature = 0.1}).bias);
  EXPECT_LT(held, 0.5 * free);
}

// Conditions of the optimum that can be seen from outside: weights are a sum of samples, of which
// those within the margin take part with their whole cost and those beyond it with nothing.
TEST(LinearSvm, MeetsTheConditionsOfTheOptimum) {
  const Data data = clouds(400, 5, 7);
  const double cost = 0.05, slack = 0.01;
  const LinearSvm svm = train_linear_svm(data.samples, data.labels, {},
                                         {.cost = cost, .tolerance = 1e-4, .max_passes = 50000});
  ASSERT_TRUE(svm.converged);
  std::vector<double> rest(svm.weights.begin(), svm.weights.end());
  double room = 0, balance = 0;
  for (int i = 0; i < 400; ++i) {
    const double m = margin(data, svm, i);
    if (m > 1 + slack) continue;
    if (m > 1 - slack) {
      room += cost;
      continue;
    }
    balance += cost * data.labels[i];
    for (int k = 0; k < 5; ++k) rest[k] -= cost * data.labels[i] * data.samples.at(k, i);
  }
  EXPECT_LE(std::abs(balance), room + 1e-3);
  for (const double value : rest) EXPECT_LE(std::abs(value), 2 * room + 1e-3);
}

TEST(LinearSvm, CostOfASampleIsAsManyCopies) {
  const Data data = clouds(150, 9, 8);
  std::vector<float> costs;
  std::vector<int> rows;
  Random random(3);
  for (int i = 0; i < 150; ++i) {
    const int copies = static_cast<int>(random.below(4));
    costs.push_back(static_cast<float>(copies));
    rows.insert(rows.end(), static_cast<std::size_t>(copies), i);
  }
  Data copied{Image<float>(9, static_cast<int>(rows.size())), {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(data.samples.row(rows[i]), 9, copied.samples.row(static_cast<int>(i)));
    copied.labels.push_back(data.labels[rows[i]]);
  }
  const LinearSvmOptions options{.cost = 0.1, .tolerance = 1e-4, .max_passes = 20000};
  const LinearSvm weighted = train_linear_svm(data.samples, data.labels, costs, options);
  const LinearSvm repeated = train_linear_svm(copied.samples, copied.labels, {}, options);
  EXPECT_NEAR(weighted.objective / repeated.objective, 1, 1e-4);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(weighted.weights[k], repeated.weights[k], 0.01);
  EXPECT_NEAR(weighted.bias, repeated.bias, 0.02);
}

TEST(LinearSvm, SameBitsWhateverTheThreads) {
  const Data data = clouds(500, 70, 9);
  LinearSvmOptions options{};
  options.exec.threads = 1;
  const LinearSvm expected = train_linear_svm(data.samples, data.labels, {}, options);
  for (const int threads : {2, 7}) {
    options.exec.threads = threads;
    const LinearSvm svm = train_linear_svm(data.samples, data.labels, {}, options);
    EXPECT_EQ(svm.weights, expected.weights);
    EXPECT_EQ(svm.bias, expected.bias);
    EXPECT_EQ(svm.passes, expected.passes);
  }
}

TEST(LinearSvm, StopsWhereAskedTo) {
  const Data data = clouds(200, 4, 10);
  std::stop_source source;
  source.request_stop();
  LinearSvmOptions options{};
  options.exec.stop = source.get_token();
  EXPECT_THROW(train_linear_svm(data.samples, data.labels, {}, options), Cancelled);
  const LinearSvm unfinished = train_linear_svm(data.samples, data.labels, {},
                                                {.cost = 100, .tolerance = 1e-6, .max_passes = 3});
  EXPECT_FALSE(unfinished.converged);
  EXPECT_EQ(unfinished.passes, 3);
  EXPECT_TRUE(std::isfinite(unfinished.objective));
}

TEST(LinearSvm, SamplesOfZerosLeaveOnlyTheBias) {
  Image<float> samples(3, 4);
  for (int i = 0; i < 4; ++i) std::fill_n(samples.row(i), 3, 0.F);
  const std::vector<std::int8_t> labels{1, -1, -1, -1};
  const LinearSvm svm = train_linear_svm(samples, labels);
  EXPECT_TRUE(svm.converged);
  EXPECT_NEAR(svm.bias, -1, 0.01);
  for (const float weight : svm.weights) EXPECT_EQ(weight, 0);
}

TEST(LinearSvm, RefusesBadInput) {
  const auto message = [](const Data& data, std::vector<float> costs,
                          LinearSvmOptions options = {}) {
    try {
      train_linear_svm(data.samples, data.labels, costs, options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  using testing::HasSubstr;
  Data data = clouds(20, 4, 11);
  EXPECT_THAT(message(data, std::vector<float>(19, 1.F)), HasSubstr("19 sample costs for 20"));
  std::vector<float> costs(20, 1.F);
  costs[3] = -1;
  EXPECT_THAT(message(data, costs), HasSubstr("sample 3 costs -1"));
  costs[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(data, costs), HasSubstr("sample 3 costs nan"));
  EXPECT_THAT(message(data, {}, {.cost = 0}), HasSubstr("cost"));
  EXPECT_THAT(message(data, {}, {.tolerance = -1}), HasSubstr("tolerance"));
  data.samples.at(2, 5) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(data, {}), HasSubstr("sample 5 holds a number that is not finite"));
  data.samples.at(2, 5) = std::numeric_limits<float>::infinity();
  EXPECT_THAT(message(data, {}), HasSubstr("sample 5"));
  data.samples.at(2, 5) = 0;
  data.labels[7] = 2;
  EXPECT_THAT(message(data, {}), HasSubstr("sample 7 has label 2"));
  data.labels.assign(20, 1);
  EXPECT_THAT(message(data, {}), HasSubstr("has label -1"));
  data.labels.pop_back();
  EXPECT_THAT(message(data, {}), HasSubstr("19 labels for 20 samples"));
  EXPECT_THAT(message(Data{}, {}), HasSubstr("0 samples"));
}

}  // namespace
}  // namespace fovea
