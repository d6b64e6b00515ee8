#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/mesh/dual_graph.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::mesh {

// How much two segmentations of a mesh differ, by the measures of the Princeton benchmark (Chen,
// Golovinskiy and Funkhouser, SIGGRAPH 2009). Every measure is 0 for equal segmentations.
struct SegmentationReport {
  double rand = 0;  // 1 - Rand index: the share of pairs of faces, weighted by area, that lie in
                    // one part here and in two parts there
  double cut_discrepancy = 0;  // the mean distance from a border to the nearest border of the other
                               // segmentation, both ways, relative to the mean distance of the
                               // surface from its centroid
  double hamming = 0;          // the mean of the two below
  double hamming_missing = 0;
  double hamming_false = 0;
  double global_consistency = 0;
  double local_consistency = 0;
};
FOVEA_API void describe(FieldVisitor& visit, SegmentationReport& report);
// Both segmentations have one label per face.
FOVEA_API SegmentationReport compare_segmentations(const io::TriangleMesh& mesh,
                                                   std::span<const std::int32_t> a,
                                                   std::span<const std::int32_t> b);

// Compares a segmentation with several reference segmentations, such as those that people made, and
// returns the mean of every measure.
FOVEA_API SegmentationReport
evaluate_segmentation(const io::TriangleMesh& mesh, std::span<const std::int32_t> labels,
                      std::span<const std::vector<std::int32_t>> references);

// The files in a folder that have labels of a mesh with this path, such as those that people made:
// NAME.seg, NAME_*.seg and NAME/*.seg, in natural order. Empty where there are none.
FOVEA_API std::vector<std::string> label_files(const std::string& mesh_path,
                                               const std::string& folder);

}  // namespace fovea::mesh
