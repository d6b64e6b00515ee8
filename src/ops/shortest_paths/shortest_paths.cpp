// Checks the arguments, chooses an engine and runs it.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <queue>

#include "core/dispatch.h"
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/distance_table.h"
#include "ops/shortest_paths/engine_choice.h"

namespace fovea {
namespace {

constexpr std::array kEngines{
    Choice{"auto", static_cast<int>(PathEngine::kAuto)},
    Choice{"dijkstra", static_cast<int>(PathEngine::kDijkstra)},
    Choice{"floyd-warshall", static_cast<int>(PathEngine::kFloydWarshall)},
    Choice{"partitioned", static_cast<int>(PathEngine::kPartitioned)}};

void check(const char* call, const PathOptions& options) {
  check_options(options);
  if (!(options.cutoff >= 0))
    throw InvalidArgument(
        fmt::format("{}: cutoff is {}; expected a number of 0 or more", call, options.cutoff));
}

void check_sources(const char* call, const Graph& graph, std::span<const std::int32_t> sources) {
  for (const std::int32_t source : sources)
    if (source < 0 || source >= graph.nodes())
      throw InvalidArgument(
          fmt::format("{}: source {}; there are {} nodes", call, source, graph.nodes()));
}

// Directed graphs work on the CPU; `auto` means that.
Exec resolve_paths(const char* call, const Graph& graph, const Exec& exec) {
  if (!graph.directed()) return detail::resolve_exec(call, exec, {});
  if (detail::on_cuda(exec))
    throw InvalidArgument(fmt::format(
        "{}: device {} was asked for, but the graph is directed; expected device cpu or auto", call,
        to_string(exec.device)));
  Exec on_host = exec;
  on_host.device = Device::cpu();
  return on_host;
}

// Hands out rows whose distances beyond the cutoff have become infinite. The numbers are the
// engine's own, not the caller's.
void take_cut(const DistanceRows& rows, const PathOptions& options,
              const std::function<void(const DistanceRows&)>& take) {
  for (int i = 0; i < rows.rows.height; ++i)
    detail::cut_distances(
        {const_cast<float*>(rows.rows.row(i)), static_cast<std::size_t>(rows.rows.width)}, options);
  take(rows);
}

// stream_distances(), with errors that name `call`.
void stream_rows(const char* call, const Graph& graph,
                 const std::function<void(const DistanceRows&)>& take, const PathOptions& options,
                 PathReport* report) {
  check(call, options);
  PathOptions resolved = options;
  resolved.exec = resolve_paths(call, graph, options.exec);
  const detail::ChosenEngine chosen =
      detail::choose_engine(graph, resolved, {.call = call, .rows = true});
  if (report != nullptr) *report = chosen.report;
  if (graph.nodes() == 0) return;
  if (chosen.place == detail::PathPlace::kRows) {
    cuda::partitioned_rows(*chosen.plan, resolved, take);
    return;
  }
  if (chosen.place == detail::PathPlace::kSquare) {
    detail::TableMemory memory;
    memory.fill(chosen, graph, resolved);
    cuda::square_rows(memory.on_device(), resolved.exec, take);
    return;
  }
  const int most = std::min(graph.nodes(), detail::rows_at_a_time(graph.nodes()));
  if (chosen.plan) {
    cpu::partitioned_rows(*chosen.plan, resolved,
                          [&](const DistanceRows& rows) { take_cut(rows, resolved, take); });
    return;
  }
  if (graph.directed() && chosen.report.engine == PathEngine::kFloydWarshall) {
    cpu::floyd_warshall_directed(graph, resolved,
                                 [&](const DistanceRows& rows) { take_cut(rows, resolved, take); });
    return;
  }
  DistanceMatrix whole;
  if (chosen.report.engine == PathEngine::kFloydWarshall ||
      chosen.report.engine == PathEngine::kPartitioned) {
    whole = DistanceMatrix(graph.nodes());
    cpu::floyd_warshall(graph, resolved, whole.lower());
    detail::cut_distances(whole.lower(), resolved);
  }
  Image<float> rows(graph.nodes(), most);
  for (int first = 0; first < graph.nodes(); first += most) {
    const int count = std::min(most, graph.nodes() - first);
    const auto part = rows.view().crop(0, 0, graph.nodes(), count);
    if (whole.nodes() > 0) {
      parallel_for(resolved.exec, count, 16, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i)
          whole.row(first + i, {part.row(i), static_cast<std::size_t>(graph.nodes())});
      });
    } else {
      std::vector<std::int32_t> sources(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) sources[static_cast<std::size_t>(i)] = first + i;
      cpu::dijkstra_rows(graph, sources, resolved, part);
    }
    take({first, part});
  }
}

}  // namespace

