#pragma once
#include <fovea/mesh/dual_graph.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::mesh {

// How far two segmentations of a mesh are apart, as the Princeton benchmark measures it (Chen,
// Golovinskiy and Funkhouser, SIGGRAPH 2009): 0 is equal.
struct SegmentationErrors {
  double rand = 0;  // 1 - Rand index: pairs of faces that one puts together and the other apart,
                    // by area
  double cut_discrepancy = 0;  // mean distance of cuts to the nearest of the other's, both ways,
                               // over the mean distance of faces to the centroid
  double hamming = 0;          // mean of the two below
  double hamming_missing = 0;
  double hamming_false = 0;
  double global_consistency = 0;
  double local_consistency = 0;
};
FOVEA_API SegmentationErrors compare_segmentations(const io::TriangleMesh& mesh,
                                                   std::span<const std::int32_t> a,
                                                   std::span<const std::int32_t> b);

// Against several people's: the mean of the errors to each.
FOVEA_API SegmentationErrors compare_to_people(const io::TriangleMesh& mesh,
                                               std::span<const std::int32_t> labels,
                                               std::span<const std::vector<std::int32_t>> people);

}  // namespace fovea::mesh
