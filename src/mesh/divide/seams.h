// Improves clusters afterwards: seams by a minimum cut, islands given away, pieces counted.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/clusters.h"
#include "mesh/graph/adjacency.h"

namespace fovea::mesh {

// Marks the faces within `width` of another cluster as in doubt between the two, but no deeper than
// half of their cluster's depth, so that each cluster keeps a core.
void doubt_near_seams(const Part& part, double width, Clusters& clusters);

// For each two clusters, divides the faces in doubt between them where the cut costs least. Returns
// the value of all cuts. No cluster loses its last face. The result is the same on every device.
// On a GPU, cuts through fewer than `fewest` faces at a time are left to the CPU, which is faster
// with them.
inline constexpr std::size_t kFewestFacesOnGpu = 16384;
double cut_seams(const Part& part, std::span<const double> capacities, Clusters& clusters,
                 const Exec& exec, std::size_t fewest = kFewestFacesOnGpu);

// Gives the pieces of a cluster with fewer than `least` faces, except for its largest piece, to the
// cluster with which they share the longest border.
void reassign_islands(const Part& part, int least, Clusters& clusters);

// Numbers the connected pieces of equal labels by their first face.
int connected_pieces(const DualGraph& graph, std::span<const std::int32_t> labels,
                     std::vector<std::int32_t>& pieces);

}  // namespace fovea::mesh
