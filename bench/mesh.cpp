// fovea bench mesh: all distances in graphs like those of meshes, by every engine, compared with
// Boost's Dijkstra; and the min-plus product, compared with the speed of registers alone.
#include <fovea/core/error.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "bench/bench.h"
#include "bench/mesh_cut.h"
#include "bench/mesh_segment.h"
#include "cli/beside/beside.h"
#include "cli/program/run.h"
#include "ops/shortest_paths/device_layout.h"
#include "ops/shortest_paths/distance_table.h"
#include "ops/shortest_paths/min_plus.h"
#include "ops/shortest_paths/path_plan.h"
#include "ops/shortest_paths/sphere_graph.h"

namespace fovea::cli {
namespace {

// Where all sources would take Boost a minute, it computes one in 64, and so does ours.
constexpr int kSampledNodes = 10000;
constexpr double kMostSteps = 1e12;  // beyond it, floyd-warshall takes minutes on the CPU

struct MeshBenchOptions {
  BenchOptions bench{.repeats = 5};
  std::vector<int> divisions{3, 4, 5};
};
void describe(OptionVisitor& visit, MeshBenchOptions& options) {
  describe(visit, options.bench);
  visit("divisions", options.divisions,
        "how often an icosahedron's faces are divided in four: 3,4,5 are meshes of 1280, 5120 and "
        "20480 faces",
        0, 7);
}

RivalShape shape_of(const Graph& graph) {
  return {.width = graph.nodes(), .height = graph.nodes()};
}

BenchCase engine_case(const std::shared_ptr<const Graph>& graph, PathEngine engine) {
  const double pairs = 0.5 * graph->nodes() * (graph->nodes() + 1.0);
  std::string name = to_string(engine);
  std::replace(name.begin(), name.end(), '-', '_');
  double steps = 0;
  if (engine == PathEngine::kFloydWarshall)
    steps = detail::floyd_warshall_relaxations(graph->nodes());
  if (engine == PathEngine::kPartitioned) steps = detail::make_path_plan(*graph, {}).relaxations;
  return {.name = "all_distances_" + name,
          .shape = shape_of(*graph),
          .bytes = pairs * sizeof(float),
          .operations = 2 * steps,
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) {
              PathOptions options{.engine = engine, .exec = exec};
              options.exec.stream = nullptr;
              all_distances(*graph, options);
            };
          },
          .graph = graph->nodes() < kSampledNodes ? graph : nullptr};
}

// On a GPU with so little memory that floyd-warshall works in another storage than a square.
BenchCase storage_case(const std::shared_ptr<const Graph>& graph, PathStorage storage) {
  BenchCase stored = engine_case(graph, PathEngine::kFloydWarshall);
  stored.name += std::string("_") + to_string(storage);
  const std::uint64_t half = detail::half_path_bytes(detail::size_of(*graph));
  PathOptions options{.engine = PathEngine::kFloydWarshall,
                      .memory = storage == PathStorage::kHalf ? half : half - 1};
  stored.prepare = [=](Memory) -> BenchWork {
    return [=](const Exec& exec) {
      PathOptions now = options;
      now.exec = exec;
      now.exec.stream = nullptr;
      PathReport report;
      all_distances(*graph, now, &report);
      if (report.storage != storage)
        throw Error(std::string("bench mesh: distances in storage ") + to_string(report.storage));
    };
  };
  stored.graph.reset();
  return stored;
}

// The same graph with every arc twice, once per direction, as Floyd-Warshall was first mapped to
// GPUs: the whole matrix instead of half of it.
std::shared_ptr<const Graph> both_ways(const Graph& undirected) {
  std::vector<GraphArc> arcs;
  arcs.reserve(2 * static_cast<std::size_t>(undirected.arcs()));
  for (std::int32_t node = 0; node < undirected.nodes(); ++node)
    for (std::size_t i = 0; i < undirected.degree(node); ++i)
      arcs.push_back({node, undirected.neighbors(node)[i], undirected.costs(node)[i]});
  return std::make_shared<const Graph>(directed_graph(undirected.nodes(), arcs));
}

BenchCase directed_case(const std::shared_ptr<const Graph>& undirected) {
  const auto graph = both_ways(*undirected);
  return {.name = "distance_square_directed_floyd_warshall",
          .shape = shape_of(*graph),
          .bytes = 1.0 * graph->nodes() * graph->nodes() * sizeof(float),
          .operations = 4 * detail::floyd_warshall_relaxations(graph->nodes()),
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) {
              PathOptions options{.engine = PathEngine::kFloydWarshall, .exec = exec};
              options.exec.stream = nullptr;
              distance_square(*graph, options);
            };
          }};
}

