// Which engine finds the shortest paths of a graph, where, and why.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <optional>
#include <span>

#include "ops/shortest_paths/path_plan.h"

namespace fovea::detail {

struct ChosenEngine {
  PathReport report;
  int tile_panels = 0;  // with PathStorage::kTiles, how many panels visit the device together
  std::optional<PathPlan>
      plan;  // a plan with more than one part; none for floyd-warshall and dijkstra
};

struct PathWish {
  const char* call = "";     // name of the calling function, for errors
  bool rows = false;         // the caller can use some rows at a time and keeps no square
  std::uint64_t square = 0;  // bytes on the device that the caller has for a square
};

// Chooses by the options and, for auto, by the graph. The device in options.exec is resolved.
// Throws DeviceError where the memory of a GPU is too small.
FOVEA_API ChosenEngine choose_engine(const Graph& graph, const PathOptions& options,
                                     const PathWish& wish);

// Distances beyond the cutoff become infinite.
void cut_distances(std::span<float> distances, const PathOptions& options);

}  // namespace fovea::detail
