#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/kernel_svm.h>
#include <fovea/ops/linear_svm.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "ops/kernel_svm/backend.h"
#include "reference/kernel_svm.h"
#include "support/devices.h"

namespace fovea {
namespace {

using testing::HasSubstr;

struct KernelData {
  Image<float> samples;
  std::vector<std::int8_t> labels;
};

// A ring around a cloud, which no plane separates; further features are noise.
KernelData rings(int count, int features, std::uint64_t seed) {
  Random random(seed);
  KernelData data{Image<float>(features, count), {}};
  for (int i = 0; i < count; ++i) {
    const int label = i % 3 == 0 ? 1 : -1;
    data.labels.push_back(static_cast<std::int8_t>(label));
    const float angle = 6.2831853F * static_cast<float>(random.bits()) * 0x1p-32F;
    const float radius = (label > 0 ? 0.5F : 1.1F) + 0.25F * random.normal();
    for (int k = 0; k < features; ++k) data.samples.at(k, i) = 0.1F * random.normal();
    data.samples.at(0, i) = radius * std::cos(angle);
    if (features > 1) data.samples.at(1, i) = radius * std::sin(angle);
  }
  return data;
}

std::vector<float> scores_of(const KernelSvm& svm, const Image<float>& samples, int threads = 1) {
  std::vector<float> scores(static_cast<std::size_t>(samples.height()));
  kernel_svm_scores(svm, samples, scores, {.device = Device::cpu(), .threads = threads});
  return scores;
}

using KernelSvmPlaces = test::OnEveryPlace;

TEST_P(KernelSvmPlaces, AgreesWithTheTextbook) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "there is no CUDA twin";
  const double gamma = 0.7;
  for (const int features : {2, 19}) {
    const KernelData data = rings(70, features, 3);
    for (const double cost : {0.3, 10.0}) {
      const std::vector<double> costs(70, cost);
      const auto expected = reference::rbf_svm(data.samples, data.labels, costs, gamma, 1e-5);
      const KernelSvm svm = train_kernel_svm(data.samples, data.labels, {},
                                             {.gamma = gamma, .cost = cost, .tolerance = 1e-5});
      EXPECT_TRUE(svm.converged);
      EXPECT_NEAR(svm.objective / expected.objective, 1, 1e-4) << features << ", cost " << cost;
      EXPECT_NEAR(svm.bias, expected.bias, 2e-3);
      const std::vector<float> scores = scores_of(svm, data.samples);
      for (int i = 0; i < 70; ++i) {
        double score = expected.bias;
        for (int k = 0; k < 70; ++k)
          score += expected.alpha[k] * data.labels[k] *
                   reference::rbf_kernel(data.samples, k, data.samples, i, gamma);
        EXPECT_NEAR(scores[i], score, 5e-3);
      }
    }
  }
}

// Products are those of double, whichever row stands where; widths pass the ends of pieces.
TEST_P(KernelSvmPlaces, ProductsAreExactAndSymmetric) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "there is no CUDA twin";
  for (const int width : {1, 7, 64, 1029, 2050}) {
    Random random(static_cast<std::uint64_t>(width));
    Image<float> a(width, 7), b(width, 9), ab(9, 7), ba(7, 9);
    for (Image<float>* image : {&a, &b})
      for (int y = 0; y < image->height(); ++y)
        for (int x = 0; x < width; ++x) image->at(x, y) = random.normal();
    cpu::row_products(a, b, ab);
    cpu::row_products(b, a, ba);
    for (int y = 0; y < 7; ++y)
      for (int x = 0; x < 9; ++x) {
        double sum = 0, size = 0;
        for (int k = 0; k < width; ++k) {
          sum += static_cast<double>(a.at(k, y)) * b.at(k, x);
          size += std::abs(static_cast<double>(a.at(k, y)) * b.at(k, x));
        }
        EXPECT_NEAR(ab.at(x, y), sum, 1e-6 * size + 1e-6);
        EXPECT_EQ(ab.at(x, y), ba.at(y, x));
      }
  }
}
FOVEA_ON_EVERY_PLACE(KernelSvmPlaces);

// Two samples: each has the dual variable 1 / (1 - k), and the border lies in the middle.
TEST(KernelSvm, TwoPointsHaveAClosedForm) {
  Image<float> samples(1, 2);
  samples.at(0, 0) = 0;
  samples.at(0, 1) = 2;
  const std::vector<std::int8_t> labels{1, -1};
  const KernelSvm svm =
      train_kernel_svm(samples, labels, {}, {.gamma = 0.25, .cost = 100, .tolerance = 1e-7});
  const double k = std::exp(-1.0), alpha = 1 / (1 - k);
  ASSERT_EQ(svm.coefficients.size(), 2U);
  EXPECT_NEAR(svm.coefficients[0], alpha, 1e-6);
  EXPECT_NEAR(svm.coefficients[1], -alpha, 1e-6);
  EXPECT_NEAR(svm.bias, 0, 1e-6);
  EXPECT_NEAR(svm.objective, alpha, 1e-6);
  Image<float> middle(1, 1);
  middle.at(0, 0) = 1;
  EXPECT_NEAR(scores_of(svm, middle)[0], 0, 1e-6);
}

