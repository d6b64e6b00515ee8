// Normals averaged over neighbours, and the angles between them.
#pragma once
#include <fovea/mesh/dual_graph.h>

#include <array>
#include <vector>

#include "mesh/adjacency.h"

namespace fovea::mesh {

// Rounds of n_i <- unit(area_i n_i + sum of area_j n_j over neighbours); in what is left over of a
// round neighbours weigh as much less. Faces without area take their neighbours' mean.
std::vector<std::array<float, 3>> smoothed_normals(const DualGraph& graph,
                                                   const Adjacency& adjacency, double rounds,
                                                   const Exec& exec = {});

// Sets angle and concave of all arcs from the graph's normals and centroids.
void measure_angles(DualGraph& graph, const Exec& exec = {});

}  // namespace fovea::mesh
