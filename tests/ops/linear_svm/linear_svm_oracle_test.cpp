// liblinear solves the same problem with its bias as a feature.
#include <fovea/core/random.h>
#include <fovea/ops/linear_svm.h>
#include <gtest/gtest.h>

#ifdef FOVEA_LIBLINEAR
#include <linear.h>

#include <algorithm>
#include <vector>

namespace fovea {
namespace {

constexpr int kSamples = 600, kFeatures = 36;

struct Data {
  Image<float> samples{kFeatures, kSamples};
  std::vector<std::int8_t> labels;
};

Data clouds(std::uint64_t seed) {
  Random random(seed);
  Data data;
  for (int i = 0; i < kSamples; ++i) {
    const int label = i % 3 == 0 ? 1 : -1;
    data.labels.push_back(static_cast<std::int8_t>(label));
    for (int k = 0; k < kFeatures; ++k)
      data.samples.at(k, i) = std::max(
          0.F, 0.1F + 0.1F * random.normal() + static_cast<float>(label) * (k % 3 ? 0.F : 0.03F));
  }
  return data;
}

// Objective that liblinear reaches, its bias feature included.
double liblinear_objective(const Data& data, const LinearSvmOptions& options) {
  set_print_string_function([](const char*) {});
  std::vector<double> labels(data.labels.begin(), data.labels.end());
  std::vector<feature_node> nodes;
  for (int i = 0; i < kSamples; ++i) {
    for (int k = 0; k < kFeatures; ++k) nodes.push_back({k + 1, data.samples.at(k, i)});
    nodes.push_back({kFeatures + 1, options.bias_feature});
    nodes.push_back({-1, 0});
  }
  std::vector<feature_node*> rows;
  for (int i = 0; i < kSamples; ++i)
    rows.push_back(&nodes[static_cast<std::size_t>(i) * (kFeatures + 2)]);
  problem task{kSamples, kFeatures + 1, labels.data(), rows.data(), options.bias_feature};
  parameter settings{};
  settings.solver_type = L2R_L1LOSS_SVC_DUAL;
  settings.eps = options.tolerance;
  settings.C = options.cost;
  model* solved = train(&task, &settings);
  const double sign = solved->label[0];
  double sum = 0;
  for (int k = 0; k <= kFeatures; ++k) sum += solved->w[k] * solved->w[k] / 2;
  for (int i = 0; i < kSamples; ++i) {
    double score = solved->w[kFeatures] * options.bias_feature;
    for (int k = 0; k < kFeatures; ++k) score += solved->w[k] * data.samples.at(k, i);
    sum += options.cost * std::max(0.0, 1 - sign * labels[i] * score);
  }
  free_and_destroy_model(&solved);
  return sum;
}

TEST(LinearSvmOracle, ReachesTheObjectiveOfLiblinear) {
  for (const double feature : {0.5, 1.0, 10.0})
    for (const double cost : {0.001, 0.01, 0.1}) {
      const Data data = clouds(static_cast<std::uint64_t>(100 * feature));
      const LinearSvmOptions options{
          .cost = cost, .bias_feature = feature, .tolerance = 1e-3, .max_passes = 20000};
      const LinearSvm svm = train_linear_svm(data.samples, data.labels, {}, options);
      EXPECT_NEAR(svm.objective / liblinear_objective(data, options), 1, 1e-3)
          << "feature " << feature << ", cost " << cost;
    }
}

// What a free bias reaches, liblinear comes near to with a large feature, and never below.
TEST(LinearSvmOracle, FreeBiasIsTheLimitOfALargeFeature) {
  const Data data = clouds(4);
  LinearSvmOptions options{.cost = 0.1, .tolerance = 1e-4, .max_passes = 20000};
  const double free = train_linear_svm(data.samples, data.labels, {}, options).objective;
  options.bias_feature = 4;
  options.tolerance = 1e-3;
  const double held = liblinear_objective(data, options);
  EXPECT_LE(free, held * (1 + 1e-4));
  EXPECT_NEAR(free / held, 1, 0.02);
}

}  // namespace
}  // namespace fovea
#else
TEST(LinearSvmOracle, ReachesTheObjectiveOfLiblinear) {
  GTEST_SKIP() << "liblinear is not installed (liblinear-dev)";
}
#endif
