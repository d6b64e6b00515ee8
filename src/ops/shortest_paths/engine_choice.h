// Which engine finds the shortest paths of a graph, where, and why.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <optional>
#include <span>

#include "ops/shortest_paths/path_plan.h"

namespace fovea::detail {

// Where distances are made: on the host, on a GPU all of them at once in a square, or there some
// rows at a time.
enum class PathPlace : unsigned char { kHost, kSquare, kRows };

struct ChosenEngine {
  PathReport report;
  PathPlace place = PathPlace::kHost;
  std::optional<PathPlan> plan;  // of more parts than one; none: floyd-warshall or dijkstra
};

struct PathWish {
  const char* call = "";     // that asks, for errors
  bool rows = false;         // it can do with some rows at a time, and keeps no square
  std::uint64_t square = 0;  // bytes on the device that it has for one
};

// By the options and, for auto, by the graph. The device in options.exec is resolved. A DeviceError
// where a GPU has no room.
FOVEA_API ChosenEngine choose_engine(const Graph& graph, const PathOptions& options,
                                     const PathWish& wish);

// Distances beyond the cutoff become infinite.
void cut_distances(std::span<float> distances, const PathOptions& options);

}  // namespace fovea::detail
