// Patches of faces that are divided instead of the faces themselves.
#pragma once
#include <cstdint>
#include <vector>

#include "mesh/divide/clusters.h"

namespace fovea::mesh {

struct Superfaces {
  std::vector<std::int32_t> seeds;  // a face each
  std::vector<std::int32_t> of;     // of each face
  std::vector<float> inner;  // what it takes to get to each face from its seed, by the part's
                             // costs, without leaving the superface

  int count() const { return static_cast<int>(seeds.size()); }
};

// `count` seeds that cover the part evenly, and every face to its nearest seed, where a step costs
// as much by its length as by its angle, convex ones less. No more superfaces than faces.
Superfaces make_superfaces(const Part& part, int count, const Exec& exec);

// Superfaces as nodes of an electrical network.
struct Conductance {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double value = 0;
};
struct Network {
  std::vector<Conductance> links;  // a < b, ordered, one a pair
  std::vector<double> masses;      // areas, with a mean of 1
};
// Between two superfaces lie their shared edges in parallel, each with what it takes to get from
// one seed over it to the other in series, by the part's costs.
Network make_network(const Part& part, const Superfaces& superfaces);

}  // namespace fovea::mesh
