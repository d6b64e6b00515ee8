// Scenes packed for a GPU, many at a time.
#pragma once
#include <fovea/actions/match.h>

#include <span>
#include <vector>

#include "actions/match/match_cells_math.h"

namespace fovea::actions::detail {

// Where the parts of a scene are in the arrays of a batch: everything of CellScene except the
// pointers.
struct CellLayout {
  CellScene shape;
  std::int64_t first_point = 0;      // index among the points of all scenes
  std::int64_t first_at = 0;         // start of its table in CellBatch::first_at
  std::int64_t first_direction = 0;  // start of its directions among those of all scenes
  std::int32_t first_frame = 0;      // frame number of the scene's frame 0

  std::int64_t cells() const { return static_cast<std::int64_t>(shape.rows()) * shape.columns(); }
};

// Returns what the recursion needs to know about node i of a model.
CellNode node_of(const Chain& model, int i);

struct CellBatch {
  std::vector<CellLayout> scenes;
  std::vector<std::int32_t> frames;  // frame of each point
  std::vector<std::int32_t> first_at;
  std::vector<float> places;  // x and y of each point
  std::int64_t points = 0;
  std::int64_t directions = 0;

  // Throws InvalidArgument if a table has more rows than 16 bits can count, unless nobody counts
  // them.
  void add(const Scene& scene, const MatchTerms& terms, bool counted = true);
};

}  // namespace fovea::actions::detail
