// Chooses gates as a small cover of the arcs between parts, and lays out the plan.
#include "ops/shortest_paths/path_plan.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "ops/shortest_paths/at.h"
#include "ops/shortest_paths/min_plus_math.h"
#include "ops/shortest_paths/partition.h"

namespace fovea::detail {
namespace {

constexpr int kLeastPart = 32;           // least number of nodes of a part
constexpr double kDenseDegree = 48;      // graphs with more arcs per node have no small borders
constexpr std::size_t kMostLevels = 12;  // 4096 parts

// A small set that holds at least one end of each arc between parts. Where a node has a single arc
// left, its neighbor is the better choice; where no node has, the node with the most arcs is taken.
std::vector<std::uint8_t> cover(const Graph& graph, const std::vector<std::int32_t>& part_of) {
  const int nodes = graph.nodes();
  std::vector<std::int32_t> open(at(nodes), 0);
  std::vector<std::int32_t> border, leaves;
  const auto across = [&](std::int32_t a, std::int32_t b) {
    return part_of[at(a)] != part_of[at(b)];
  };
  for (int node = 0; node < nodes; ++node) {
    for (const std::int32_t to : graph.neighbors(node))
      if (across(node, to)) ++open[at(node)];
    if (open[at(node)] > 0) border.push_back(node);
    if (open[at(node)] == 1) leaves.push_back(node);
  }
  std::vector<std::uint8_t> gate(at(nodes), 0);
  const auto choose = [&](std::int32_t node) {
    gate[at(node)] = 1;
    open[at(node)] = 0;
    for (const std::int32_t to : graph.neighbors(node))
      if (across(node, to) && gate[at(to)] == 0 && --open[at(to)] == 1) leaves.push_back(to);
  };
  const auto choose_for_leaves = [&] {
    while (!leaves.empty()) {
      const std::int32_t leaf = leaves.back();
      leaves.pop_back();
      if (open[at(leaf)] != 1) continue;
      for (const std::int32_t to : graph.neighbors(leaf))
        if (across(leaf, to) && gate[at(to)] == 0) {
          choose(to);
          break;
        }
    }
  };
  std::stable_sort(border.begin(), border.end(),
                   [&](std::int32_t a, std::int32_t b) { return open[at(a)] > open[at(b)]; });
  choose_for_leaves();
  for (const std::int32_t node : border) {
    if (open[at(node)] > 0) choose(node);
    choose_for_leaves();
  }
  return gate;
}

// A gate, and a part that sees it without owning it.
struct Visit {
  std::int32_t part;
  std::int32_t gate;
};
std::vector<Visit> visits_of(const Graph& graph, const std::vector<std::int32_t>& part_of,
                             const std::vector<std::uint8_t>& gate) {
  std::vector<Visit> visits;
  for (int node = 0; node < graph.nodes(); ++node) {
    if (gate[at(node)] == 0) continue;
    const std::size_t begin = visits.size();
    for (const std::int32_t to : graph.neighbors(node))
      if (gate[at(to)] == 0 && part_of[at(to)] != part_of[at(node)])
        visits.push_back({part_of[at(to)], node});
    const auto from = visits.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(from, visits.end(), [](const Visit& a, const Visit& b) { return a.part < b.part; });
    visits.erase(std::unique(from, visits.end(),
                             [](const Visit& a, const Visit& b) { return a.part == b.part; }),
                 visits.end());
  }
  return visits;
}

// A division of the graph and the work that it would take.
struct Division {
  std::vector<std::int32_t> part_of;
  std::vector<std::uint8_t> gate;
  std::vector<Visit> visits;
  std::vector<PathPart> parts;  // sizes only, in the order of the division
  int gates = 0;
  double relaxations = 0;
};

// The order of parts in a plan: parts with fewer gates come later.
std::vector<std::int32_t> order_of(const std::vector<PathPart>& parts) {
  std::vector<std::int32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return parts[at(a)].gates > parts[at(b)].gates;
  });
  return order;
}

