// The kernels against MATLAB's formulas, written out.
#include "scenes/describe/bank.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "support/messages.h"

namespace fovea::scenes {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// fspecial('gaussian', size, sigma) at (x, y) from the middle, before it is divided by its sum.
double bell(int x, int y, double sigma) { return std::exp(-(x * x + y * y) / (2 * sigma * sigma)); }

class BankKernels : public testing::TestWithParam<int> {
 protected:
  static std::size_t scale() { return static_cast<std::size_t>(GetParam()); }
  int size() const { return DescriptorOptions{}.filter_sizes[scale()]; }
  int reach() const { return size() / 2; }
  double sigma() const { return DescriptorOptions{}.filter_sigmas[scale()]; }
  double sum() const {
    double total = 0;
    for (int y = -reach(); y <= reach(); ++y)
      for (int x = -reach(); x <= reach(); ++x) total += bell(x, y, sigma());
    return total;
  }
  // The Gaussian, zero beyond its square.
  double gaussian(int x, int y) const {
    if (std::abs(x) > reach() || std::abs(y) > reach()) return 0;
    return bell(x, y, sigma()) / sum();
  }
  double bent(int x, int y) const {
    const double variance = sigma() * sigma();
    return gaussian(x, y) * (x * x + y * y - 2 * variance) / (variance * variance);
  }
  template <class Formula>
  void expect_kernel(int kind, Formula formula) const {
    const Image<float> kernel = bank_kernel(kBankKinds * GetParam() + kind);
    ASSERT_EQ(kernel.width(), size());
    ASSERT_EQ(kernel.height(), size());
    for (int y = -reach(); y <= reach(); ++y) {
      for (int x = -reach(); x <= reach(); ++x) {
        const double expected = formula(x, y);
        EXPECT_NEAR(kernel.at(x + reach(), y + reach()), expected, 1e-7 * std::abs(expected) + 1e-9)
            << x << ", " << y;
      }
    }
  }
};

TEST_P(BankKernels, GaussianIsThatOfFspecial) {
  expect_kernel(0, [&](int x, int y) { return gaussian(x, y); });
}

TEST_P(BankKernels, LaplacianIsThatOfFspecialAndAddsUpToNothing) {
  double mean = 0;
  for (int y = -reach(); y <= reach(); ++y)
    for (int x = -reach(); x <= reach(); ++x) mean += bent(x, y) / (size() * size());
  expect_kernel(1, [&](int x, int y) { return bent(x, y) - mean; });
}

TEST_P(BankKernels, DifferencesGrowToTheRightAndDownwards) {
  expect_kernel(2, [&](int x, int y) { return gaussian(x - 1, y) - gaussian(x + 1, y); });
  expect_kernel(3, [&](int x, int y) { return gaussian(x, y - 1) - gaussian(x, y + 1); });
}

TEST_P(BankKernels, TablesAreTheKernelsProfiles) {
  const BankTables tables = bank_tables({});
  const BankScale& weights = tables.scale[GetParam()];
  ASSERT_EQ(weights.reach, reach());
  ASSERT_EQ(bank_reach(GetParam()), reach());
  const Image<float> smooth = bank_kernel(kBankKinds * GetParam());
  const Image<float> laplacian = bank_kernel(kBankKinds * GetParam() + 1);
  for (int k = 0; k <= reach(); ++k) {
    const double row = static_cast<double>(weights.row.smooth[k]) * 255 * weights.column.smooth[0];
    EXPECT_NEAR(row, smooth.at(reach() + k, reach()), 1e-7);
    const double bent =
        255.0 * (static_cast<double>(weights.row.bend[k]) * weights.column.smooth[0] +
                 static_cast<double>(weights.row.smooth[k]) * weights.column.bend[0] +
                 static_cast<double>(weights.level));
    EXPECT_NEAR(bent, laplacian.at(reach() + k, reach()), 1e-6 * std::abs(bent) + 1e-7);
  }
  EXPECT_EQ(weights.row.slope[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, BankKernels, testing::Range(0, kBankScales));

TEST(Bank, FiltersAreCountedFromNought) {
  EXPECT_THAT([] { bank_kernel(32); },
              ThrowsMessage<InvalidArgument>(HasSubstr("filter is 32, expected 0 to 31")));
  EXPECT_THROW(bank_kernel(-1), InvalidArgument);
}

TEST(Bank, OtherSizesAndDeviationsHaveTheSameFormulas) {
  const DescriptorOptions options{.filter_sizes = {5, 13}, .filter_sigmas = {0.8, 2.5}};
  EXPECT_EQ(bank_filters(options), 8);
  EXPECT_EQ(dimensions(options), 8);
  const Image<float> kernel = bank_kernel(4, options);
  ASSERT_EQ(kernel.width(), 13);
  double sum = 0;
  for (int y = -6; y <= 6; ++y)
    for (int x = -6; x <= 6; ++x) sum += bell(x, y, 2.5);
  for (int y = -6; y <= 6; ++y)
    for (int x = -6; x <= 6; ++x)
      EXPECT_NEAR(kernel.at(x + 6, y + 6), bell(x, y, 2.5) / sum, 1e-8) << x << ", " << y;
  EXPECT_THROW(bank_kernel(8, options), InvalidArgument);
  const BankTables tables = bank_tables(options);
  EXPECT_EQ(tables.count, 2);
  EXPECT_EQ(tables.scale[2].reach, 0);
  EXPECT_EQ(tables.scale[2].row.smooth[0], 0);
  EXPECT_FALSE(has_default_sizes(tables));
  EXPECT_TRUE(has_default_sizes(bank_tables({.color = Color::kLab})));
}

TEST(Bank, RefusesSizesAndDeviationsThatMakeNone) {
  const auto why = [](std::vector<int> sizes, std::vector<double> sigmas) {
    return test::message_of([&] {
      place_grids({.filter_sizes = std::move(sizes), .filter_sigmas = std::move(sigmas)}, 9, 9);
    });
  };
  EXPECT_THAT(why({}, {}), HasSubstr("filter-sizes has 0 sizes, expected 1 to 8"));
  EXPECT_THAT(why(std::vector<int>(9, 3), std::vector<double>(9, 1)), HasSubstr("9 sizes"));
  EXPECT_THAT(why({3, 5}, {1}), HasSubstr("filter-sigmas has 1 deviations"));
  EXPECT_THAT(why({4}, {1}), HasSubstr("filter-sizes holds 4, expected odd numbers"));
  EXPECT_THAT(why({33}, {1}), HasSubstr("33"));
  EXPECT_THAT(why({3}, {0}), HasSubstr("filter-sigmas"));
}

}  // namespace
}  // namespace fovea::scenes
