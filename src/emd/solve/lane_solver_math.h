// The transportation problem as one lane of a GPU solves it. The cheapest cells are filled first,
// in an order that is sorted once per ground distance. Every step closes one node, so that the
// filled cells form a tree. Its potentials either prove that the flow is optimal or show the cell
// that a step of the network simplex takes in. Trees stay strongly feasible (Cunningham 1976), so
// that the search ends.
//
// Sets of nodes and of cells are bits. A lane's memory consists of columns of an array
// [item][lane], which every lane may index freely without bank conflicts. All of it is computed in
// whole numbers and runs on the host too, where the tests run it.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cstdint>

#include "emd/solve/unroll.h"

namespace fovea::emd::lane {

// What a solver is compiled for: the types of masses, of costs and potentials, and of sums of their
// products, and the greatest number of bins per side. A net problem belongs to a metric, for which
// mass that both histograms have in a bin stays there. Each bin then is one node, either a source
// or a sink, and a cell is a pair of bins.
template <class Mass_, class Cost_, class Sum_, int kBins_, bool kNet_>
struct Shape {
  using Mass = Mass_;
  using Cost = Cost_;
  using Sum = Sum_;
  static constexpr int kBins = kBins_;
  static constexpr bool kNet = kNet_;
  static constexpr int kNodes = kNet ? kBins : 2 * kBins;
  static constexpr int kCells = kNet ? kBins * (kBins - 1) / 2 : kBins * kBins;
  static constexpr int kWords = (kCells + 31) / 32;
  static constexpr int kBits = 8 * sizeof(Cost);
  static constexpr Cost kFar = Cost{1} << (kBits - 3);  // greater than all potentials
  static_assert(kNodes <= 32, "sets of nodes are 32 bits");
};

// The tables of a ground distance. Costs of bins that do not exist are 0, because their nodes have
// no mass.
template <class S>
struct Tables {
  typename S::Cost cost[S::kBins][S::kBins];
  std::uint32_t touch[S::kNodes]
                     [S::kWords];  // the cells of a node; the cheapest is the highest bit
  std::uint16_t cell[S::kCells];   // the nodes of a cell: one | other << 8
};

// A lane's column of an array [item][lane]. Items smaller than 4 bytes are packed into the lane's
// own words, so that lanes do not share banks.
template <class T, int kLanes>
struct Column {
  static constexpr int kInWord = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  T* at;
  FOVEA_HD Column(T* array, int lane) : at(array + lane * kInWord) {}
  FOVEA_HD T& operator[](int item) const {
    return at[item / kInWord * (kInWord * kLanes) + item % kInWord];
  }
  static constexpr int size(int items) {
    return (items + kInWord - 1) / kInWord * kInWord * kLanes;
  }
};

// Nodes that have mass, by side.
struct Sides {
  std::uint32_t sources = 0;
  std::uint32_t sinks = 0;
};

FOVEA_HD inline int count_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}
FOVEA_HD inline int leading_zeros(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __clz(static_cast<int>(bits));
#else
  return std::countl_zero(bits);
#endif
}
FOVEA_HD inline bool has(std::uint32_t set, int item) { return (set >> item & 1U) != 0; }
FOVEA_HD inline std::uint32_t only(int item) { return 1U << item; }

template <class S>
FOVEA_HD inline typename S::Cost cost_between(const Tables<S>& tables, int source, int sink) {
  return tables.cost[source][S::kNet ? sink : sink - S::kBins];
}

// Sets a lane's masses from those of its pair, whose totals are equal. Node k of a net problem
// holds the surplus of one side in bin k; otherwise the nodes are the bins of the first side and
// then of the second.
template <class S, class Masses>
FOVEA_HD inline Sides place_masses(const typename S::Mass (&first)[S::kBins],
                                   const typename S::Mass (&second)[S::kBins], const Masses& mass) {
  Sides sides;
  FOVEA_UNROLL
  for (int k = 0; k < S::kBins; ++k) {
    if constexpr (S::kNet) {
      const typename S::Mass more = first[k] - second[k];
      mass[k] = more < 0 ? -more : more;
      sides.sources |= more > 0 ? only(k) : 0;
      sides.sinks |= more < 0 ? only(k) : 0;
    } else {
      mass[k] = first[k];
      mass[S::kBins + k] = second[k];
      sides.sources |= first[k] > 0 ? only(k) : 0;
      sides.sinks |= second[k] > 0 ? only(S::kBins + k) : 0;
    }
  }
  return sides;
}

