// Compares the engines by the time that each would take and by the memory that is available.
#include "ops/shortest_paths/engine_choice.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/parallel.h"
#include "ops/shortest_paths/device_layout.h"

namespace fovea::detail {
namespace {

// Seconds, of which only ratios matter. For one core:
constexpr double kStepSeconds = 0.065e-9;  // one min-plus step
constexpr double kVisitSeconds = 3e-9;     // one arc from one source, by dijkstra
constexpr double kCutSeconds = 0.5e-6;     // one node of a graph that is cut into parts
// For a GPU:
constexpr double kGpuStepSeconds = 1 / 1.2e13;
constexpr double kPanelSeconds =
    60e-6;  // least time for the nodes of a panel; panels run one after the other
constexpr double kPartsSeconds = 0.5e-3;  // launches over parts
constexpr double kTravelSeconds =
    1 / 2e10;  // one byte of a tile between the host and the device, with the work of the host

// How many entries the lists of neighbors have.
double arc_ends(const Graph& graph) {
  return (graph.directed() ? 1 : 2) * static_cast<double>(graph.arcs());
}

std::string graph_words(const Graph& graph) {
  return fmt::format("{} nodes of {:.1f} arcs each", graph.nodes(),
                     arc_ends(graph) / std::max(1, graph.nodes()));
}
std::string plan_words(const Graph& graph, const PathPlan& plan) {
  return fmt::format("{} fall into {} parts with {} nodes between them", graph_words(graph),
                     plan.parts.size(), plan.gates);
}

// The time from every node, by one core.
double dijkstra_seconds(const Graph& graph) {
  return static_cast<double>(graph.nodes()) * (arc_ends(graph) + graph.nodes()) * kVisitSeconds;
}

// The steps of floyd-warshall, which works on both halves of the matrix of a directed graph.
double matrix_steps(const Graph& graph) {
  return (graph.directed() ? 2 : 1) * floyd_warshall_relaxations(graph.nodes());
}

void choose_on_host(const Graph& graph, const PathOptions& options, ChosenEngine& chosen) {
  PathReport& report = chosen.report;
  const double paths = dijkstra_seconds(graph);
  if (options.cutoff < kUnreachable) {
    report.engine = PathEngine::kDijkstra;
    report.why = "a cutoff saves time with dijkstra alone";
  } else if (matrix_steps(graph) * kStepSeconds <= paths) {
    report.engine = PathEngine::kFloydWarshall;
    report.why = graph_words(graph) + ": too small or dense to gain by leaving arcs out";
  } else if (graph.directed()) {
    report.engine = PathEngine::kDijkstra;
    report.why = graph_words(graph) + ": sparse and directed";
  } else {
    chosen.plan = make_path_plan(graph, options.exec);
    const bool parts =
        chosen.plan->parts.size() > 1 && chosen.plan->relaxations * kStepSeconds <= paths;
    report.engine = parts ? PathEngine::kPartitioned : PathEngine::kDijkstra;
    report.why = parts ? plan_words(graph, *chosen.plan)
                       : graph_words(graph) + ": sparse, but its parts have wide borders";
  }
}

// What fits into the memory of a GPU.
class Room {
 public:
  Room(const Graph& graph, const PathOptions& options, const PathWish& wish)
      : graph_(graph), options_(options), wish_(wish) {
    constexpr std::uint64_t kLeft = std::uint64_t{64} << 20;  // left for others
    const std::uint64_t free = cuda::free_memory(options.exec.device) + wish.square;
    bytes_ = free - std::min(free, kLeft);
    if (options.memory > 0) bytes_ = std::min(bytes_, options.memory);
  }
  // What floyd-warshall needs in a square, and in half of one.
  std::uint64_t whole_bytes() const {
    const GraphSize size = size_of(graph_);
    return graph_.directed() ? directed_path_bytes(size) : square_path_bytes(size);
  }
  std::uint64_t half_bytes() const { return half_path_bytes(size_of(graph_)); }
  bool whole() const { return whole_bytes() <= bytes_; }
  bool half() const { return !graph_.directed() && half_bytes() <= bytes_; }
  // How many panels of distances in host memory can visit the device together; 0 where none can.
  int tiles() const { return graph_.directed() ? 0 : tiled_panels(graph_.nodes(), bytes_); }
  bool square(const PathPlan& plan) const {
    return square_bytes(graph_.nodes()) + partitioned_bytes(plan) <= bytes_;
  }
  bool rows(const PathPlan& plan) const {
    return partitioned_bytes(plan) + partitioned_rows_bytes(plan) <= bytes_;
  }
  [[noreturn]] void refuse(const char* engine, std::uint64_t bytes) const {
    throw DeviceError(fmt::format(
        "{}: {} of {} nodes needs {} bytes on {}, which has room for {}; ask for "
        "another engine, more memory or device cpu",
        wish_.call, engine, graph_.nodes(), bytes, to_string(options_.exec.device), bytes_));
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  const Graph& graph_;
  const PathOptions& options_;
  const PathWish& wish_;
  std::uint64_t bytes_ = 0;
};

// The time of floyd-warshall on a GPU, in the storage that fits; infinite where none does.
double gpu_matrix_seconds(const Graph& graph, const Room& room) {
  const double panels = panels_of(graph.nodes());
  const double steps = std::max(matrix_steps(graph) * kGpuStepSeconds, panels * kPanelSeconds);
  if (room.whole() || room.half()) return steps;
  const int each = room.tiles();
  if (each == 0) return std::numeric_limits<double>::infinity();
  const double journeys = panels / each;  // all distances go there and back
  return steps + journeys * sizeof(float) * graph.nodes() * graph.nodes() * kTravelSeconds;
}

void choose_on_gpu(const Graph& graph, const PathOptions& options, const Room& room,
                   ChosenEngine& chosen) {
  PathReport& report = chosen.report;
  const double whole = gpu_matrix_seconds(graph, room);
  const double on_host = dijkstra_seconds(graph) / thread_count(options.exec);
  report.engine = PathEngine::kFloydWarshall;
  if (!graph.directed() && whole <= graph.nodes() * kCutSeconds + kPartsSeconds) {
    report.why = graph_words(graph) + ": too small to gain by cutting it into parts";
    return;
  }
  if (!graph.directed()) {
    chosen.plan = make_path_plan(graph, options.exec);
    const double parts = chosen.plan->relaxations * kGpuStepSeconds + kPartsSeconds +
                         panels_of(chosen.plan->gates) * kPanelSeconds;
    if (chosen.plan->parts.size() > 1 && room.rows(*chosen.plan) &&
        (parts <= whole || !room.whole())) {
      report.engine = PathEngine::kPartitioned;
      report.why = plan_words(graph, *chosen.plan);
      return;
    }
  }
  if (whole <= on_host) {
    report.why =
        graph_words(graph) + (graph.directed() ? ": dense, and its arcs lead one way"
                                               : ": dense, or its parts have wide borders");
    return;
  }
  report.engine = PathEngine::kDijkstra;
  report.why = graph_words(graph);
  if (whole < std::numeric_limits<double>::infinity())
    report.why += graph.directed()
                      ? ": so small or sparse that the CPU is faster"
                      : ": so sparse, with wide borders between parts, that the CPU is faster";
  else if (graph.directed())
    report.why += fmt::format(": {} bytes have no room on {}", room.whole_bytes(),
                              to_string(options.exec.device));
  else
    report.why += fmt::format(": neither parts nor {} bytes have room on {}", room.half_bytes(),
                              to_string(options.exec.device));
}

void set_storage(PathStorage storage, std::uint64_t bytes, ChosenEngine& chosen) {
  chosen.report.storage = storage;
  chosen.report.device_bytes = bytes;
}

// The first storage of floyd-warshall that fits. A square is the fastest where distances stay on
// the device.
void place_matrix(const Graph& graph, const Room& room, ChosenEngine& chosen) {
  if (room.whole()) {
    set_storage(PathStorage::kSquare, room.whole_bytes(), chosen);
    return;
  }
  std::string& why = chosen.report.why;
  if (room.half()) {
    set_storage(PathStorage::kHalf, room.half_bytes(), chosen);
    if (!why.empty())
      why += fmt::format("; in half a square, as {} bytes do not fit in {}", room.whole_bytes(),
                         room.bytes());
    return;
  }
  chosen.tile_panels = room.tiles();
  if (chosen.tile_panels == 0)
    room.refuse("floyd-warshall",
                graph.directed() ? room.whole_bytes() : tiled_path_bytes(graph.nodes(), kGroup));
  set_storage(PathStorage::kTiles, tiled_path_bytes(graph.nodes(), chosen.tile_panels), chosen);
  if (!why.empty())
    why += fmt::format("; in tiles through host memory, as {} bytes do not fit in {}",
                       room.half_bytes(), room.bytes());
}

// Whether the engine fits into the memory of a GPU, and in which way.
void place_on_gpu(const Graph& graph, const PathWish& wish, const Room& room,
                  ChosenEngine& chosen) {
  if (!chosen.plan) {
    place_matrix(graph, room, chosen);
    return;
  }
  if (!wish.rows && room.square(*chosen.plan)) {
    set_storage(PathStorage::kSquare, square_bytes(graph.nodes()) + partitioned_bytes(*chosen.plan),
                chosen);
    return;
  }
  const std::uint64_t bytes =
      partitioned_bytes(*chosen.plan) + partitioned_rows_bytes(*chosen.plan);
  if (!room.rows(*chosen.plan)) room.refuse("partitioned", bytes);
  set_storage(PathStorage::kRows, bytes, chosen);
  if (!wish.rows && !chosen.report.why.empty())
    chosen.report.why += fmt::format("; in rows, as {} bytes for all of them do not fit in {}",
                                     square_bytes(graph.nodes()), room.bytes());
}

}  // namespace

ChosenEngine choose_engine(const Graph& graph, const PathOptions& options, const PathWish& wish) {
  if (graph.directed() && options.engine == PathEngine::kPartitioned)
    throw InvalidArgument(
        fmt::format("{}: the graph is directed, which engine partitioned does not work on; ask for "
                    "dijkstra, floyd-warshall or auto",
                    wish.call));
  ChosenEngine chosen;
  PathReport& report = chosen.report;
  report.engine = options.engine;
  std::optional<Room> room;
  if (on_cuda(options.exec)) room.emplace(graph, options, wish);
  if (options.engine == PathEngine::kAuto) {
    if (room) choose_on_gpu(graph, options, *room, chosen);
    else choose_on_host(graph, options, chosen);
  } else if (options.engine == PathEngine::kPartitioned) {
    chosen.plan = make_path_plan(graph, options.exec);
  }
  if (report.engine != PathEngine::kPartitioned) chosen.plan.reset();
  if (chosen.plan) report.parts = static_cast<int>(chosen.plan->parts.size());
  if (report.parts == 1) chosen.plan.reset();  // one part is floyd-warshall
  if (report.engine != PathEngine::kDijkstra)
    report.relaxations = chosen.plan ? chosen.plan->relaxations : matrix_steps(graph);
  if (room && report.engine != PathEngine::kDijkstra && graph.nodes() > 0)
    place_on_gpu(graph, wish, *room, chosen);
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
