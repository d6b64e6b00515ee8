#include "emd/detect/symmetric_eigen.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

namespace fovea::emd {
namespace {

TEST(SymmetricEigen, TakesMatricesApart) {
  Random random(5);
  for (const int n : {1, 2, 5, 32}) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> factor(size * size), matrix(size * size);
    for (double& value : factor) value = static_cast<double>(random.normal());
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t k = 0; k < size; ++k)
          matrix[i * size + j] += factor[i * size + k] * factor[j * size + k];
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

}  // namespace
}  // namespace fovea::emd
