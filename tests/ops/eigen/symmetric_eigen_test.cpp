#include "ops/eigen/symmetric_eigen.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::detail {
namespace {

// A covariance of a rank, or of full rank.
std::vector<double> random_covariance(Random& random, std::size_t size, std::size_t rank) {
  std::vector<double> factor(size * rank), matrix(size * size);
  for (double& value : factor) value = static_cast<double>(random.normal());
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < rank; ++k)
        matrix[i * size + j] += factor[i * rank + k] * factor[j * rank + k];
  return matrix;
}

// The method once more, with rows turned before columns, vectors as rows, and a number of sweeps
// that may end when the squares beside the diagonal are a share `done` of those on it.
SymmetricEigen rows_first(std::vector<double> matrix, std::size_t n, int sweeps, double done) {
  SymmetricEigen eigen;
  eigen.vectors.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) eigen.vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double on = 0, off = 0;
    for (std::size_t i = 0; i < n * n; ++i) (i / n == i % n ? on : off) += matrix[i] * matrix[i];
    if (!(off > done * on)) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const double element = matrix[p * n + q];
        if (element == 0) continue;
        const double angle = (matrix[q * n + q] - matrix[p * n + p]) / (2 * element);
        const double t = (angle < 0 ? -1 : 1) / (std::fabs(angle) + std::sqrt(angle * angle + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto turn = [&](double& a, double& b) {
          const double old = a;
          a = c * old - s * b;
          b = s * old + c * b;
        };
        for (std::size_t k = 0; k < n; ++k) turn(matrix[p * n + k], matrix[q * n + k]);
        for (std::size_t k = 0; k < n; ++k) turn(matrix[k * n + p], matrix[k * n + q]);
        for (std::size_t k = 0; k < n; ++k)
          turn(eigen.vectors[p * n + k], eigen.vectors[q * n + k]);
      }
  }
  eigen.values.resize(n);
  for (std::size_t i = 0; i < n; ++i) eigen.values[i] = matrix[i * n + i];
  return eigen;
}

// The method with columns turned before rows, and all sweeps.
SymmetricEigen columns_first(std::vector<double> matrix, std::size_t n, int sweeps) {
  SymmetricEigen eigen;
  eigen.vectors.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) eigen.vectors[i * n + i] = 1;
  const auto rotate = [](double& a, double& b, double c, double s) {
    const double old = a;
    a = c * old - s * b;
    b = s * old + c * b;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (matrix[p * n + q] == 0) continue;
        const double theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * matrix[p * n + q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t i = 0; i < n; ++i) rotate(matrix[i * n + p], matrix[i * n + q], c, s);
        for (std::size_t i = 0; i < n; ++i) rotate(matrix[p * n + i], matrix[q * n + i], c, s);
        for (std::size_t i = 0; i < n; ++i)
          rotate(eigen.vectors[i * n + p], eigen.vectors[i * n + q], c, s);
      }
  eigen.values.resize(n);
  for (std::size_t i = 0; i < n; ++i) eigen.values[i] = matrix[i * n + i];
  return eigen;
}

TEST(SymmetricEigen, TakesMatricesApart) {
  Random random(5);
  for (const int n : {1, 2, 5, 32}) {
    const auto size = static_cast<std::size_t>(n);
    const std::vector<double> matrix = random_covariance(random, size, size);
    const SymmetricEigen eigen = symmetric_eigen(matrix, n);
    const std::vector<double> root = inverse_square_root(matrix, n, 1e-12);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        double product = 0;
        for (std::size_t k = 0; k < size; ++k)
          product += eigen.vectors[i * size + k] * eigen.values[k] * eigen.vectors[j * size + k];
        EXPECT_NEAR(product, matrix[i * size + j], 1e-9 * n);
        EXPECT_NEAR(root[i * size + j], root[j * size + i], 1e-9);
      }
    }
  }
  const std::vector<double> diagonal{4, 0, 0, 9};
  const std::vector<double> root = inverse_square_root(diagonal, 2, 0.0);
  EXPECT_NEAR(root[0], 0.5, 1e-15);
  EXPECT_NEAR(root[3], 1.0 / 3, 1e-15);
}

// The settings of scenes (principal axes) and of people (filters) give what their own loops gave.
TEST(SymmetricEigen, SettingsKeepEveryBit) {
  Random random(11);
  for (const std::size_t n : {2U, 3U, 8U, 25U, 40U})
    for (const std::size_t rank : {n, n / 2}) {
      const std::vector<double> matrix = random_covariance(random, n, rank);
      const auto size = static_cast<int>(n);
      const SymmetricEigen axes = symmetric_eigen(
          matrix, size, {.most_sweeps = 30, .done = 1e-20, .hypot = false, .below = true});
      const SymmetricEigen by_rows = rows_first(matrix, n, 30, 1e-20);
      EXPECT_EQ(axes.values, by_rows.values) << n;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
          ASSERT_EQ(axes.vectors[k * n + i], by_rows.vectors[i * n + k]) << n;
      const SymmetricEigen filters =
          symmetric_eigen(matrix, size, {.most_sweeps = 30, .done = -1, .hypot = false});
      const SymmetricEigen by_columns = columns_first(matrix, n, 30);
      EXPECT_EQ(filters.values, by_columns.values) << n;
      EXPECT_EQ(filters.vectors, by_columns.vectors) << n;
    }
}

TEST(SymmetricEigen, TakesZerosAndHugeNumbers) {
  const SymmetricEigen none = symmetric_eigen(std::vector<double>(9), 3);
  EXPECT_EQ(none.values, std::vector<double>(3));
  const SymmetricEigen huge = symmetric_eigen(std::vector<double>{2e150, 1e-150, 1e-150, 1e150}, 2);
  EXPECT_EQ(huge.values[0], 2e150);
  EXPECT_EQ(huge.values[1], 1e150);
  EXPECT_EQ(inverse_square_root(std::vector<double>(4), 2, 0.1), std::vector<double>(4));
}

}  // namespace
}  // namespace fovea::detail
