// Solves one problem in whole masses by the simplex, from either start; compiled once per
// instruction set.
#if defined(FOVEA_EMD_SOLVER_SEARCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_EMD_SOLVER_SEARCH_INL
#undef FOVEA_EMD_SOLVER_SEARCH_INL
#else
#define FOVEA_EMD_SOLVER_SEARCH_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "emd/solve/bit_tableau_math.h"
#include "emd/solve/cost_plan.h"
#include "emd/solve/mass_math.h"
#include "emd/solve/simplex_math.h"
#include "emd/solve/solver_price-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::emd::cpu {
namespace {
namespace HWY_NAMESPACE {

constexpr int kMostLines = 96;  // lines of one side, with room for whole vectors

// A problem in whole masses. If one side is lighter it has the difference behind its last bin.
template <class Mass>
struct Problem {
  HWY_ALIGN Mass first[kMostLines] = {};
  HWY_ALIGN Mass second[kMostLines] = {};
  HWY_ALIGN Mass kept[kMostLines];  // mass that stays in its bin
  MovedMass mass{};
  bool equal = true;       // both sides have the same total
  std::int64_t total = 0;  // of the heavier side

  // Makes the totals equal by the element behind the last bin of the lighter side.
  Balance<Mass> balance(const CostPlan& plan, Mass first_total, Mass second_total) {
    const auto balance = balance_of(first_total, second_total);
    first[plan.rows] = balance.first;
    second[plan.columns] = balance.second;
    equal = first_total == second_total;
    total = std::max(first_total, second_total);
    return balance;
  }
};

struct Found {
  Status status = Status::kOptimal;
  int pivots = 0;
  SolvedBy solver = SolvedBy::kNothing;
};

// Where the flow of a problem is written, in the caller's masses.
struct FlowRow {
  double* to = nullptr;
  int columns = 0;
  FlowScale scale{};
  void add(int i, int j, double mass) const { to[i * columns + j] += scale(mass); }
};

// Runs the simplex; start(basis) fills the tree.
template <class B, class Sum, class Start>
Found run_simplex(const CostTable<typename B::Cost>& table, const typename B::Set& active,
                  const FlowRow& flow, Sum& cost, const Start& start) {
  HWY_ALIGN B basis;
  basis.active = active;
  for (int j = 0; j < table.stride; ++j) basis.potential[B::kColumn0 + j] = B::kNever;
  start(basis);
  const auto lanes = static_cast<int>(hn::Lanes(Costs<typename B::Cost>()));
  const int vectors = table.columns / lanes + 1, padded = table.stride / lanes;
  const Status status = improve(basis, table, [&](const B& b) {
    if (vectors == 3) return price_rows<3>(b, table);
    if (vectors > 1 && padded % 2 == 0) return price_rows<2>(b, table);
    return price_rows<1>(b, table);
  });
  cost = basis.cost;
  if (flow.to != nullptr) {
    for (int k = 0; k + 1 < basis.lines; ++k) {  // the root is the last
      const int line = basis.closed[k], parent = basis.parent[line];
      const int i = B::is_row(line) ? line : parent;
      const int j = (B::is_row(line) ? parent : line) - B::kColumn0;
      if (i < table.rows && j < table.columns)
        flow.add(i, j, static_cast<double>(basis.flow[line]));
    }
  }
  return {status, basis.pivots,
          basis.pivots == 0 ? SolvedBy::kGreedyStart : SolvedBy::kGreedySimplex};
}

template <class Cost, int kWords, class Mass, class Sum>
Found simplex(const CostPlan& plan, const Cost* costs, Problem<Mass>& problem, const FlowRow& flow,
              Sum& cost) {
  using B = Basis<Cost, Mass, kWords>;
  const CostTable<Cost> table{costs,          plan.rows,         plan.columns,
                              plan.stride,    plan.order.data(), plan.line_cells.data(),
                              plan.max_pivots};
  typename B::Set active = B::Set::none();
  if constexpr (kWords == 1) {
    std::uint64_t rows = 0, columns = 0;
    for (int i = 0; i <= plan.rows; ++i) rows |= std::uint64_t{problem.first[i] > 0} << i;
    for (int j = 0; j <= plan.columns; ++j) columns |= std::uint64_t{problem.second[j] > 0} << j;
    active.word[0] = rows | columns << B::kColumn0;
  } else {
    for (int i = 0; i <= plan.rows; ++i)
      if (problem.first[i] > 0) active.add(i);
    for (int j = 0; j <= plan.columns; ++j)
      if (problem.second[j] > 0) active.add(B::kColumn0 + j);
  }
  Mass *first = problem.first, *second = problem.second;
  if (plan.start == SimplexStart::kAuxiliary) {
    Found found = run_simplex<B>(table, active, flow, cost,
                                 [&](B& basis) { auxiliary_start(basis, table, first, second); });
    found.solver = SolvedBy::kAuxiliarySimplex;
    cost -= static_cast<Sum>(second[plan.columns]) *
            plan.auxiliary;  // the surplus was charged for the auxiliary sink
    return found;
  }
  const auto greedily = [&](const auto& cells) {
    return run_simplex<B>(table, active, flow, cost,
                          [&](B& basis) { greedy_start(basis, table, first, second, cells); });
  };
  if (plan.cell_words == 2) return greedily(OpenCells<2>(table, active, B::kColumn0));
  if (plan.cell_words == 4) return greedily(OpenCells<4>(table, active, B::kColumn0));
  return greedily(ScannedCells<typename B::Set>(table, active, B::kColumn0));
}

// Solves problems of up to kTableauBins bins with a tableau of bits, as the paper does.
template <class Cost, class Mass, class Sum>
Found bit_simplex(const CostPlan& plan, const Cost* costs, const Problem<Mass>& problem,
                  const FlowRow& flow, Sum& cost) {
  const bool turned = problem.second[plan.columns] > 0;  // the first side is the heavier one
  BitTableau<Mass, Cost> tableau;
  Mass masses[2][kTableauBins];
  int bins[2][kTableauBins];
  const auto gather = [&](int side, const Mass* from, int count) {
    int used = 0;
    for (int k = 0; k < count; ++k) {
      if (from[k] == 0) continue;
      bins[side][used] = k;
      masses[side][used++] = from[k];
    }
    return used;
  };
  const int rows = gather(turned ? 1 : 0, problem.first, plan.rows);
  const int columns = gather(turned ? 0 : 1, problem.second, plan.columns);
  tableau.sources = turned ? columns : rows;
  tableau.sinks = turned ? rows : columns;
  const auto cell = [&](int source, int sink) {
    const int i = turned ? bins[1][sink] : bins[0][source];
    const int j = turned ? bins[0][source] : bins[1][sink];
    return std::pair(i, j);
  };
  const auto cost_of = [&](int source, int sink) {
    const auto [i, j] = cell(source, sink);
    return costs[i * plan.stride + j];
  };
  start_tableau(tableau, masses[0], masses[1], static_cast<Cost>(plan.auxiliary), cost_of);
  Found found;
  found.status = improve(tableau, plan.max_pivots, found.pivots);
  found.solver = problem.total <= plan.count_total ? SolvedBy::kTableau : SolvedBy::kWideTableau;
  cost = 0;
  for (int row = 0; row < tableau.rows; ++row) {
    const int column = tableau.basic[row];
    if (column == BitTableau<Mass, Cost>::kAuxiliary)
      cost += static_cast<Sum>(tableau.value[row]) * plan.auxiliary;  // 0 unless pivots ran out
    if (column >= tableau.sources * tableau.sinks || tableau.value[row] == 0) continue;
    const int source = column / tableau.sinks, sink = column % tableau.sinks;
    cost += static_cast<Sum>(tableau.value[row]) * cost_of(source, sink);
    if (flow.to == nullptr) continue;
    const auto [i, j] = cell(source, sink);
    flow.add(i, j, static_cast<double>(tableau.value[row]));
  }
  return found;
}

template <class Mass, class Sum>
Found search(const CostPlan& plan, Problem<Mass>& problem, const FlowRow& flow, Sum& cost) {
  const bool auxiliary = plan.start == SimplexStart::kAuxiliary;
  if (auxiliary && plan.rows <= kTableauBins && plan.columns <= kTableauBins) {
    if (plan.width == CostWidth::k64)
      return bit_simplex(plan, plan.costs64.data(), problem, flow, cost);
    return bit_simplex(plan, plan.costs32.data(), problem, flow, cost);
  }
  if (plan.metric && !auxiliary) {
    // Whole vectors are handled: behind the bins at most one side has mass, so that nothing is
    // cancelled there.
    for (int from = 0; from <= plan.rows; from += 16) {
      Mass *first = problem.first + from, *second = problem.second + from;
      for (int i = 0; i < 16; ++i) {
        const Mass kept = std::min(first[i], second[i]);
        first[i] -= kept;
        second[i] -= kept;
        problem.kept[from + i] = kept;
      }
    }
    if (flow.to != nullptr)
      for (int i = 0; i < plan.rows; ++i)
        if (problem.kept[i] > 0) flow.add(i, i, static_cast<double>(problem.kept[i]));
  }
  const bool small = plan.rows < 32 && plan.columns < 32;
  if constexpr (sizeof(Mass) == 4) {
    if (small && plan.width == CostWidth::k16)
      return simplex<std::int16_t, 1>(plan, plan.costs16.data(), problem, flow, cost);
    if (small && plan.width == CostWidth::k32)
      return simplex<std::int32_t, 1>(plan, plan.costs32.data(), problem, flow, cost);
  }
  if constexpr (sizeof(Mass) == 4) {
    if (!small && plan.width != CostWidth::k64)
      return simplex<std::int32_t, 3>(plan, plan.costs32.data(), problem, flow, cost);
  }
  if (small) return simplex<std::int64_t, 1>(plan, plan.costs64.data(), problem, flow, cost);
  return simplex<std::int64_t, 3>(plan, plan.costs64.data(), problem, flow, cost);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::emd::cpu
HWY_AFTER_NAMESPACE();
#endif