// On a GPU, the result stays in its memory and the plan is made before. The time of the plan is a
// row of its own.
BenchCase table_case(const std::shared_ptr<const Graph>& graph, PathEngine engine,
                     const Exec& place) {
  BenchCase table = engine_case(graph, engine);
  table.name.replace(0, table.name.find('_'), "table");
  table.bytes = 2 * table.bytes;  // both halves of the table
  PathOptions options{.engine = engine, .exec = place};
  options.exec.device = resolve(place.device);
  const auto chosen = std::make_shared<const detail::ChosenEngine>(
      detail::choose_engine(*graph, options, {.call = "bench mesh"}));
  table.prepare = [=](Memory) -> BenchWork {
    const auto memory = std::make_shared<detail::TableMemory>();
    return
        [=](const Exec& exec) { memory->fill(*chosen, *graph, {.engine = engine, .exec = exec}); };
  };
  table.graph.reset();
  return table;
}

BenchCase directed_table_case(const std::shared_ptr<const Graph>& undirected, const Exec& place) {
  BenchCase table = table_case(both_ways(*undirected), PathEngine::kFloydWarshall, place);
  table.name = "table_directed_floyd_warshall";
  table.operations *= 2;
  return table;
}

BenchCase plan_case(const std::shared_ptr<const Graph>& graph) {
  return {.name = "path_plan",
          .shape = shape_of(*graph),
          .bytes = static_cast<double>(graph->arcs()) * sizeof(GraphArc),
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) { detail::make_path_plan(*graph, exec); };
          }};
}

// Computes one source in 64, as many as Boost does there on the CPU.
BenchCase sampled_case(const std::shared_ptr<const Graph>& graph, bool compared) {
  auto sources = std::make_shared<std::vector<std::int32_t>>();
  for (int node = 0; node < graph->nodes(); node += 64) sources->push_back(node);
  return {.name = "distances_from_64th",
          .shape = shape_of(*graph),
          .bytes = static_cast<double>(sources->size()) * graph->nodes() * sizeof(float),
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) {
              PathOptions options{.exec = exec};
              options.exec.stream = nullptr;
              distances_from(*graph, *sources, options);
            };
          },
          .graph = compared ? graph : nullptr};
}

// From 16 faces all over the mesh: to all faces, up to a quarter of the greatest distance, and to
// the nearest of them.
std::vector<BenchCase> source_cases(const std::shared_ptr<const Graph>& graph) {
  constexpr int kSources = 16;
  auto sources = std::make_shared<std::vector<std::int32_t>>();
  for (int i = 0; i < kSources; ++i)
    sources->push_back(static_cast<std::int32_t>(std::int64_t{i} * graph->nodes() / kSources));
  const Image<float> first =
      distances_from(*graph, {sources->data(), 1}, {.exec = {.device = Device::cpu()}});
  const float quarter = 0.25F * *std::max_element(first.row(0), first.row(0) + graph->nodes());
  const auto rows = [&](const char* name, float cutoff, bool nearest) -> BenchCase {
    return {.name = name,
            .shape = {.width = graph->nodes(), .height = kSources},
            .bytes = (nearest ? 2.0 : 1.0 * kSources) * graph->nodes() * sizeof(float),
            .prepare = [=](Memory) -> BenchWork {
              return [=](const Exec& exec) {
                PathOptions options{.cutoff = cutoff, .exec = exec};
                options.exec.stream = nullptr;
                if (nearest) nearest_source(*graph, *sources, options);
                else distances_from(*graph, *sources, options);
              };
            }};
  };
  return {rows("distances_from_16", kUnreachable, false),
          rows("distances_from_16_cutoff", quarter, false),
          rows("nearest_of_16", kUnreachable, true)};
}

// The product in which the partitioned engine spends its time, compared with the same steps in
// registers.
BenchCase product_case() {
  constexpr int kSide = 256, kDepth = 64, kTimes = 32;
  return {.name = "min_plus_product",
          .shape = {.width = kSide, .height = kSide, .taps = kDepth},
          .bytes = sizeof(float) * (2.0 * kSide * kDepth + 1.0 * kSide * kSide),
          .operations = 2.0 * kTimes * kSide * kSide * kDepth,
          .prepare = [](Memory) -> BenchWork {
            const auto a = std::make_shared<std::vector<float>>(kSide * kDepth, 1.F);
            const auto c = std::make_shared<std::vector<float>>(kSide * kSide);
            return [=](const Exec&) {
              for (int i = 0; i < kTimes; ++i)
                cpu::min_plus({kSide, kSide, kDepth, a->data(), kDepth, a->data(), kSide, c->data(),
                               kSide, false});
            };
          }};
}
BenchCase peak_case() {
  constexpr std::int64_t kRounds = 1 << 21;
  const double steps = cpu::min_plus_steps(1, {.threads = 1}) * static_cast<double>(kRounds);
  return {
      .name = "min_plus_peak",
      .shape = {.width = static_cast<int>(steps / kRounds), .height = static_cast<int>(kRounds)},
      .bytes = 4096,
      .operations = 2 * steps,
      .prepare = [=](Memory) -> BenchWork {
        return [](const Exec& exec) {
          cpu::min_plus_steps(kRounds, {.threads = 1, .stop = exec.stop});
        };
      }};
}
BenchCase gpu_peak_case(const Exec& place) {
  constexpr std::int64_t kRounds = 1 << 14;
  Exec exec = place;
  exec.device = resolve(place.device);
  const double steps = cuda::min_plus_steps(1, exec);
  return {.name = "min_plus_peak",
          .shape = {.width = static_cast<int>(steps), .height = static_cast<int>(kRounds)},
          .bytes = 4096,
          .operations = 2 * steps * static_cast<double>(kRounds),
          .prepare = [=](Memory) -> BenchWork {
            return [](const Exec& there) { cuda::min_plus_steps(kRounds, there); };
          }};
}