Division divided(const Graph& graph, std::vector<std::int32_t> part_of, int parts) {
  Division division;
  division.gate = cover(graph, part_of);
  division.visits = visits_of(graph, part_of, division.gate);
  division.parts.resize(at(parts));
  for (int node = 0; node < graph.nodes(); ++node) {
    PathPart& part = division.parts[at(part_of[at(node)])];
    ++part.own;
    ++part.locals;
    part.gates += division.gate[at(node)];
    division.gates += division.gate[at(node)];
  }
  for (const Visit& visit : division.visits) {
    ++division.parts[at(visit.part)].locals;
    ++division.parts[at(visit.part)].gates;
  }
  double before = 0;  // nodes of earlier parts
  division.relaxations = floyd_warshall_relaxations(division.gates);
  for (const std::int32_t p : order_of(division.parts)) {
    const PathPart& part = division.parts[at(p)];
    const double own = part.own, gates = part.gates;
    division.relaxations +=
        floyd_warshall_relaxations(part.locals) + gates * own * (division.gates + before + own);
    before += own;
  }
  division.part_of = std::move(part_of);
  return division;
}

Division best_division(const Graph& graph, const Exec& exec) {
  Division best = divided(graph, std::vector<std::int32_t>(at(graph.nodes()), 0), 1);
  const double degree = 2.0 * static_cast<double>(graph.arcs()) / std::max(1, graph.nodes());
  if (degree > kDenseDegree) return best;
  // All divisions are made first, because each needs the one before; the work that they would take
  // is then computed in parallel.
  struct Level {
    std::vector<std::int32_t> part_of;
    int parts;
    Division division;
  };
  std::vector<Level> levels;
  Bisection bisection(graph);
  while (graph.nodes() / (2 * bisection.parts()) >= kLeastPart && levels.size() < kMostLevels) {
    bisection.halve(exec);
    levels.push_back({bisection.part_of(), bisection.parts(), {}});
  }
  parallel_for(exec, static_cast<std::int64_t>(levels.size()), 1,
               [&](std::int64_t i, std::int64_t) {
                 Level& level = levels[static_cast<std::size_t>(i)];
                 level.division = divided(graph, std::move(level.part_of), level.parts);
               });
  for (Level& level : levels)
    if (level.division.relaxations < best.relaxations) best = std::move(level.division);
  return best;
}

int padded(int size) { return (size + kPathAlign - 1) / kPathAlign * kPathAlign; }

void place_parts(const Division& division, PathPlan& plan, std::vector<std::int32_t>& number) {
  const std::vector<std::int32_t> order = order_of(division.parts);
  number.resize(order.size());
  PathPart next;
  for (const std::int32_t p : order) {
    number[at(p)] = static_cast<std::int32_t>(plan.parts.size());
    const PathPart& sizes = division.parts[at(p)];
    next.own = sizes.own;
    next.locals = sizes.locals;
    next.gates = sizes.gates;
    next.stride = padded(sizes.own);
    plan.parts.push_back(next);
    next.first += next.own;
    next.column += next.stride;
    next.first_local += at(next.locals);
    next.first_gate += at(next.gates);
    next.first_inside += at(next.own) * at(next.stride);
    next.first_through += at(next.gates) * at(next.stride);
  }
  plan.columns = next.column;
  plan.inside_size = next.first_inside;
  plan.through_size = next.first_through;
  plan.locals.resize(next.first_local);
  plan.gate_local.resize(next.first_gate);
  plan.gate_number.resize(next.first_gate);
}

