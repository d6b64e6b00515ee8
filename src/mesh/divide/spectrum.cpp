// Block Lanczos on the inverse: the sparse Laplacian, shifted a little so that the constant mode
// does not make it singular, is factored once. Blocks of vectors, each solved for from the one
// before, span a space in which the slowest modes are found first. All vectors are kept orthogonal
// to all before them. A block of several vectors finds modes with equal values, which symmetric
// shapes have. About 80 solutions give 25 modes; iterating a single block until it converges would
// take ten times as many.
#include "mesh/divide/spectrum.h"

#include <fovea/core/random.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace fovea::mesh {
namespace {

using Matrix = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr int kBlock = 4;
constexpr Eigen::Index kFirst = 2;  // vectors per wanted mode before the first check of convergence
constexpr Eigen::Index kFurther = 12;  // further vectors before the next check
constexpr int kPatience = 8;           // checks after which each step is longer than the one before
constexpr double kShift = 1e-7;
constexpr double kNothing = 1e-12;

// Returns M^-1/2 L M^-1/2, scaled to a mean diagonal of 1 and shifted.
Sparse scaled_laplacian(const Network& network, double& scale) {
  const auto nodes = static_cast<Eigen::Index>(network.masses.size());
  std::vector<double> diagonal(network.masses.size(), 0);
  for (const Conductance& link : network.links) {
    diagonal[static_cast<std::size_t>(link.a)] += link.value;
    diagonal[static_cast<std::size_t>(link.b)] += link.value;
  }
  double sum = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) sum += diagonal[i];
  scale = sum > 0 ? static_cast<double>(nodes) / sum : 1;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(network.links.size() + network.masses.size());
  for (const Conductance& link : network.links) {
    const double by = scale / std::sqrt(network.masses[static_cast<std::size_t>(link.a)] *
                                        network.masses[static_cast<std::size_t>(link.b)]);
    entries.emplace_back(link.b, link.a, -link.value * by);
  }
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const auto at = static_cast<int>(i);
    entries.emplace_back(at, at, diagonal[i] * scale / network.masses[i] + kShift);
  }
  Sparse lower(nodes, nodes);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

// Solves for several right-hand sides at once: the numbers of a node are stored together, so that
// each entry of the factor is read once and applied to a whole vector register.
class Solver {
 public:
  explicit Solver(const Sparse& lower)
      : factors_(lower), x_(static_cast<std::size_t>(lower.rows() * kBlock)) {}

  // Overwrites the columns of `block`, at most kBlock of them, with the solution.
  void solve(Eigen::Ref<Matrix> block) {
    const auto& place = factors_.permutationP().indices();
    const Sparse& l = factors_.matrixL().nestedExpression();
    const Eigen::Index nodes = block.rows();
    for (Eigen::Index node = 0; node < nodes; ++node)
      for (Eigen::Index i = 0; i < kBlock; ++i)
        at(place[node])[i] = i < block.cols() ? block(node, i) : 0;
    const auto* first = l.outerIndexPtr();
    const auto* rows = l.innerIndexPtr();
    const double* values = l.valuePtr();
    for (Eigen::Index column = 0; column < nodes; ++column) {
      const double* from = at(column);
      for (auto entry = first[column]; entry < first[column + 1]; ++entry) {
        double* to = at(rows[entry]);
        for (int i = 0; i < kBlock; ++i) to[i] -= values[entry] * from[i];
      }
    }
    for (Eigen::Index column = nodes - 1; column >= 0; --column) {
      double* to = at(column);
      const double diagonal = factors_.vectorD()[column];
      double sum[kBlock];
      for (int i = 0; i < kBlock; ++i) sum[i] = to[i] / diagonal;
      for (auto entry = first[column]; entry < first[column + 1]; ++entry) {
        const double* from = at(rows[entry]);
        for (int i = 0; i < kBlock; ++i) sum[i] -= values[entry] * from[i];
      }
      std::copy_n(sum, kBlock, to);
    }
    for (Eigen::Index node = 0; node < nodes; ++node)
      for (Eigen::Index i = 0; i < block.cols(); ++i) block(node, i) = at(place[node])[i];
  }

 private:
  double* at(Eigen::Index node) { return x_.data() + node * kBlock; }

  Eigen::SimplicialLDLT<Sparse, Eigen::Lower> factors_;
  std::vector<double> x_;
};

// An orthonormal basis that grows by the inverse times its last block, and the inverse expressed in
// this basis. The constant mode, which is known beforehand, is the first column of the basis and
// not part of this matrix.
class Krylov {
 public:
  Krylov(const Network& network, const Sparse& lower) : solver_(lower) {
    const auto nodes = static_cast<Eigen::Index>(network.masses.size());
    basis_.resize(nodes, 1);
    for (Eigen::Index node = 0; node < nodes; ++node)
      basis_(node, 0) = std::sqrt(network.masses[static_cast<std::size_t>(node)]);
    basis_.col(0).normalize();
    append(Matrix::Zero(nodes, std::min<Eigen::Index>(kBlock, nodes - 1)));
  }

  Eigen::Index size() const { return basis_.cols() - 1; }
  bool whole() const { return basis_.cols() == basis_.rows(); }

