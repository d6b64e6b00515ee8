// The face of minimum cuts: checks the problems, rounds their capacities once for both twins, and
// adds up what is cut.
#include <fovea/core/error.h>
#include <fovea/ops/max_flow.h>

#include <fmt/format.h>

#include <cmath>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "ops/max_flow/backend.h"

namespace fovea {
namespace {

// `which` begins the message.
void check_cut_problem(const std::string& which, const CutProblem& problem) {
  if (problem.nodes < 0)
    throw InvalidArgument(fmt::format("{}: {} nodes; expected 0 or more", which, problem.nodes));
  const auto check_node = [&](const char* what, std::size_t i, std::int32_t node) {
    if (node < 0 || node >= problem.nodes)
      throw InvalidArgument(fmt::format("{}: {} {} is of node {}; there are {} nodes", which, what,
                                        i, node, problem.nodes));
  };
  const auto check_capacity = [&](const char* what, std::size_t i, double capacity) {
    if (!(capacity >= 0) || !std::isfinite(capacity))
      throw InvalidArgument(
          fmt::format("{}: {} {} has capacity {}; expected a finite number of 0 or more", which,
                      what, i, capacity));
  };
  for (std::size_t i = 0; i < problem.arcs.size(); ++i) {
    check_node("arc", i, problem.arcs[i].a);
    check_node("arc", i, problem.arcs[i].b);
    check_capacity("arc", i, problem.arcs[i].capacity);
  }
  for (std::size_t i = 0; i < problem.ties.size(); ++i) {
    check_node("tie", i, problem.ties[i].node);
    check_capacity("tie", i, problem.ties[i].to_source);
    check_capacity("tie", i, problem.ties[i].to_sink);
  }
}

MinimumCut cut_by(const CutProblem& problem, const detail::CutSides& sides) {
  MinimumCut cut;
  cut.source_side.assign(sides.begin(), sides.end());
  const auto side = [&](std::int32_t node) { return sides[static_cast<std::size_t>(node)] != 0; };
  for (const CutArc& arc : problem.arcs)
    if (side(arc.a) != side(arc.b)) cut.value += arc.capacity;
  for (const CutTie& tie : problem.ties) cut.value += side(tie.node) ? tie.to_sink : tie.to_source;
  return cut;
}

std::vector<MinimumCut> solve_cuts(std::span<const CutProblem> problems, const Exec& exec) {
  const auto count = static_cast<std::int64_t>(problems.size());
  std::vector<MinimumCut> cuts(problems.size());
  std::vector<detail::CutNetwork> networks(problems.size());
  std::vector<detail::CutSides> sides(problems.size());
  const bool on_cuda = detail::on_cuda(exec);
  parallel_for(exec, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      networks[i] = detail::make_cut_network(problems[i]);
      if (!on_cuda) sides[i] = cpu::source_side(networks[i], exec);
    }
  });
  if (on_cuda) sides = cuda::source_sides(networks, exec);
  for (std::size_t i = 0; i < problems.size(); ++i) cuts[i] = cut_by(problems[i], sides[i]);
  return cuts;
}

}  // namespace

MinimumCut minimum_cut(int nodes, std::span<const CutArc> arcs, std::span<const CutTie> ties,
                       const Exec& exec) {
  const CutProblem problem{nodes, arcs, ties};
  check_cut_problem("minimum_cut", problem);
  return std::move(
      solve_cuts({&problem, 1}, detail::resolve_exec("minimum_cut", exec, {})).front());
}

std::vector<MinimumCut> minimum_cuts(std::span<const CutProblem> problems, const Exec& exec) {
  for (std::size_t i = 0; i < problems.size(); ++i)
    check_cut_problem(fmt::format("minimum_cuts: problem {}", i), problems[i]);
  return solve_cuts(problems, detail::resolve_exec("minimum_cuts", exec, {}));
}

}  // namespace fovea
