// Weighs the engines against each other by the steps that each would take.
#include "ops/shortest_paths/engine_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/dispatch.h"
#include "core/parallel.h"

namespace fovea::detail {
namespace {

// Seconds of a core that never counts alone: only ratios matter.
constexpr double kStepSeconds = 0.065e-9;  // of a min-plus step
constexpr double kVisitSeconds = 3e-9;     // of an arc from one source, by dijkstra

std::string graph_words(const Graph& graph) {
  return fmt::format("{} nodes of {:.1f} arcs each", graph.nodes(),
                     2.0 * static_cast<double>(graph.arcs()) / std::max(1, graph.nodes()));
}

}  // namespace

ChosenEngine choose_engine(const Graph& graph, const PathOptions& options) {
  const bool on_gpu = on_cuda(options.exec);
  ChosenEngine chosen;
  PathRun& run = chosen.run;
  run.engine = options.engine;
  const double whole = floyd_warshall_relaxations(graph.nodes());
  if (options.engine == PathEngine::kAuto) {
    const double paths = static_cast<double>(graph.nodes()) *
                         (2.0 * static_cast<double>(graph.arcs()) + graph.nodes()) * kVisitSeconds;
    if (options.cutoff < kUnreachable && !on_gpu) {
      run.engine = PathEngine::kDijkstra;
      run.why = "a cutoff saves time with dijkstra alone";
    } else if (whole * kStepSeconds <= paths) {
      run.engine = PathEngine::kFloydWarshall;
      run.why = graph_words(graph) + ": too small or dense to gain by leaving arcs out";
    } else {
      chosen.plan = make_path_plan(graph, options.exec);
      const double steps = chosen.plan->relaxations * kStepSeconds;
      const bool parts = chosen.plan->parts.size() > 1 && (steps <= paths || on_gpu);
      run.engine = parts ? PathEngine::kPartitioned : PathEngine::kDijkstra;
      run.why = parts
                    ? fmt::format("{} fall into {} parts with {} nodes between them",
                                  graph_words(graph), chosen.plan->parts.size(), chosen.plan->gates)
                    : graph_words(graph) + ": sparse, but its parts have wide borders";
    }
  } else if (options.engine == PathEngine::kPartitioned) {
    chosen.plan = make_path_plan(graph, options.exec);
  }
  if (run.engine != PathEngine::kPartitioned) chosen.plan.reset();
  if (chosen.plan) run.parts = static_cast<int>(chosen.plan->parts.size());
  if (run.parts == 1) chosen.plan.reset();  // which is floyd-warshall
  if (run.engine != PathEngine::kDijkstra)
    run.relaxations = chosen.plan ? chosen.plan->relaxations : whole;
  return chosen;
}

void cut_distances(std::span<float> distances, const PathOptions& options) {
  constexpr std::int64_t kGrain = 1 << 18;
  if (options.cutoff == kUnreachable) return;
  parallel_for(options.exec, static_cast<std::int64_t>(distances.size()), kGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i)
                   if (distances[i] > options.cutoff) distances[i] = kUnreachable;
               });
}

}  // namespace fovea::detail
