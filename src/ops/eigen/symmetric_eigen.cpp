// Jacobi's method (1846; cyclic sweeps as in Golub and Van Loan, "Matrix computations", 8.5):
// rotations set one pair of off-diagonal elements to 0 after the other until all are 0. A sweep
// takes n^3 operations, and about ten sweeps are needed. For the covariances of a few dozen bands
// this takes less than a millisecond, and even small eigenvalues are exact to their last digits;
// large matrices would have to be brought to tridiagonal form first.
#include "ops/eigen/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fovea::detail {
namespace {

class Rotator {
 public:
  Rotator(std::span<const double> matrix, int n, const JacobiOptions& options)
      : options_(options),
        n_(static_cast<std::size_t>(n)),
        matrix_(matrix.begin(), matrix.end()),
        rows_(n_ * n_) {
    for (std::size_t i = 0; i < n_; ++i) rows_[i * n_ + i] = 1;
  }

  double off_diagonal() const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) sum += matrix_[i * n_ + j] * matrix_[i * n_ + j];
    return 2 * sum;
  }
  void sweep() {
    for (std::size_t p = 0; p < n_; ++p)
      for (std::size_t q = p + 1; q < n_; ++q) rotate(p, q);
  }
  SymmetricEigen result() const {
    SymmetricEigen eigen;
    eigen.values.reserve(n_);
    for (std::size_t i = 0; i < n_; ++i) eigen.values.push_back(matrix_[i * n_ + i]);
    eigen.vectors.resize(rows_.size());
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) eigen.vectors[j * n_ + i] = rows_[i * n_ + j];
    return eigen;
  }

 private:
  double length(double side) const {
    return options_.hypot ? std::hypot(1, side) : std::sqrt(side * side + 1);
  }
  // Makes element (p, q) zero.
  void rotate(std::size_t p, std::size_t q) {
    const double off = options_.below ? matrix_[q * n_ + p] : matrix_[p * n_ + q];
    if (off == 0) return;
    const double tau = (matrix_[q * n_ + q] - matrix_[p * n_ + p]) / (2 * off);
    const double tangent = (tau < 0 ? -1 : 1) / (std::abs(tau) + length(tau));
    const double cosine = 1 / length(tangent);
    const double sine = tangent * cosine;
    const auto turn = [&](double& a, double& b) {
      const double kept = a;
      a = cosine * kept - sine * b;
      b = sine * kept + cosine * b;
    };
    for (std::size_t k = 0; k < n_; ++k) turn(matrix_[k * n_ + p], matrix_[k * n_ + q]);
    for (std::size_t k = 0; k < n_; ++k) turn(matrix_[p * n_ + k], matrix_[q * n_ + k]);
    for (std::size_t k = 0; k < n_; ++k) turn(rows_[p * n_ + k], rows_[q * n_ + k]);
  }

  JacobiOptions options_;
  std::size_t n_;
  std::vector<double> matrix_, rows_;  // rows: the eigenvectors so far, one per row
};

}  // namespace

SymmetricEigen symmetric_eigen(std::span<const double> matrix, int n,
                               const JacobiOptions& options) {
  Rotator rotator(matrix, n, options);
  double scale = 0;
  for (const double value : matrix) scale += value * value;
  for (int i = 0; i < options.most_sweeps && rotator.off_diagonal() > scale * options.done; ++i)
    rotator.sweep();
  return rotator.result();
}

std::vector<double> inverse_square_root(std::span<const double> matrix, int n, double floor) {
  const SymmetricEigen eigen = symmetric_eigen(matrix, n);
  const auto size = static_cast<std::size_t>(n);
  const double greatest = *std::max_element(eigen.values.begin(), eigen.values.end());
  std::vector<double> result(size * size);
  if (!(greatest > 0)) return result;
  for (std::size_t k = 0; k < size; ++k) {
    const double scale = 1 / std::sqrt(std::max(eigen.values[k], 0.0) + floor * greatest);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        result[i * size + j] += scale * eigen.vectors[i * size + k] * eigen.vectors[j * size + k];
  }
  return result;
}

}  // namespace fovea::detail
