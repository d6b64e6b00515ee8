// The slowest modes of an electrical network: L u = lambda M u, L its Laplacian, M the masses.
#pragma once
#include <vector>

#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

struct Spectrum {
  std::vector<double> values;   // ascending; the first is 0, of the constant mode
  std::vector<double> vectors;  // values.size() numbers a node; u' M u = 1

  double at(std::size_t node, std::size_t mode) const {
    return vectors[node * values.size() + mode];
  }
};

// The first `count` modes of a connected network, at most one a node. The sign of a mode is such
// that its greatest number is positive.
Spectrum slowest_modes(const Network& network, int count);

}  // namespace fovea::mesh
