// Patches of faces that are divided in place of the faces.
#pragma once
#include <cstdint>
#include <vector>

#include "mesh/divide/clusters.h"

namespace fovea::mesh {

struct Superfaces {
  std::vector<std::int32_t> seeds;  // one face per superface
  std::vector<std::int32_t> of;     // one per face: its superface
  std::vector<float> inner;         // one per face: the cost of the path from its seed, inside the
                                    // superface

  int count() const { return static_cast<int>(seeds.size()); }
};

// Spreads `count` seeds evenly over the part, but no more than it has faces, and gives every face
// to its nearest seed. A step costs its length and its angle; convex angles cost less.
Superfaces make_superfaces(const Part& part, int count, const Exec& exec);

// Superfaces as nodes of an electrical network.
struct Conductance {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double value = 0;
};
struct Network {
  std::vector<Conductance> links;  // a < b, sorted, one per pair
  std::vector<double> masses;      // areas, scaled to a mean of 1
};
// Two superfaces are connected by their shared edges in parallel. Each edge has the resistance of
// the path from one seed across it to the other, by the part's costs.
Network make_network(const Part& part, const Superfaces& superfaces);
// Sorts the links and adds up those between the same two superfaces.
void join_links(Network& network);

}  // namespace fovea::mesh