  void grow() {
    const Eigen::Index old = basis_.cols();
    Matrix next = basis_.rightCols(last_);
    solver_.solve(next);
    Matrix seen = basis_.transpose() * next;
    next.noalias() -= basis_ * seen;
    // Rounding leaves small components along the basis; a second pass removes them.
    next.noalias() -= basis_ * (basis_.transpose() * next);
    inverse_.conservativeResize(old - 1, old - 1);
    inverse_.rightCols(last_) = seen.bottomRows(old - 1);
    inverse_.bottomRows(last_) = seen.bottomRows(old - 1).transpose();
    known_ = old - 1;
    append(next.leftCols(std::min<Eigen::Index>(next.cols(), basis_.rows() - old)));
  }

  // Computes the greatest eigenvalues of the inverse in the basis without its last block. Returns
  // the greatest residual relative to its value.
  double solve(Eigen::Index wanted) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solved(0.5 *
                                                       (inverse_ + Matrix(inverse_.transpose())));
    const Eigen::Index count = std::min(wanted, known_);
    values_ = solved.eigenvalues().tail(count).reverse();
    vectors_ = solved.eigenvectors().rightCols(count).rowwise().reverse();
    if (last_ == 0) return 0;
    const Matrix rest = leftover_ * vectors_.bottomRows(leftover_.cols());
    return (rest.colwise().norm().transpose().array() / values_.array().abs()).maxCoeff();
  }
  const Eigen::VectorXd& values() const { return values_; }
  Eigen::Index known() const { return known_; }
  Matrix modes() const { return basis_.middleCols(1, known_) * vectors_; }
  Eigen::VectorXd constant() const { return basis_.col(0); }

 private:
  // Appends orthonormal columns; a column with nothing left is replaced by a random one.
  void append(const Matrix& block) {
    const Eigen::Index old = basis_.cols();
    last_ = block.cols();
    leftover_ = Matrix::Zero(last_, last_);
    basis_.conservativeResize(Eigen::NoChange, old + last_);
    for (Eigen::Index i = 0; i < last_; ++i) {
      Eigen::VectorXd column = block.col(i);
      const double before = column.norm();
      for (Eigen::Index j = 0; j < i; ++j) {
        leftover_(j, i) = basis_.col(old + j).dot(column);
        column -= leftover_(j, i) * basis_.col(old + j);
      }
      double size = column.norm();
      if (size > kNothing * before && size > kNothing) {
        leftover_(i, i) = size;
        if (size < 0.1 * before) size = free_of(old + i, column);
      } else {
        for (double& value : column) value = static_cast<double>(random_.uniform(-1, 1));
        free_of(old + i, column);
        size = free_of(old + i, column);
      }
      basis_.col(old + i) = column / size;
    }
  }
  double free_of(Eigen::Index columns, Eigen::VectorXd& column) const {
    column -= basis_.leftCols(columns) * (basis_.leftCols(columns).transpose() * column);
    return column.norm();
  }

  Solver solver_;
  Matrix basis_;
  Matrix inverse_;
  Matrix leftover_;  // the inverse times the block before the last, expressed in the last block
  Eigen::Index last_ = 0;
  Eigen::Index known_ = 0;
  Eigen::VectorXd values_;
  Matrix vectors_;
  Random random_{1};
};

}  // namespace

Spectrum slowest_modes(const Network& network, int count, double tolerance) {
  const auto nodes = static_cast<Eigen::Index>(network.masses.size());
  const Eigen::Index wanted = std::min<Eigen::Index>(count, nodes);
  double scale = 1;
  const Sparse lower = scaled_laplacian(network, scale);
  Krylov krylov(network, lower);
  int looks = 0;
  for (Eigen::Index enough = kFirst * wanted + kBlock; wanted > 1;) {
    krylov.grow();
    const bool all = krylov.known() == nodes - 1;
    if (krylov.known() < enough && !all) continue;
    if (krylov.solve(wanted - 1) < tolerance || all) break;
    // A check costs the cube of the number of known vectors. Conductances that are many powers of
    // ten apart, as in degenerate meshes, converge only with the whole space, which is reached in a
    // few long steps.
    const Eigen::Index known = krylov.known();
    enough = known + (++looks <= kPatience ? kFurther : std::max(kFurther, known / 2));
  }

  Spectrum result;
  result.values.assign(static_cast<std::size_t>(wanted), 0);
  result.vectors.resize(static_cast<std::size_t>(wanted * nodes));
  Matrix modes(nodes, wanted);
  modes.col(0) = krylov.constant();
  if (wanted > 1) modes.rightCols(wanted - 1) = krylov.modes();
  for (Eigen::Index mode = 0; mode < wanted; ++mode) {
    if (mode > 0)
      result.values[static_cast<std::size_t>(mode)] =
          std::max(1 / krylov.values()[mode - 1] - kShift, 0.0) / scale;
    Eigen::Index greatest = 0;
    modes.col(mode).cwiseAbs().maxCoeff(&greatest);
    const double sign = modes(greatest, mode) < 0 ? -1 : 1;
    for (Eigen::Index node = 0; node < nodes; ++node)
      result.vectors[static_cast<std::size_t>(node * wanted + mode)] =
          sign * modes(node, mode) / std::sqrt(network.masses[static_cast<std::size_t>(node)]);
  }
  return result;
}

}  // namespace fovea::mesh
