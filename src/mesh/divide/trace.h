// What a segmentation leaves behind for its explanation.
#pragma once
#include <fovea/mesh/explain.h>

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/clusters.h"

namespace fovea::mesh {

// Makes room for a graph.
void begin_explanation(const DualGraph& graph, SegmentExplanation& why);
// Takes the clusters of a component as they are before cuts; `faces` are those of the whole mesh,
// and `first` is the label of the first cluster.
void note_clusters(const Part& part, std::span<const std::int32_t> faces, const Clusters& clusters,
                   std::int32_t first, SegmentExplanation& why);
// Takes cuts, and the reason for the number of clusters.
void note_choice(const Clusters& clusters, std::int32_t first, SegmentExplanation& why);
// Takes the edges of a component with their capacities. `arcs` are their places in the whole graph;
// empty where the component is the graph.
void note_edges(const Part& part, std::span<const std::int32_t> faces,
                std::span<const std::int32_t> arcs, std::span<const double> capacities,
                SegmentExplanation& why);
// Divides lengths, and capacities where they are lengths, by the scale of the coordinates.
void unscale(SegmentExplanation& why, bool lengths, double scale);
// Finds the seams between the parts of the finished segmentation.
void find_seams(SegmentExplanation& why);

}  // namespace fovea::mesh