// An arc belongs to the part of an end that is no gate, and otherwise to the arcs between gates.
void place_arcs(const Graph& graph, const std::vector<std::int32_t>& gate_number, PathPlan& plan) {
  const auto visit_arcs = [&](auto&& body) {
    for (int a = 0; a < plan.nodes; ++a) {
      const auto neighbors = graph.neighbors(a);
      for (std::size_t i = 0; i < neighbors.size() && neighbors[i] < a; ++i) {
        const std::int32_t b = neighbors[i];
        const std::int32_t part_a = plan.part_of[at(a)], part_b = plan.part_of[at(b)];
        const bool apart = part_a != part_b;
        const bool gates = gate_number[at(a)] >= 0 && gate_number[at(b)] >= 0;
        const std::int32_t part = gate_number[at(a)] < 0 ? part_a : part_b;
        body(apart && gates ? -1 : part, GraphArc{a, b, graph.costs(a)[i]});
      }
    }
  };
  visit_arcs([&](std::int32_t part, const GraphArc&) {
    if (part >= 0) ++plan.parts[at(part)].arcs;
  });
  std::size_t first = 0;
  for (PathPart& part : plan.parts) {
    part.first_arc = first;
    first += part.arcs;
  }
  plan.arcs.resize(first);
  std::vector<std::size_t> next;
  for (const PathPart& part : plan.parts) next.push_back(part.first_arc);
  const auto local_of = [&](std::int32_t p, std::int32_t node) {
    const PathPart& part = plan.parts[at(p)];
    if (plan.part_of[at(node)] == p) return plan.position_of[at(node)] - part.first;
    const auto begin = plan.locals.begin() + static_cast<std::ptrdiff_t>(part.first_local);
    const auto found = std::lower_bound(begin + part.own, begin + part.locals, node);
    return static_cast<std::int32_t>(found - begin);
  };
  visit_arcs([&](std::int32_t part, const GraphArc& arc) {
    if (part < 0)
      plan.gate_arcs.push_back({gate_number[at(arc.a)], gate_number[at(arc.b)], arc.cost});
    else plan.arcs[next[at(part)]++] = {local_of(part, arc.a), local_of(part, arc.b), arc.cost};
  });
}

}  // namespace

double floyd_warshall_relaxations(int nodes) {
  const double tiles = path_tiles(nodes);
  return tiles * tiles * (tiles + 1) / 2 * kPathTile * static_cast<double>(kPathTileSize);
}

PathPlan make_path_plan(const Graph& graph, const Exec& exec) {
  const Division division = best_division(graph, exec);
  PathPlan plan;
  plan.nodes = graph.nodes();
  plan.gates = division.gates;
  plan.relaxations = division.relaxations;
  std::vector<std::int32_t> number;  // the plan's number of each part of the division
  place_parts(division, plan, number);

  const auto count = at(plan.nodes);
  plan.node_at.resize(count);
  plan.position_of.resize(count);
  plan.part_of.resize(count);
  std::vector<std::int32_t> gate_number(count, -1);
  std::vector<int> owned(plan.parts.size(), 0), gates(plan.parts.size(), 0);
  const auto add_gate = [&](std::size_t p, std::int32_t local, std::int32_t node) {
    const std::size_t place = plan.parts[p].first_gate + at(gates[p]++);
    plan.gate_local[place] = local;
    plan.gate_number[place] = gate_number[at(node)];
  };
  std::int32_t numbered = 0;
  for (int node = 0; node < plan.nodes; ++node) {
    const std::size_t p = at(number[at(division.part_of[at(node)])]);
    PathPart& part = plan.parts[p];
    const int local = owned[p]++;
    plan.part_of[at(node)] = static_cast<std::int32_t>(p);
    plan.position_of[at(node)] = part.first + local;
    plan.node_at[at(part.first + local)] = node;
    plan.locals[part.first_local + at(local)] = node;
    if (division.gate[at(node)] == 0) continue;
    gate_number[at(node)] = numbered++;
    add_gate(p, local, node);
  }
  for (const Visit& visit : division.visits) {  // in the order of nodes
    const std::size_t p = at(number[at(visit.part)]);
    const int local = owned[p]++;
    plan.locals[plan.parts[p].first_local + at(local)] = visit.gate;
    add_gate(p, local, visit.gate);
  }
  place_arcs(graph, gate_number, plan);
  return plan;
}

}  // namespace fovea::detail
