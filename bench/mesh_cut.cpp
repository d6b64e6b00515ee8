#include "bench/mesh_cut.h"

#include <fovea/core/random.h>
#include <fovea/ops/max_flow.h>
#include <fovea/ops/shortest_paths.h>

#include <algorithm>
#include <memory>

namespace fovea::cli {
namespace {

// What a case cuts.
struct CutInput {
  int nodes = 0;
  std::vector<CutArc> arcs{};
  std::vector<CutTie> ties{};
};

CutInput cut_input(const Graph& graph, std::uint64_t seed) {
  const std::vector<std::int32_t> from{0};
  const Image<float> distances = distances_from(graph, from);
  std::vector<float> sorted(distances.row(0), distances.row(0) + graph.nodes());
  std::sort(sorted.begin(), sorted.end());
  const float near = sorted[sorted.size() / 10],
              far = sorted[sorted.size() - sorted.size() / 10 - 1];
  CutInput input{.nodes = graph.nodes()};
  Random random(seed);
  input.arcs.reserve(static_cast<std::size_t>(graph.arcs()));
  for (std::int32_t node = 0; node < graph.nodes(); ++node) {
    for (const std::int32_t next : graph.neighbors(node))
      if (node < next)
        input.arcs.push_back({node, next, 1 / (1 + static_cast<double>(random.uniform()))});
    const float distance = distances.at(node, 0);
    if (distance <= near) input.ties.push_back({node, kMustTie, 0});
    if (distance >= far) input.ties.push_back({node, 0, kMustTie});
  }
  return input;
}

BenchCase cut_case(const Graph& graph, const char* name, int times) {
  auto inputs = std::make_shared<std::vector<CutInput>>();
  for (int i = 0; i < times; ++i)
    inputs->push_back(cut_input(graph, static_cast<std::uint64_t>(i) + 1));
  const double bytes =
      static_cast<double>(times) * (static_cast<double>(graph.arcs()) * sizeof(CutArc));
  return {.name = name,
          .shape = {.width = graph.nodes(), .height = times},
          .bytes = bytes,
          .prepare = [inputs](Memory) -> BenchWork {
            return [inputs](const Exec& exec) {
              std::vector<CutProblem> problems;
              problems.reserve(inputs->size());
              for (const CutInput& input : *inputs)
                problems.push_back({input.nodes, input.arcs, input.ties});
              Exec here = exec;
              here.stream = nullptr;
              minimum_cuts(problems, here);
            };
          }};
}

}  // namespace

std::vector<BenchCase> mesh_cut_cases(const Graph& graph) {
  constexpr int kTogether = 16;
  std::vector<BenchCase> cases;
  cases.push_back(cut_case(graph, "minimum_cut", 1));
  cases.push_back(cut_case(graph, "minimum_cuts", kTogether));
  return cases;
}

}  // namespace fovea::cli
