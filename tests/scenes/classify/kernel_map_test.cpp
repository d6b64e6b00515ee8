#include "scenes/classify/kernel_map.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea::scenes {
namespace {

double product(const KernelMap& map, double a, double b) {
  const auto x = map(static_cast<float>(a)), y = map(static_cast<float>(b));
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

struct Errors {
  double rms = 0, most = 0;
};

// Against the greater bin; the kernel is homogeneous, so that it may be 1.
Errors errors(Kernel kernel) {
  const KernelMap map(kernel);
  constexpr int kSteps = 2000;
  Errors result;
  for (int i = 0; i < kSteps; ++i) {
    const double b = (i + 0.5) / kSteps;
    const double error = product(map, 1, b) - exact_kernel(kernel, 1, b);
    result.rms += error * error / kSteps;
    result.most = std::max(result.most, std::abs(error));
  }
  result.rms = std::sqrt(result.rms);
  return result;
}

TEST(KernelMap, ComesAsCloseToTheKernelsAsItSays) {
  const Errors chi = errors(Kernel::kChiSquared);
  EXPECT_LT(chi.rms, 0.0195);
  EXPECT_LT(chi.most, 0.036);
  const Errors intersection = errors(Kernel::kIntersection);
  EXPECT_LT(intersection.rms, 0.0705);
  EXPECT_LT(intersection.most, 0.16);
}

TEST(KernelMap, ScalesAsTheKernelDoes) {
  for (const Kernel kernel : {Kernel::kIntersection, Kernel::kChiSquared}) {
    const KernelMap map(kernel);
    for (const double scale : {1e-6, 1e-3, 0.5, 40.0})
      EXPECT_NEAR(product(map, 0.3 * scale, 0.2 * scale), scale * product(map, 0.3, 0.2),
                  1e-6 * scale);
  }
}

TEST(KernelMap, EmptyBinsBecomeNothing) {
  const KernelMap map(Kernel::kChiSquared);
  const std::vector<float> histogram{0, 0.25F, 0, 0, 0.75F};
  std::vector<float> mapped(histogram.size() * kMapNumbers, 7);
  map.map(histogram, mapped);
  KernelMap::Sparse sparse;
  map.map(histogram, sparse);
  EXPECT_EQ(sparse.bins, (std::vector<std::int32_t>{1, 4}));
  for (std::size_t i = 0; i < histogram.size(); ++i)
    for (std::size_t k = 0; k < kMapNumbers; ++k) {
      const auto at = std::ranges::find(sparse.bins, static_cast<std::int32_t>(i));
      const float expected =
          at == sparse.bins.end()
              ? 0
              : sparse.numbers[static_cast<std::size_t>(at - sparse.bins.begin())][k];
      EXPECT_EQ(mapped[i * kMapNumbers + k], expected);
    }
}

TEST(KernelMap, TellsHistogramsApartAsTheKernelDoes) {
  Random random(5);
  for (const Kernel kernel : {Kernel::kIntersection, Kernel::kChiSquared}) {
    const KernelMap map(kernel);
    for (int trial = 0; trial < 20; ++trial) {
      double exact = 0, mapped = 0;
      std::vector<double> a(200), b(200);
      for (double& x : a) x = random.uniform() * random.uniform();
      for (double& x : b) x = random.uniform() * random.uniform();
      const double sum_a = std::accumulate(a.begin(), a.end(), 0.0);
      const double sum_b = std::accumulate(b.begin(), b.end(), 0.0);
      for (std::size_t i = 0; i < a.size(); ++i) {
        exact += exact_kernel(kernel, a[i] / sum_a, b[i] / sum_b);
        mapped += product(map, a[i] / sum_a, b[i] / sum_b);
      }
      EXPECT_NEAR(mapped, exact, kernel == Kernel::kChiSquared ? 0.03 : 0.08);
    }
  }
}

}  // namespace
}  // namespace fovea::scenes
