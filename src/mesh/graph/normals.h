// Averages normals over neighbors and measures the angles between them.
#pragma once
#include <fovea/mesh/dual_graph.h>

#include <span>
#include <vector>

#include "mesh/graph/adjacency.h"

namespace fovea::mesh {

// Performs rounds of n_i <- unit(area_i n_i + sum of area_j n_j over neighbors); in a last,
// fractional round the weight of neighbors is that fraction. Faces without area take their
// neighbors' mean. Then sets angle and concave of all arcs from these normals and the centroids.
// Runs on exec's device, which is resolved.
void smooth_and_measure(DualGraph& graph, const Adjacency& adjacency, double rounds,
                        const Exec& exec);

namespace cpu {
// `shares` are areas divided by their mean, so that squares neither vanish nor overflow.
void smooth_and_measure(DualGraph& graph, const Adjacency& adjacency, std::span<const float> shares,
                        double rounds, const Exec& exec);
}  // namespace cpu
namespace cuda {
void smooth_and_measure(DualGraph& graph, const Adjacency& adjacency, std::span<const float> shares,
                        double rounds, const Exec& exec);
}

// Returns the weight of neighbors in each round: 1, and in the last one the fraction that is left.
std::vector<float> smoothing_shares(double rounds);

}  // namespace fovea::mesh