// The cells between a source and a sink.
template <class S>
FOVEA_HD inline void open_cells(const Tables<S>& tables, Sides sides,
                                std::uint32_t (&open)[S::kWords]) {
  FOVEA_UNROLL
  for (int w = 0; w < S::kWords; ++w) {
    std::uint32_t from = 0, to = 0;
    FOVEA_UNROLL
    for (int k = 0; k < S::kNodes; ++k) {
      if (S::kNet || k < S::kBins) from |= has(sides.sources, k) ? tables.touch[k][w] : 0;
      if (S::kNet || k >= S::kBins) to |= has(sides.sinks, k) ? tables.touch[k][w] : 0;
    }
    open[w] = from & to;
  }
}

template <int kWords>
FOVEA_HD inline int first_cell(const std::uint32_t (&open)[kWords]) {
  std::uint32_t word = open[0];
  int before = 0;
  FOVEA_UNROLL
  for (int w = 1; w < kWords; ++w) {
    if (word == 0) {
      word = open[w];
      before = 32 * w;
    }
  }
  return before + leading_zeros(word);
}

// Fills the cheapest open cell until one node, the root, is left. For every closed node it writes a
// step: closed | other << 8, where `other` becomes its parent. The mass of a closed node is then
// the flow between the two. If a cell exhausts both of its nodes, the sink is closed and the source
// goes on without mass, except at the last sink; so cells without flow lead toward the root.
// `shared` are the tables that each lane indexes differently. Returns the cost.
template <class S, class Masses, class Steps>
FOVEA_HD inline typename S::Sum fill_cheapest(const Tables<S>& tables, const Tables<S>& shared,
                                              Sides sides, const Masses& mass, const Steps& step) {
  std::uint32_t open[S::kWords];
  open_cells(tables, sides, open);
  typename S::Sum cost = 0;
  std::uint32_t sinks = sides.sinks;
  const int steps = count_bits(sides.sources | sides.sinks) - 1;
  for (int at = 0; at < steps; ++at) {
    const std::uint32_t cell = shared.cell[first_cell(open)];
    int source = static_cast<int>(cell & 0xFF), sink = static_cast<int>(cell >> 8);
    if (S::kNet && has(sides.sinks, source)) {
      const int swapped = source;
      source = sink;
      sink = swapped;
    }
    const typename S::Mass supply = mass[source], demand = mass[sink];
    const bool close_source = supply < demand || (sinks & (sinks - 1)) == 0;
    const int closed = close_source ? source : sink;
    const int other = close_source ? sink : source;
    mass[other] = close_source ? demand - supply : supply - demand;
    step[at] = static_cast<std::uint16_t>(closed | other << 8);
    cost += static_cast<typename S::Sum>(close_source ? supply : demand) *
            cost_between(shared, source, sink);
    sinks &= ~only(closed);
    FOVEA_UNROLL
    for (int w = 0; w < S::kWords; ++w) open[w] &= ~shared.touch[closed][w];
  }
  return cost;
}

// Computes the potentials of the tree: along its cells, cost = potential of source - potential of
// sink. Steps are read from the last to the first, so that the potential of the other node is known
// already.
template <class S, class Steps, class Potentials>
FOVEA_HD inline void find_potentials(const Tables<S>& shared, Sides sides, const Steps& step,
                                     const Potentials& potential) {
  const int steps = count_bits(sides.sources | sides.sinks) - 1;
  if (steps < 1) return;
  potential[step[steps - 1] >> 8] = 0;
  for (int at = steps - 1; at >= 0; --at) {
    const int closed = step[at] & 0xFF, other = step[at] >> 8;
    const bool source = has(sides.sources, closed);
    const typename S::Cost cost =
        source ? cost_between(shared, closed, other) : cost_between(shared, other, closed);
    potential[closed] = potential[other] + (source ? cost : -cost);
  }
}