std::vector<BenchCase> cases_of(const MeshBenchOptions& options, const Context& context) {
  const bool on_cpu = context.exec.device.kind != DeviceKind::kCuda;
  std::vector<BenchCase> cases;
  for (const int divisions : options.divisions) {
    const auto graph = std::make_shared<const Graph>(detail::sphere_graph(divisions));
    if (!on_cpu || graph->nodes() >= kSampledNodes) cases.push_back(sampled_case(graph, on_cpu));
    if (on_cpu) cases.push_back(engine_case(graph, PathEngine::kDijkstra));
    if (!on_cpu || detail::floyd_warshall_relaxations(graph->nodes()) < kMostSteps)
      cases.push_back(engine_case(graph, PathEngine::kFloydWarshall));
    if (!on_cpu || 2 * detail::floyd_warshall_relaxations(graph->nodes()) < kMostSteps)
      cases.push_back(directed_case(graph));
    cases.push_back(engine_case(graph, PathEngine::kPartitioned));
    for (BenchCase& each : source_cases(graph)) cases.push_back(std::move(each));
    for (BenchCase& each : mesh_segment_cases(graph->nodes())) cases.push_back(std::move(each));
    for (BenchCase& each : mesh_cut_cases(*graph)) cases.push_back(std::move(each));
    cases.push_back(plan_case(graph));
    if (on_cpu) continue;
    for (const PathEngine engine : {PathEngine::kFloydWarshall, PathEngine::kPartitioned})
      cases.push_back(table_case(graph, engine, context.exec));
    cases.push_back(directed_table_case(graph, context.exec));
    const detail::GraphSize size = detail::size_of(*graph);
    const std::uint64_t half = detail::half_path_bytes(size);  // graphs of one panel gain nothing
    if (half < detail::square_path_bytes(size))
      cases.push_back(storage_case(graph, PathStorage::kHalf));
    if (detail::tiled_panels(size.nodes, half - 1) > 0)
      cases.push_back(storage_case(graph, PathStorage::kTiles));
  }
  if (on_cpu) {
    cases.push_back(product_case());
    cases.push_back(peak_case());
  } else {
    cases.push_back(gpu_peak_case(context.exec));
  }
  return cases;
}

int run_bench_mesh(MeshBenchOptions& options, Context& context) {
  return run_bench(options.bench, context, [&] { return cases_of(options, context); });
}

}  // namespace

Command bench_mesh_command() {
  return {
      .system = "bench",
      .verb = "mesh",
      .summary = beside_summary("bench", "mesh"),
      .text =
          "Rows named all_distances compute the distances between all faces of a sphere with one "
          "engine, into half a matrix. Up to 10000 faces, Boost's Dijkstra from every face takes "
          "turns with them. For larger meshes the row distances_from_64th compares both from one "
          "face in 64; all distances take Boost 64 times as long. On a CPU, floyd-warshall is "
          "measured only at sizes that take less than a minute. minimum_cut cuts such a graph "
          "between its two ends, and minimum_cuts cuts sixteen of them in one call. "
          "min_plus_product is the kernel "
          "that two engines share, and min_plus_peak is a loop of sums and minima in registers, "
          "both on one thread; their speed is reported as a share of the speed of multiply-adds. "
          "On a GPU, all_distances includes the copy to the host; rows of tables keep the "
          "distances on the GPU and begin with a finished plan, whose time on the CPU is the row "
          "path_plan. Rows that end in half and tiles are floyd-warshall within as much memory of "
          "the GPU as half a square takes, and within less, so that tiles travel through host "
          "memory. distance_square_directed and table_directed work on the same graph with one arc "
          "per direction, in the whole square. distances_from and nearest_of measure from 16 "
          "faces, with a cutoff up to a quarter of the greatest distance. A GPU is measured only "
          "with --device cuda.",
      .examples = {{"fovea bench mesh --device cpu --threads 1", "time everything with one thread"},
                   {"fovea bench mesh --divisions 5 --filter partitioned",
                    "time one engine with 20480 faces"}},
      .request = make_request<MeshBenchOptions, run_bench_mesh>};
}

}  // namespace fovea::cli
