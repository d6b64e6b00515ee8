#pragma once
#include <fovea/core/record_fwd.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::mesh {

// A part of a mesh in the tree of its divisions into two. Roots come first; then, component by
// component, the two children of its first division, those of its second, and so on.
struct HierarchyNode {
  std::int32_t parent = -1;                      // -1 for a root: a connected component
  std::int32_t level = 0;                        // divisions above it
  std::array<std::int32_t, 2> children{-1, -1};  // -1 where it was not divided
  std::int32_t part = -1;  // the label of the part that it is, or of the first part inside it
  std::int32_t representative = -1;  // the face that represents it; for a part the one in
                                     // Segmentation::representatives
  std::int64_t faces = 0;            // how many faces belong to it, after cuts
  double area = 0;                   // its share of the mesh's area
  double apart = 0;  // the distance between the representatives of its children: along paths with
                     // Method::kFuzzy, an electrical resistance with Method::kResistance. The
                     // caller's costs count relative to their mean

  bool is_part() const { return children[0] < 0; }
};
FOVEA_API void describe(FieldVisitor& visit, HierarchyNode& node);

// How many levels there are: 1 where nothing was divided, 0 for an empty tree.
FOVEA_API int hierarchy_levels(std::span<const HierarchyNode> nodes);

// For each of the final parts the part that it is shown as at a level: its ancestor at that level,
// named by the ancestor's first part. Level 0 shows whole components.
FOVEA_API std::vector<std::int32_t> parts_at_level(std::span<const HierarchyNode> nodes, int level);

// The tree as JSON: {"levels": 3, "nodes": [{"node": 0, "parent": null, "level": 0, "children":
// [1, 2], "part": null, "parts": [0, 1], "faces": 768, "area": 1, "representative": 12, "apart":
// 0.7}, ...]}. "part" is the label of a node that was not divided, and "parts" has the labels of
// all parts inside.
FOVEA_API std::string hierarchy_json(std::span<const HierarchyNode> nodes);

}  // namespace fovea::mesh
