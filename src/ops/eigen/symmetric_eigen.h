// Eigenvalues and eigenvectors of small symmetric matrices, which are stored row by row.
#pragma once
#include <span>
#include <vector>

namespace fovea::detail {

// How rotations are made. Who has learned something by them that is kept in files takes the same
// settings again, so that the next training finds the same bits.
struct JacobiOptions {
  int most_sweeps = 64;  // convergence is quadratic: ten are plenty
  // Sweeps end once the squares beside the diagonal have no more than this share of all squares;
  // below 0 all sweeps are made.
  double done = 2e-32;
  bool hypot = true;   // roots of sums of squares that cannot overflow, in place of sqrt(1 + t * t)
  bool below = false;  // angles follow from the elements below the diagonal, which differ from
                       // those above it by rounding
};

// The eigenvalues in no order, and the eigenvectors as columns.
struct SymmetricEigen {
  std::vector<double> values{};
  std::vector<double> vectors{};
};
SymmetricEigen symmetric_eigen(std::span<const double> matrix, int n,
                               const JacobiOptions& options = {});

// Returns (matrix + floor * greatest eigenvalue)^(-1/2) for a covariance, or zeros for a matrix of
// zeros.
std::vector<double> inverse_square_root(std::span<const double> matrix, int n, double floor);

}  // namespace fovea::detail
