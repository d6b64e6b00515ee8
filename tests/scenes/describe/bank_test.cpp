// The kernels against MATLAB's formulas, written out.
#include "scenes/describe/bank.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::scenes {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// fspecial('gaussian', size, sigma) at (x, y) from the middle, before it is divided by its sum.
double bell(int x, int y, double sigma) { return std::exp(-(x * x + y * y) / (2 * sigma * sigma)); }

class BankKernels : public testing::TestWithParam<int> {
 protected:
  int size() const { return kBankSizes[GetParam()]; }
  int reach() const { return size() / 2; }
  double sigma() const { return kBankSigmas[GetParam()]; }
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
  const BankScale& scale = bank_tables(Color::kGray).scale[GetParam()];
  ASSERT_EQ(bank_reach(GetParam()), reach());
  const Image<float> smooth = bank_kernel(kBankKinds * GetParam());
  const Image<float> laplacian = bank_kernel(kBankKinds * GetParam() + 1);
  for (int k = 0; k <= reach(); ++k) {
    const double row = static_cast<double>(scale.row.smooth[k]) * 255 * scale.column.smooth[0];
    EXPECT_NEAR(row, smooth.at(reach() + k, reach()), 1e-7);
    const double bent = 255.0 * (static_cast<double>(scale.row.bend[k]) * scale.column.smooth[0] +
                                 static_cast<double>(scale.row.smooth[k]) * scale.column.bend[0] +
                                 static_cast<double>(scale.level));
    EXPECT_NEAR(bent, laplacian.at(reach() + k, reach()), 1e-6 * std::abs(bent) + 1e-7);
  }
  EXPECT_EQ(scale.row.slope[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, BankKernels, testing::Range(0, kBankScales));

TEST(Bank, FiltersAreCountedFromNought) {
  EXPECT_THAT([] { bank_kernel(32); },
              ThrowsMessage<InvalidArgument>(HasSubstr("filter is 32, expected 0 to 31")));
  EXPECT_THROW(bank_kernel(-1), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
