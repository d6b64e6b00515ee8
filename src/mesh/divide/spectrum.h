// The slowest modes of an electrical network: L u = lambda M u, where L is its Laplacian and M the
// masses.
#pragma once
#include <vector>

#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

struct Spectrum {
  std::vector<double> values;   // ascending; the first is 0 and belongs to the constant mode
  std::vector<double> vectors;  // values.size() numbers per node; u' M u = 1

  double at(std::size_t node, std::size_t mode) const {
    return vectors[node * values.size() + mode];
  }
};

constexpr double kModeTolerance = 1e-4;
// Returns the first `count` modes of a connected network, at most one per node. Each mode has the
// sign that makes its number of greatest magnitude positive. `tolerance` is the greatest residual
// of a mode relative to its value; the relative error of a value is about its square.
Spectrum slowest_modes(const Network& network, int count, double tolerance = kModeTolerance);

}  // namespace fovea::mesh