TEST(KernelSvm, ALinearKernelIsTheLinearMachine) {
  const KernelData data = rings(90, 12, 8);
  const LinearSvm linear = train_linear_svm(data.samples, data.labels, {},
                                            {.cost = 0.5, .tolerance = 1e-5, .max_passes = 100000});
  const KernelSvm svm =
      train_kernel_svm(data.samples, data.labels, {},
                       {.kernel = SvmKernel::kLinear, .cost = 0.5, .tolerance = 1e-5});
  EXPECT_NEAR(svm.objective / linear.objective, 1, 1e-3);  // strong duality
}

TEST(KernelSvm, SeparatesARingFromWhatItSurrounds) {
  const KernelData data = rings(400, 2, 5);
  const KernelSvm svm = train_kernel_svm(data.samples, data.labels, {}, {.gamma = 2, .cost = 1});
  const KernelData fresh = rings(400, 2, 6);
  const std::vector<float> scores = scores_of(svm, fresh.samples);
  int right = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) right += (scores[i] > 0) == (fresh.labels[i] > 0);
  EXPECT_GT(right, 330);
}

TEST(KernelSvm, ThreadsDoNotChangeABit) {
  const KernelData data = rings(300, 33, 2);
  KernelSvmOptions options{.gamma = 0.5, .cost = 2};
  options.exec.threads = 1;
  const KernelSvm one = train_kernel_svm(data.samples, data.labels, {}, options);
  options.exec.threads = 3;
  const KernelSvm three = train_kernel_svm(data.samples, data.labels, {}, options);
  EXPECT_EQ(one.coefficients, three.coefficients);
  EXPECT_EQ(one.bias, three.bias);
  EXPECT_EQ(one.steps, three.steps);
  EXPECT_EQ(scores_of(one, data.samples, 1), scores_of(three, data.samples, 3));
}

TEST(KernelSvm, SamplesWithoutACostAreLeftOut) {
  KernelData data = rings(120, 4, 4);
  std::vector<float> costs(120, 1.F);
  Image<float> half(4, 60);
  std::vector<std::int8_t> labels;
  for (int i = 0; i < 60; ++i) {
    labels.push_back(data.labels[i]);
    for (int k = 0; k < 4; ++k) half.at(k, i) = data.samples.at(k, i);
  }
  for (int i = 60; i < 120; ++i) {
    costs[i] = 0;
    data.samples.at(0, i) = std::numeric_limits<float>::quiet_NaN();
  }
  const KernelSvm a = train_kernel_svm(data.samples, data.labels, costs, {.gamma = 0.5});
  const KernelSvm b = train_kernel_svm(half, labels, {}, {.gamma = 0.5});
  EXPECT_EQ(a.coefficients, b.coefficients);
  EXPECT_EQ(a.bias, b.bias);
}

TEST(KernelSvm, EqualSamplesOfBothLabelsDoNotHang) {
  const Image<float> samples = [] {
    Image<float> rows(3, 4);
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x) rows.at(x, y) = 1;
    return rows;
  }();
  const std::vector<std::int8_t> labels{1, -1, 1, -1};
  const KernelSvm svm = train_kernel_svm(samples, labels);
  EXPECT_TRUE(svm.converged);
  for (const float score : scores_of(svm, samples)) EXPECT_NEAR(score, 0, 1e-5);
}

TEST(KernelSvm, RefusesImpossibleProblems) {
  const KernelData data = rings(12, 2, 1);
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const std::vector<std::int8_t> few(3, 1), ones(12, 1);
  std::vector<std::int8_t> odd = data.labels;
  odd[4] = 3;
  EXPECT_THAT(message([&] { train_kernel_svm(data.samples, few); }), HasSubstr("3 labels"));
  EXPECT_THAT(message([&] { train_kernel_svm(data.samples, ones); }), HasSubstr("label -1"));
  EXPECT_THAT(message([&] { train_kernel_svm(data.samples, odd); }), HasSubstr("has label 3"));
  EXPECT_THAT(
      message([&] { train_kernel_svm(data.samples, data.labels, {}, {.kernel_bytes = 100}); }),
      HasSubstr("576 bytes"));
  EXPECT_THAT(message([&] { train_kernel_svm(data.samples, data.labels, {}, {.gamma = -1}); }),
              HasSubstr("gamma"));
  Image<float> broken = clone(data.samples);
  broken.at(1, 5) = std::numeric_limits<float>::infinity();
  EXPECT_THAT(message([&] { train_kernel_svm(broken, data.labels); }), HasSubstr("sample 5"));
  const KernelSvm svm = train_kernel_svm(data.samples, data.labels);
  std::vector<float> scores(12);
  EXPECT_THAT(message([&] { kernel_svm_scores(svm, Image<float>(3, 12), scores); }),
              HasSubstr("3 features"));
  EXPECT_THAT(message([&] { kernel_svm_scores(svm, Image<float>(2, 5), scores); }),
              HasSubstr("12 scores"));
}

}  // namespace
}  // namespace fovea
