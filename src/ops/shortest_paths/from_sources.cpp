// Distances from some nodes: checks the arguments and chooses the twin.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/backend.h"
#include "core/dispatch.h"
#include "ops/shortest_paths/backend.h"

namespace fovea {
namespace {

// A search that `call` asks for.
struct Asked {
  const char* call;
  const Graph& graph;
  std::span<const std::int32_t> sources;
  std::int64_t rows;  // of distances
};

void check_search(const Asked& asked, const PathOptions& options) {
  check_options(options);
  if (!(options.cutoff >= 0))
    throw InvalidArgument(fmt::format("{}: cutoff is {}; expected a number of 0 or more",
                                      asked.call, options.cutoff));
  for (const std::int32_t source : asked.sources)
    if (source < 0 || source >= asked.graph.nodes())
      throw InvalidArgument(fmt::format("{}: source {}; there are {} nodes", asked.call, source,
                                        asked.graph.nodes()));
}

// With `auto`, few distances are left to the CPU, which has them before a GPU has the graph.
Exec resolve_search(const Asked& asked, const PathOptions& options) {
  constexpr std::int64_t kFewDistances = std::int64_t{1} << 16;
  Exec exec = options.exec;
  if (exec.device.kind == DeviceKind::kAuto && asked.rows * asked.graph.nodes() < kFewDistances)
    exec.device = Device::cpu();
  return detail::resolve_exec(asked.call, exec, {});
}

// How many sources a GPU has room for at a time; two such batches are on their way together.
int sources_at_a_time(const Asked& asked, const PathOptions& options, PathReport& report) {
  constexpr std::uint64_t kLeft = std::uint64_t{64} << 20;  // left for others
  const detail::GraphSize size = detail::size_of(asked.graph);
  const std::uint64_t free = cuda::free_memory(options.exec.device);
  std::uint64_t room = free - std::min(free, kLeft);
  if (options.memory > 0) room = std::min(room, options.memory);
  const std::uint64_t graph = detail::search_bytes(size);
  const std::uint64_t row = 2 * detail::search_row_bytes(size.nodes);
  if (graph + row > room)
    throw DeviceError(fmt::format(
        "{}: a graph of {} nodes needs {} bytes on {}, which has room for {}; ask for more memory "
        "or device cpu",
        asked.call, size.nodes, graph + row, to_string(options.exec.device), room));
  const std::uint64_t most =
      std::min({(room - graph) / row, static_cast<std::uint64_t>(detail::piped_rows(size.nodes)),
                static_cast<std::uint64_t>(asked.rows)});
  report.storage = PathStorage::kRows;
  report.device_bytes = graph + most * row;
  return static_cast<int>(most);
}

}  // namespace

Image<float> distances_from(const Graph& graph, std::span<const std::int32_t> sources,
                            const PathOptions& options, PathReport* report) {
  const Asked asked{"distances_from", graph, sources, static_cast<std::int64_t>(sources.size())};
  check_search(asked, options);
  PathReport run;
  run.why = sources.size() == 1 ? "one source" : fmt::format("{} sources", sources.size());
  Image<float> rows;
  if (!sources.empty()) {
    PathOptions resolved = options;
    resolved.exec = resolve_search(asked, options);
    rows = Image<float>(graph.nodes(), static_cast<int>(sources.size()));
    if (detail::on_cuda(resolved.exec))
      cuda::search_rows(graph, sources, resolved, sources_at_a_time(asked, resolved, run), rows);
    else cpu::dijkstra_rows(graph, sources, resolved, rows);
  }
  if (report != nullptr) *report = run;
  return rows;
}

NearestSource nearest_source(const Graph& graph, std::span<const std::int32_t> sources,
                             const PathOptions& options, PathReport* report) {
  const Asked asked{"nearest_source", graph, sources, 1};
  check_search(asked, options);
  PathReport run;
  run.why = "nearest of some sources";
  PathOptions resolved = options;
  resolved.exec = resolve_search(asked, options);
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  NearestSource found{std::vector<float>(nodes, kUnreachable),
                      std::vector<std::int32_t>(nodes, -1)};
  if (detail::on_cuda(resolved.exec) && nodes > 0) {
    sources_at_a_time(asked, resolved, run);
    cuda::search_nearest(graph, sources, resolved, found);
  } else {
    cpu::nearest(graph, sources, resolved, found);
  }
  if (report != nullptr) *report = run;
  return found;
}

}  // namespace fovea
