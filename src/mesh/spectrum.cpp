// Block inverse iteration: the sparse Laplacian, shifted a little so that the constant mode does
// not make it singular, is factored once, and a block of vectors is solved for and turned into
// Ritz vectors until their values stand still. Some vectors more than wanted are carried along,
// which makes the wanted ones converge by the gap to those beyond them.
#include "mesh/spectrum.h"

#include <fovea/random.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace fovea::mesh {
namespace {

using Matrix = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr int kMore = 6;  // vectors beyond those wanted
constexpr int kMostRounds = 60;
constexpr double kShift = 1e-7;
constexpr double kTolerance = 1e-4;

// M^-1/2 L M^-1/2, scaled to a mean diagonal of 1, with the shift on it.
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

// Orthonormal columns that span the same, and the Ritz values of the operator there.
Eigen::VectorXd ritz(const Sparse& lower, Matrix& block) {
  const Eigen::HouseholderQR<Matrix> qr(block);
  block = qr.householderQ() * Matrix::Identity(block.rows(), block.cols());
  const Matrix image = lower.selfadjointView<Eigen::Lower>() * block;
  const Matrix small = block.transpose() * image;
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(0.5 * (small + small.transpose()));
  block = block * solved.eigenvectors();
  return solved.eigenvalues();
}

Matrix start(const Network& network, Eigen::Index columns) {
  const auto nodes = static_cast<Eigen::Index>(network.masses.size());
  Matrix block(nodes, columns);
  Random random(1);
  for (Eigen::Index column = 0; column < columns; ++column)
    for (Eigen::Index node = 0; node < nodes; ++node)
      block(node, column) = column == 0 ? std::sqrt(network.masses[static_cast<std::size_t>(node)])
                                        : static_cast<double>(random.uniform(-1, 1));
  return block;
}

}  // namespace

Spectrum slowest_modes(const Network& network, int count) {
  const auto nodes = static_cast<Eigen::Index>(network.masses.size());
  const Eigen::Index wanted = std::min<Eigen::Index>(count, nodes);
  const Eigen::Index columns = std::min<Eigen::Index>(wanted + kMore, nodes);
  double scale = 1;
  const Sparse lower = scaled_laplacian(network, scale);
  const Eigen::SimplicialLDLT<Sparse, Eigen::Lower> factors(lower);
  Matrix block = start(network, columns);
  Eigen::VectorXd values = ritz(lower, block);
  for (int round = 0; round < kMostRounds; round += 2) {
    block = factors.solve(block);
    block.colwise().normalize();
    block = factors.solve(block);
    const Eigen::VectorXd next = ritz(lower, block);
    const double moved =
        ((next - values).head(wanted).array().abs() / next.head(wanted).array().abs().max(kShift))
            .maxCoeff();
    values = next;
    if (moved < kTolerance) break;
  }

  Spectrum result;
  result.values.resize(static_cast<std::size_t>(wanted));
  result.vectors.resize(static_cast<std::size_t>(wanted * nodes));
  for (Eigen::Index mode = 0; mode < wanted; ++mode) {
    result.values[static_cast<std::size_t>(mode)] =
        mode == 0 ? 0 : std::max(values[mode] - kShift, 0.0) / scale;
    Eigen::Index greatest = 0;
    block.col(mode).cwiseAbs().maxCoeff(&greatest);
    const double sign = block(greatest, mode) < 0 ? -1 : 1;
    for (Eigen::Index node = 0; node < nodes; ++node)
      result.vectors[static_cast<std::size_t>(node * wanted + mode)] =
          sign * block(node, mode) / std::sqrt(network.masses[static_cast<std::size_t>(node)]);
  }
  return result;
}

}  // namespace fovea::mesh