// Returns the cell with the least reduced cost. If its `gain` is negative it improves the flow;
// otherwise the flow is optimal.
template <class S>
struct Entering {
  typename S::Cost gain = 0;
  int source = 0;
  int sink = 0;
};
template <class S, bool kWhich, class Potentials>
FOVEA_HD inline Entering<S> find_entering(const Tables<S>& tables, const Tables<S>& shared,
                                          Sides sides, const Potentials& potential) {
  using Cost = typename S::Cost;
  constexpr int kFirstSink = S::kNet ? 0 : S::kBins;
  Cost sink[S::kBins];
  FOVEA_UNROLL
  for (int j = 0; j < S::kBins; ++j)
    sink[j] = has(sides.sinks, kFirstSink + j) ? potential[kFirstSink + j] : S::kFar;
  Entering<S> best;
  FOVEA_UNROLL
  for (int i = 0; i < S::kBins; ++i) {
    Cost least = S::kFar;
    FOVEA_UNROLL
    for (int j = 0; j < S::kBins; ++j) {
      if (S::kNet && i == j) continue;
      const Cost sum = tables.cost[i][j] + sink[j];
      least = sum < least ? sum : least;
    }
    const Cost source = has(sides.sources, i) ? potential[i] : -S::kFar;
    if (least - source < best.gain) {
      best.gain = least - source;
      best.source = i;
    }
  }
  if (kWhich && best.gain < 0) {
    const Cost wanted = best.gain + potential[best.source];
    FOVEA_UNROLL
    for (int j = S::kBins - 1; j >= 0; --j)
      if (shared.cost[best.source][j] + sink[j] == wanted) best.sink = kFirstSink + j;
  }
  return best;
}

// A tree for steps of the simplex. Each node has its parent, its children as bits, the flow between
// it and its parent, and its potential.
template <class Masses, class Potentials, class Parents, class Children>
struct Tree {
  Masses flow;
  Potentials potential;
  Parents parent;  // the root is its own parent
  Children children;
};

template <class S, class Steps, class T>
FOVEA_HD inline void hang_tree(Sides sides, const Steps& step, const T& tree) {
  FOVEA_UNROLL
  for (int k = 0; k < S::kNodes; ++k) tree.children[k] = 0;
  const int steps = count_bits(sides.sources | sides.sinks) - 1;
  if (steps < 1) return;
  for (int at = 0; at < steps; ++at) {
    const int closed = step[at] & 0xFF, other = step[at] >> 8;
    tree.parent[closed] = static_cast<std::uint8_t>(other);
    tree.children[other] |= only(closed);
  }
  const int root = step[steps - 1] >> 8;
  tree.parent[root] = static_cast<std::uint8_t>(root);
}

// Takes the entering cell into the tree and removes the cell that is exhausted first. Of several it
// removes the last one along the cycle, which is followed from its highest node in the direction of
// the entering cell's flow. Returns the flow through the entering cell.
template <class S, class T>
FOVEA_HD inline typename S::Mass pivot(Sides sides, const Entering<S>& entering, const T& tree) {
  using Mass = typename S::Mass;
  std::uint32_t above = only(entering.source);
  for (int k = entering.source, next = tree.parent[k]; next != k; next = tree.parent[k]) {
    k = next;
    above |= only(k);
  }
  bool any = false, on_sinks_side = false;
  Mass moved = 0;
  int leaving = 0, top = entering.sink;
  for (; !has(above, top); top = tree.parent[top]) {
    const Mass flow = tree.flow[top];
    if (has(sides.sinks, top) && (!any || flow <= moved)) {
      moved = flow;
      leaving = top;
      any = on_sinks_side = true;
    }
  }
  for (int k = entering.source; k != top; k = tree.parent[k]) {
    const Mass flow = tree.flow[k];
    if (has(sides.sources, k) && (!any || flow < moved)) {
      moved = flow;
      leaving = k;
      any = true;
      on_sinks_side = false;
    }
  }
  if (moved != 0) {
    for (int k = entering.source; k != top; k = tree.parent[k])
      tree.flow[k] += has(sides.sources, k) ? -moved : moved;
    for (int k = entering.sink; k != top; k = tree.parent[k])
      tree.flow[k] += has(sides.sinks, k) ? -moved : moved;
  }
  // The part below the leaving cell is attached to the other end of the entering cell.
  const int cut = on_sinks_side ? entering.sink : entering.source;
  int node = cut, parent = on_sinks_side ? entering.source : entering.sink;
  Mass flow = moved;
  for (;;) {
    const int old_parent = tree.parent[node];
    const Mass old_flow = tree.flow[node];
    tree.children[old_parent] &= ~only(node);
    tree.children[parent] |= only(node);
    tree.parent[node] = static_cast<std::uint8_t>(parent);
    tree.flow[node] = flow;
    if (node == leaving) break;
    parent = node;
    flow = old_flow;
    node = old_parent;
  }
  const typename S::Cost shift = on_sinks_side ? -entering.gain : entering.gain;
  for (std::uint32_t rest = only(cut); rest != 0;) {
    const int k = 31 - leading_zeros(rest);
    rest = (rest & ~only(k)) | tree.children[k];
    tree.potential[k] += shift;
  }
  return moved;
}

}  // namespace fovea::emd::lane
