// CPU twin of the solver. A problem at a time, problems over cores: the greedy start leaves so few
// pivots that loading and proving are most of the work, and pricing takes a row of cells a vector.
#include <algorithm>

#include "core/parallel.h"
#include "emd/solve/batch_solver.h"
#include "emd/solve/bit_tableau_math.h"
#include "emd/solve/closed_math.h"
#include "emd/solve/cost_plan.h"
#include "emd/solve/simplex_math.h"

// Outside the per-target part, which is compiled once a target.
#ifndef FOVEA_EMD_JOB
#define FOVEA_EMD_JOB
namespace fovea::emd::cpu {
namespace {

// Problems [first_problem, last_problem).
template <class Mass>
struct Job {
  const CostPlan& plan;
  const MassBatch<Mass>& batch;
  const SolutionsView& out;
  std::int64_t first_problem, last_problem;
};

}  // namespace
}  // namespace fovea::emd::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emd/solve/solver_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::emd::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMostLines = 96;  // of one side, with room for whole vectors

template <class Cost>
using Costs = hn::CappedTag<Cost, 16>;  // as rows of a table are padded

template <class D, class V>
HWY_INLINE V minus(D, V a, V b) {
  if constexpr (sizeof(hn::TFromD<D>) == 2) return hn::SaturatedSub(a, b);
  else return hn::Sub(a, b);
}

// The cell with the least reduced cost, kVectors vectors of columns at a time. 16-bit costs
// saturate, which keeps their sign.
template <int kVectors, class B>
HWY_INLINE Entering price_rows(const B& basis, const CostTable<typename B::Cost>& table) {
  using Cost = typename B::Cost;
  const Costs<Cost> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  using V = hn::Vec<decltype(d)>;
  const Cost* columns = basis.potential + B::kColumn0;
  auto all_least = hn::Zero(d), all_where = hn::Zero(d);
  for (int j = 0; j <= table.columns; j += kVectors * lanes) {
    V worth[kVectors], least[kVectors], where[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      worth[v] = hn::LoadU(d, columns + j + v * lanes);
      least[v] = where[v] = hn::Zero(d);
    }
    const auto price_row = [&](int i) {
      const auto row_worth = hn::Set(d, basis.potential[i]);
      const auto row = hn::Set(d, static_cast<Cost>(i));
      for (int v = 0; v < kVectors; ++v) {
        const auto cost = hn::LoadU(d, table.costs + i * table.stride + j + v * lanes);
        const auto reduced = minus(d, minus(d, cost, worth[v]), row_worth);
        const auto better = hn::Lt(reduced, least[v]);
        least[v] = hn::Min(reduced, least[v]);
        where[v] = hn::IfThenElse(better, row, where[v]);
      }
    };
    if constexpr (B::kWords == 1) {
      for (std::uint64_t rows = basis.active.from(0); rows != 0; rows &= rows - 1)
        price_row(lowest_bit(rows));
    } else {
      for (int i = 0; i <= table.rows; ++i)
        if (basis.active.has(i)) price_row(i);
    }
    for (int v = 0; v < kVectors; ++v) {
      const auto better = hn::Lt(least[v], all_least);
      all_least = hn::Min(least[v], all_least);
      const auto cell =
          hn::Add(hn::ShiftLeft<7>(where[v]), hn::Set(d, static_cast<Cost>(j + v * lanes)));
      all_where = hn::IfThenElse(better, cell, all_where);
    }
  }
  const auto least = hn::MinOfLanes(d, all_least);
  if (hn::GetLane(least) == 0) return {};
  const auto lane = static_cast<std::size_t>(hn::FindFirstTrue(d, hn::Eq(all_least, least)));
  const auto cell = static_cast<int>(hn::ExtractLane(all_where, lane));
  return {cell / 128, cell % 128 + static_cast<int>(lane)};
}

