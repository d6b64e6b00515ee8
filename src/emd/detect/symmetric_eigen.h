// Small symmetric matrices, row after row.
#pragma once
#include <span>
#include <vector>

namespace fovea::emd {

// Eigenvalues of a symmetric n x n matrix, and its eigenvectors as columns (Jacobi's rotations).
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};
SymmetricEigen symmetric_eigen(std::span<const double> matrix, int n);

// (matrix + floor * greatest eigenvalue)^(-1/2) of a covariance; all 0 for a matrix of zeros.
std::vector<double> inverse_square_root(std::span<const double> matrix, int n, double floor);

}  // namespace fovea::emd
