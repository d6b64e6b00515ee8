// Which engine finds the shortest paths of a graph, and why.
#pragma once
#include <fovea/shortest_paths.h>

#include <optional>
#include <span>

#include "ops/shortest_paths/path_plan.h"

namespace fovea::detail {

// The engine that does it, its plan where it has one, and why.
struct ChosenEngine {
  PathRun run;
  std::optional<PathPlan> plan;  // of more parts than one
};

// By the options and, for auto, by the graph. The device in options.exec is resolved.
ChosenEngine choose_engine(const Graph& graph, const PathOptions& options);

// Distances beyond the cutoff become infinite.
void cut_distances(std::span<float> distances, const PathOptions& options);

}  // namespace fovea::detail
