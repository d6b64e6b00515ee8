// The transportation problem as one lane of a GPU solves it: the cheapest cells are filled first,
// in an order sorted once a ground distance; every step closes one node, so that the cells filled
// are a tree, and their potentials prove the flow optimal or name the cell that a step of the
// network simplex takes in. Trees stay strongly feasible (Cunningham 1976), so that it ends.
//
// Sets of nodes and of cells are bits. A lane's memory is columns of an array [item][lane], which
// any lane may index as it likes without two lanes meeting in a bank. All of it is whole numbers
// and runs on the host too, where its tests are.
#pragma once
#include <fovea/core/api.h>

#include <bit>
#include <cstdint>

#include "emd/solve/unroll.h"

namespace fovea::emd::lane {

// What a solver is compiled for: masses, costs and potentials, sums of their products, and the most
// bins a side. A net problem is one of a metric, where mass that both histograms have in a bin
// stays: a bin then is either source or sink and one node, and a cell is a pair of bins.
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
  static constexpr Cost kFar = Cost{1} << (kBits - 3);  // beyond all potentials
  static_assert(kNodes <= 32, "sets of nodes are 32 bits");
};

// Of a ground distance. Costs between bins that are not there are 0: their nodes have no mass.
template <class S>
struct Tables {
  typename S::Cost cost[S::kBins][S::kBins];
  std::uint32_t touch[S::kNodes][S::kWords];  // cells of a node, the cheapest at the highest bit
  std::uint16_t cell[S::kCells];              // nodes of a cell: one | other << 8
};

// A lane's column of an array [item][lane]. Items of less than 4 bytes lie in the lane's own words,
// so that no lane reads another's bank.
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

// A lane's masses from those of its pair; totals are equal. Node k of a net problem holds what one
// side has more, else nodes are first's bins and then second's.
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

// Cells between a source and a sink.
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

// Fills the cheapest open cell until one node is left, the root, and writes each node closed and
// the one it hangs on: closed | other << 8. The mass of a node closed is what then flows between
// both. Where a cell exhausts both its nodes the sink is closed and the source goes on without
// mass, except for the last sink: so cells without flow lead to the root. `shared` tables are those
// that lanes index each on its own. Returns the cost.
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

// Potentials of the tree: cost = potential of source - potential of sink along its cells. The root
// was closed by none, so that steps from the last to the first find the other's potential known.
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

// The cell that most undercuts its potentials; `gain` < 0 where there is one, else the flow is
// optimal.
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

// A tree for steps of the simplex: by node its parent, its children as bits, the flow between it
// and its parent, its potential.
template <class Masses, class Potentials, class Parents, class Children>
struct Tree {
  Masses flow;
  Potentials potential;
  Parents parent;  // the root's is the root
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

// Takes the entering cell in and the one out that is exhausted first: of several the last along the
// cycle from its highest node in the direction of the entering cell's flow. Returns the flow
// through the entering cell.
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
  // The part below the leaving cell hangs on the entering cell's other end.
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
