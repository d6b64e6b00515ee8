// Small symmetric matrices, stored row by row.
#pragma once
#include <span>
#include <vector>

namespace fovea::emd {

// The eigenvalues of a symmetric n x n matrix and its eigenvectors as columns (Jacobi's rotations).
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};
SymmetricEigen symmetric_eigen(std::span<const double> matrix, int n);

// Returns (matrix + floor * greatest eigenvalue)^(-1/2) for a covariance, or zeros for a matrix of
// zeros.
std::vector<double> inverse_square_root(std::span<const double> matrix, int n, double floor);

}  // namespace fovea::emd
