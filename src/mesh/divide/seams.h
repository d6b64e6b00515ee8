// What is done to clusters afterwards: seams by a minimum cut, islands given away, pieces counted.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/clusters.h"
#include "mesh/graph/adjacency.h"

namespace fovea::mesh {

// Marks the faces within `width` of another cluster as in doubt between the two, but no deeper than
// half of their cluster's depth, so that each keeps a core.
void doubt_near_seams(const Part& part, double width, Clusters& clusters);

// For each two clusters the faces in doubt between them are divided where the cut costs the least.
// Returns the cuts' value. No cluster loses its last face.
double cut_seams(const Part& part, std::span<const double> capacities, Clusters& clusters);

// Pieces of a cluster with fewer than `least` faces, but for its largest, are given to the cluster
// with which they share the longest border.
void give_islands_away(const Part& part, int least, Clusters& clusters);

// Numbers the connected pieces of equal labels by their first face.
int connected_pieces(const DualGraph& graph, std::span<const std::int32_t> labels,
                     std::vector<std::int32_t>& pieces);

}  // namespace fovea::mesh
