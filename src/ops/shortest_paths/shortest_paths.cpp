// Checks the arguments, chooses an engine and runs it.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/record.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

constexpr std::array kStorages{Choice{"host", static_cast<int>(PathStorage::kHost)},
                               Choice{"square", static_cast<int>(PathStorage::kSquare)},
                               Choice{"half", static_cast<int>(PathStorage::kHalf)},
                               Choice{"tiles", static_cast<int>(PathStorage::kTiles)},
                               Choice{"rows", static_cast<int>(PathStorage::kRows)}};

void check(const char* call, const PathOptions& options) {
  check_options(options);
  if (!(options.cutoff >= 0))
    throw InvalidArgument(
        fmt::format("{}: cutoff is {}; expected a number of 0 or more", call, options.cutoff));
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
  resolved.exec = detail::resolve_exec(call, options.exec, {});
  const detail::ChosenEngine chosen =
      detail::choose_engine(graph, resolved, {.call = call, .rows = true});
  if (report != nullptr) *report = chosen.report;
  if (graph.nodes() == 0) return;
  const PathStorage storage = chosen.report.storage;
  if (storage == PathStorage::kRows) {
    cuda::partitioned_rows(*chosen.plan, resolved, take);
    return;
  }
  if (storage == PathStorage::kHalf) {
    cuda::floyd_warshall_half_rows(graph, resolved, take);
    return;
  }
  if (storage == PathStorage::kSquare) {
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
    detail::fill_half(chosen, graph, resolved, whole.lower());
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

std::span<const Choice> choices(PathStorage) { return kStorages; }
const char* to_string(PathStorage storage) {
  return kStorages[static_cast<std::size_t>(storage)].word;
}

void describe(FieldVisitor& visit, PathReport& report) {
  visit.record("PathReport", "how shortest paths were found");
  visit("engine", report.engine, "what found them", {.compared = false});
  visit("why", report.why, "why this engine was chosen", {.compared = false});
  visit("parts", report.parts, "how many parts partitioned made", {.compared = false});
  visit("relaxations", report.relaxations,
        "how many minima of a sum floyd-warshall and partitioned took",
        {.printed = false, .compared = false});
  visit("storage", report.storage, "where the distances lay meanwhile", {.compared = false});
  visit("device_bytes", report.device_bytes, "memory of a GPU that this took at most",
        {.unit = "bytes", .compared = false});
}

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

}  // namespace fovea