// A problem in whole masses. Where one side is lighter it has the difference behind its last bin.
template <class Mass>
struct Problem {
  HWY_ALIGN Mass first[kMostLines] = {};
  HWY_ALIGN Mass second[kMostLines] = {};
  HWY_ALIGN Mass kept[kMostLines];  // that stays in its bin
  MovedMass mass{};
  std::int64_t total = 0;  // of the normalised sides, else 0

  void balance(const CostPlan& plan, std::int64_t first_total, std::int64_t second_total) {
    const std::int64_t more = first_total - second_total;
    mass.moved = std::min(first_total, second_total);
    mass.extra = more < 0 ? -more : more;
    first[plan.rows] = static_cast<Mass>(more < 0 ? -more : 0);
    second[plan.columns] = static_cast<Mass>(more > 0 ? more : 0);
  }
};

struct Found {
  Status status = Status::kOptimal;
  int pivots = 0;
};

// Where the flow of a problem is written, in the caller's masses.
struct FlowRow {
  double* to = nullptr;
  int columns = 0;
  int exponent = 0;
  double scale = 1;
  void add(int i, int j, double mass) const {
    to[i * columns + j] += std::scalbn(mass, exponent) * scale;
  }
};

// start(basis) fills the tree.
template <class B, class Sum, class Start>
Found run_simplex(const CostTable<typename B::Cost>& table, const typename B::Set& active,
                  const FlowRow& flow, Sum& cost, const Start& start) {
  HWY_ALIGN B basis;
  basis.active = active;
  for (int j = 0; j < table.stride; ++j) basis.potential[B::kColumn0 + j] = B::kNever;
  start(basis);
  const int vectors = table.columns / static_cast<int>(hn::Lanes(Costs<typename B::Cost>())) + 1;
  const Status status = improve(basis, table, [&](const B& b) {
    if (vectors == 1) return price_rows<1>(b, table);
    if (vectors == 3) return price_rows<3>(b, table);
    return price_rows<2>(b, table);
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
  return {status, basis.pivots};
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
    const Found found = run_simplex<B>(
        table, active, flow, cost, [&](B& basis) { auxiliary_start(basis, table, first, second); });
    cost -= static_cast<Sum>(second[plan.columns]) * plan.auxiliary;  // that is too many
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

// Up to kTableauBins bins, the paper's way.
template <class Mass, class Sum>
Found bit_simplex(const CostPlan& plan, const Problem<Mass>& problem, const FlowRow& flow,
                  Sum& cost) {
  const bool turned = problem.second[plan.columns] > 0;  // the first side is the heavier
  BitTableau<Mass> tableau;
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
    return plan.costs64[static_cast<std::size_t>(i * plan.stride + j)];
  };
  start_tableau(tableau, masses[0], masses[1], plan.auxiliary, cost_of);
  Found found;
  found.status = improve(tableau, plan.max_pivots, found.pivots);
  cost = 0;
  for (int row = 0; row < tableau.rows; ++row) {
    const int column = tableau.basic[row];
    if (column == BitTableau<Mass>::kAuxiliary)
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
  if (auxiliary && plan.rows <= kTableauBins && plan.columns <= kTableauBins)
    return bit_simplex(plan, problem, flow, cost);
  if (plan.metric && !auxiliary) {
    // All vectors that the bins reach into: behind them at most one side holds mass.
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
  if (small) return simplex<std::int64_t, 1>(plan, plan.costs64.data(), problem, flow, cost);
  return simplex<std::int64_t, 3>(plan, plan.costs64.data(), problem, flow, cost);
}

template <class Mass, class Sum>
Found least_cost(const CostPlan& plan, Problem<Mass>& problem, const FlowRow& flow, Sum& cost) {
  const bool equal = problem.mass.extra == 0, with_flow = flow.to != nullptr;
  const Mass *first = problem.first, *second = problem.second;
  if (plan.form == GroundForm::kDiscrete && !with_flow) {
    cost = discrete_cost<Sum>(first, second, plan.step, plan.rows);
    return {};
  }
  if (plan.form == GroundForm::kLine && equal && !with_flow) {
    cost = line_cost<Sum>(first, second, plan.gaps.data(), plan.rows);
    return {};
  }
  if (plan.form == GroundForm::kCircle && equal && !with_flow) {
    cost = circle_cost<Sum>(first, second, plan.step, plan.rows);
    return {};
  }
  if ((plan.form == GroundForm::kMonge || plan.form == GroundForm::kLine) && equal) {
    const std::int64_t* costs = plan.costs64.data();
    Sum sum = 0;
    if (with_flow) {
      walk(first, second, plan.rows, plan.columns, [&](int i, int j, Mass mass) {
        sum += static_cast<Sum>(mass) * costs[i * plan.stride + j];
        flow.add(i, j, static_cast<double>(mass));
      });
    } else {
      walk(first, second, plan.rows, plan.columns, [&](int i, int j, Mass mass) {
        sum += static_cast<Sum>(mass) * costs[i * plan.stride + j];
      });
    }
    cost = sum;
    return {};
  }
  return search(plan, problem, flow, cost);
}

template <class Mass>
double solve_whole(const CostPlan& plan, Problem<Mass>& problem, FlowRow flow, Found& found) {
  std::conditional_t<sizeof(Mass) == 4, std::int64_t, Wide> cost = 0;
  flow.exponent = problem.mass.exponent;
  if (problem.total > 0) {
    flow.exponent = 0;
    flow.scale = 1 / static_cast<double>(problem.total);
  }
  found = least_cost(plan, problem, flow, cost);
  return distance_of(plan.rule, cost, problem.mass);
}

template <class Mass>
class Range {
 public:
  explicit Range(const Job<Mass>& job) : job_(job), plan_(job.plan) {}

  void run() {
    for (std::int64_t k = job_.first_problem; k < job_.last_problem; ++k) {
      const auto& second = job_.batch.second;
      FlowRow flow;
      if (!job_.out.flow.empty()) {
        flow.to = job_.out.flow.row(static_cast<int>(k));
        flow.columns = plan_.columns;
        std::fill_n(flow.to, plan_.rows * plan_.columns, 0.0);
      }
      Found found;
      job_.out.distance[k] =
          solve(job_.batch.first.row(static_cast<int>(k)),
                second.row(second.height == 1 ? 0 : static_cast<int>(k)), flow, found);
      if (job_.out.status != nullptr) job_.out.status[k] = found.status;
      if (job_.out.pivots != nullptr)
        job_.out.pivots[k] = static_cast<std::uint16_t>(std::min(found.pivots, 65535));
    }
  }

 private:
  double solve(const Mass* first, const Mass* second, const FlowRow& flow, Found& found) {
    if constexpr (std::is_integral_v<Mass>) {
      std::int32_t first_total = 0, second_total = 0;
      for (int i = 0; i < plan_.rows; ++i) first_total += narrow_.first[i] = first[i];
      for (int j = 0; j < plan_.columns; ++j) second_total += narrow_.second[j] = second[j];
      if (first_total == 0 || second_total == 0) return empty(first_total, second_total, 0, found);
      if (first_total == second_total || plan_.rule.policy != MassPolicy::kNormalise) {
        narrow_.balance(plan_, first_total, second_total);
        narrow_.total = plan_.rule.policy == MassPolicy::kNormalise ? first_total : 0;
        return solve_whole(plan_, narrow_, flow, found);
      }
      return solve_wide(first, second, 0, flow, found);
    } else {
      const MassFacts one = mass_facts(first, plan_.rows);
      const MassFacts other = mass_facts(second, plan_.columns);
      if (!one.valid || !other.valid) {
        found.status = Status::kInvalidMass;
        return 0;
      }
      return solve_wide(first, second, mass_exponent(one, other), flow, found);
    }
  }

  double empty(std::int64_t first_total, std::int64_t second_total, int exponent, Found& found) {
    found.status = Status::kEmpty;
    return empty_distance(plan_.rule, std::max(first_total, second_total), exponent);
  }

  double solve_wide(const Mass* first, const Mass* second, int exponent, const FlowRow& flow,
                    Found& found) {
    std::int64_t first_total = 0, second_total = 0;
    for (int i = 0; i < plan_.rows; ++i)
      first_total += wide_.first[i] = whole_mass(first[i], exponent);
    for (int j = 0; j < plan_.columns; ++j)
      second_total += wide_.second[j] = whole_mass(second[j], exponent);
    if (first_total == 0 || second_total == 0)
      return empty(first_total, second_total, exponent, found);
    wide_.mass.exponent = exponent;
    wide_.total = 0;
    if (plan_.rule.policy == MassPolicy::kNormalise) {
      const MassFactors factors = mass_factors(first_total, second_total);
      if (factors.first > 0) {
        for (int i = 0; i < plan_.rows; ++i) wide_.first[i] *= factors.first;
        for (int j = 0; j < plan_.columns; ++j) wide_.second[j] *= factors.second;
        first_total *= factors.first;
      } else {
        normalise_to(wide_.first, plan_.rows, first_total);
        normalise_to(wide_.second, plan_.columns, second_total);
        first_total = kNormalTotal;
      }
      second_total = wide_.total = first_total;
    }
    wide_.balance(plan_, first_total, second_total);
    if (std::max(first_total, second_total) > plan_.narrow_total)
      return solve_whole(plan_, wide_, flow, found);
    for (int i = 0; i <= plan_.rows; ++i)
      narrow_.first[i] = static_cast<std::int32_t>(wide_.first[i]);
    for (int j = 0; j <= plan_.columns; ++j)
      narrow_.second[j] = static_cast<std::int32_t>(wide_.second[j]);
    narrow_.mass = wide_.mass;
    narrow_.total = wide_.total;
    const double distance = solve_whole(plan_, narrow_, flow, found);
    narrow_.total = 0;
    return distance;
  }

  const Job<Mass>& job_;
  const CostPlan& plan_;
  Problem<std::int32_t> narrow_;
  Problem<std::int64_t> wide_;
};

// Entry points for the dispatcher, which cannot name templates.
void solve_u8(const Job<std::uint8_t>& job) { Range(job).run(); }
void solve_u16(const Job<std::uint16_t>& job) { Range(job).run(); }
void solve_f32(const Job<float>& job) { Range(job).run(); }
void solve_f64(const Job<double>& job) { Range(job).run(); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::emd::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::emd::cpu {
namespace {

HWY_EXPORT(solve_u8);
HWY_EXPORT(solve_u16);
HWY_EXPORT(solve_f32);
HWY_EXPORT(solve_f64);

constexpr std::int64_t kProblemsPerTask = 256;

class Solver final : public BatchSolver {
 public:
  Solver(const GroundDistance& ground, const SolverOptions& options) : plan_(ground, options) {}

  void solve(const AnyMassBatch& batch, const SolutionsView& out, const Exec& exec) override {
    std::visit([&](const auto& masses) { solve_batch(masses, out, exec); }, batch);
  }

 private:
  template <class Mass>
  void solve_batch(const MassBatch<Mass>& batch, const SolutionsView& out, const Exec& exec) {
    parallel_for(exec, batch.first.height, kProblemsPerTask,
                 [&](std::int64_t first, std::int64_t last) {
                   const Job<Mass> job{plan_, batch, out, first, last};
                   if constexpr (std::is_same_v<Mass, std::uint8_t>)
                     HWY_DYNAMIC_DISPATCH(solve_u8)(job);
                   else if constexpr (std::is_same_v<Mass, std::uint16_t>)
                     HWY_DYNAMIC_DISPATCH(solve_u16)(job);
                   else if constexpr (std::is_same_v<Mass, float>)
                     HWY_DYNAMIC_DISPATCH(solve_f32)(job);
                   else HWY_DYNAMIC_DISPATCH(solve_f64)(job);
                 });
  }

  CostPlan plan_;
};

}  // namespace

std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options) {
  return std::make_unique<Solver>(ground, options);
}

}  // namespace fovea::emd::cpu
#endif  // HWY_ONCE
