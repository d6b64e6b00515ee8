// Scenes packed for a GPU, many at a time.
#pragma once
#include <fovea/actions/match.h>

#include <span>
#include <vector>

#include "actions/match/match_cells_math.h"

namespace fovea::actions::detail {

// Where a scene's parts lie in the arrays of a batch; all CellScene has but the pointers.
struct CellLayout {
  CellScene shape;
  std::int64_t first_point = 0;      // among those of all scenes
  std::int64_t first_at = 0;         // its table among all
  std::int64_t first_direction = 0;  // among all
  std::int32_t first_frame = 0;      // frame number of the scene's frame 0

  std::int64_t cells() const { return static_cast<std::int64_t>(shape.rows()) * shape.columns(); }
};

// What the recursion needs to know of a model's node.
CellNode node_of(const Chain& model, int i);

struct CellBatch {
  std::vector<CellLayout> scenes;
  std::vector<std::int32_t> frames;  // of points
  std::vector<std::int32_t> first_at;
  std::vector<float> places;  // x and y of points
  std::int64_t points = 0;
  std::int64_t directions = 0;

  // InvalidArgument where a table has more rows than are counted.
  void add(const Scene& scene, const MatchTerms& terms);
};

}  // namespace fovea::actions::detail