std::span<const Choice> choices(PathEngine) { return kEngines; }
const char* to_string(PathEngine engine) { return kEngines[static_cast<std::size_t>(engine)].word; }

void describe(OptionVisitor& visit, PathOptions& options) {
  visit("engine", options.engine,
        "how shortest paths are found; auto chooses by size, density and device");
  visit.bytes("memory", options.memory,
              "the most memory for distances on a GPU; 0 takes what is free there, and what does "
              "not fit goes through host memory");
}

DistanceMatrix all_distances(const Graph& graph, const PathOptions& options, PathReport* report) {
  check("all_distances", options);
  detail::TableMemory memory;
  memory.compute("all_distances", graph, options);
  if (report != nullptr) *report = memory.report();
  return memory.take_matrix();
}

void stream_distances(const Graph& graph, const std::function<void(const DistanceRows&)>& take,
                      const PathOptions& options, PathReport* report) {
  if (!take) throw InvalidArgument("stream_distances: nothing takes the rows");
  stream_rows("stream_distances", graph, take, options, report);
}

Image<float> distance_square(const Graph& graph, const PathOptions& options, PathReport* report) {
  Image<float> square(graph.nodes(), graph.nodes());
  stream_rows(
      "distance_square", graph,
      [&](const DistanceRows& part) {
        copy(part.rows, square.view().crop(0, part.first, graph.nodes(), part.rows.height));
      },
      options, report);
  return square;
}

void DistanceTable::compute(const Graph& graph, const PathOptions& options) {
  check("DistanceTable", options);
  memory_->compute("DistanceTable", graph, options);
}

Image<float> distances_from(const Graph& graph, std::span<const std::int32_t> sources,
                            const PathOptions& options) {
  check("distances_from", options);
  check_sources("distances_from", graph, sources);
  if (sources.empty()) return {};
  Image<float> rows(graph.nodes(), static_cast<int>(sources.size()));
  cpu::dijkstra_rows(graph, sources, options, rows);
  return rows;
}

NearestSource nearest_source(const Graph& graph, std::span<const std::int32_t> sources,
                             const PathOptions& options) {
  check("nearest_source", options);
  check_sources("nearest_source", graph, sources);
  struct Front {
    float distance;
    std::int32_t place;
    std::int32_t node;
    bool operator>(const Front& other) const {
      return distance != other.distance ? distance > other.distance : place > other.place;
    }
  };
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  NearestSource nearest{std::vector<float>(nodes, kUnreachable),
                        std::vector<std::int32_t>(nodes, -1)};
  std::priority_queue<Front, std::vector<Front>, std::greater<>> fronts;
  const auto reach = [&](std::int32_t node, float distance, std::int32_t place) {
    const auto n = static_cast<std::size_t>(node);
    const bool nearer = distance < nearest.distance[n] ||
                        (distance == nearest.distance[n] && place < nearest.source[n]);
    if (!nearer || distance > options.cutoff) return;
    nearest.distance[n] = distance;
    nearest.source[n] = place;
    fronts.push({distance, place, node});
  };
  for (std::size_t i = 0; i < sources.size(); ++i)
    reach(sources[i], 0, static_cast<std::int32_t>(i));
  while (!fronts.empty()) {
    const Front front = fronts.top();
    fronts.pop();
    const auto n = static_cast<std::size_t>(front.node);
    if (front.distance != nearest.distance[n] || front.place != nearest.source[n]) continue;
    const auto neighbors = graph.neighbors(front.node);
    const auto costs = graph.costs(front.node);
    for (std::size_t i = 0; i < neighbors.size(); ++i)
      reach(neighbors[i], front.distance + costs[i], front.place);
  }
  return nearest;
}

}  // namespace fovea
