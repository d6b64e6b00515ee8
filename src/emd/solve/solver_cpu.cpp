// CPU twin of the solver. Problems are divided among cores and solved one at a time. The greedy
// start leaves so few pivots that loading and proving are most of the work; pricing handles a row
// of cells in vectors.
#include <algorithm>

#include "core/parallel.h"
#include "emd/solve/batch_solver.h"
#include "emd/solve/closed_math.h"
#include "emd/solve/cost_plan.h"
#include "emd/solve/mass_math.h"

// This part does not depend on the instruction set, while the rest of the file is compiled once for
// each.
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

#include "emd/solve/solver_search-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::emd::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Mass, class Sum>
Found least_cost(const CostPlan& plan, Problem<Mass>& problem, const FlowRow& flow, Sum& cost) {
  const bool equal = problem.equal, with_flow = flow.to != nullptr;
  const Mass *first = problem.first, *second = problem.second;
  if (plan.form == GroundForm::kDiscrete && !with_flow) {
    cost = discrete_cost<Sum>(first, second, plan.step, plan.rows);
    return {.solver = SolvedBy::kClosedForm};
  }
  if (plan.form == GroundForm::kLine && equal && !with_flow) {
    cost = line_cost<Sum>(first, second, plan.gaps.data(), plan.rows);
    return {.solver = SolvedBy::kClosedForm};
  }
  if (plan.form == GroundForm::kCircle && equal && !with_flow) {
    cost = circle_cost<Sum>(first, second, plan.step, plan.rows);
    return {.solver = SolvedBy::kClosedForm};
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
    return {.solver = SolvedBy::kClosedForm};
  }
  return search(plan, problem, flow, cost);
}

template <class Mass>
double solve_whole(const CostPlan& plan, Problem<Mass>& problem, FlowRow flow, Found& found) {
  std::conditional_t<sizeof(Mass) == 4, std::int64_t, Wide> cost = 0;
  if (flow.to != nullptr) flow.scale = flow_scale(plan.rule, problem.mass);
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
      if (job_.out.solved_by != nullptr) job_.out.solved_by[k] = found.solver;
    }
  }

 private:
  double solve(const Mass* first, const Mass* second, const FlowRow& flow, Found& found) {
    if constexpr (std::is_integral_v<Mass>) {
      std::int32_t first_total = 0, second_total = 0;
      for (int i = 0; i < plan_.rows; ++i) first_total += narrow_.first[i] = first[i];
      for (int j = 0; j < plan_.columns; ++j) second_total += narrow_.second[j] = second[j];
      if (first_total == 0 || second_total == 0) {
        found.status = Status::kEmpty;
        return empty_distance(plan_.rule, {0, std::max(first_total, second_total)});
      }
      const bool normalized = plan_.rule.policy != MassPolicy::kNormalize ||
                              normalize_counts(first_total, second_total);
      if (normalized && std::max(first_total, second_total) <= plan_.narrow_total) {
        const auto balance = narrow_.balance(plan_, first_total, second_total);
        narrow_.mass = {balance.moved, balance.first + balance.second};
        return solve_whole(plan_, narrow_, flow, found);
      }
    }
    return solve_any(first, second, flow, found);
  }

  // Multiplies both sides to the least total that they can have in common; returns false if this is
  // too large. The factors of the last pair are kept, because most windows have the same total.
  bool normalize_counts(std::int32_t& first_total, std::int32_t& second_total) {
    if (first_total == second_total) return true;
    if (first_total != last_first_ || second_total != last_second_) {
      last_first_ = first_total;
      last_second_ = second_total;
      factors_ = count_factors(first_total, second_total,
                               std::min<std::int64_t>(plan_.count_total, plan_.narrow_total));
    }
    if (factors_.first == 0) return false;
    for (int i = 0; i < plan_.rows; ++i) narrow_.first[i] *= factors_.first;
    for (int j = 0; j < plan_.columns; ++j) narrow_.second[j] *= factors_.second;
    first_total *= factors_.first;
    second_total = first_total;
    return true;
  }

  double solve_any(const Mass* first, const Mass* second, const FlowRow& flow, Found& found) {
    const WholePair whole =
        make_whole(plan_.rule.policy, MassSide<const Mass*>{first, plan_.rows, wide_.first},
                   MassSide<const Mass*>{second, plan_.columns, wide_.second});
    if (whole.status != Status::kOptimal) {
      found.status = whole.status;
      return whole.status == Status::kEmpty ? empty_distance(plan_.rule, whole.mass) : 0;
    }
    wide_.balance(plan_, whole.first_total, whole.second_total);
    wide_.mass = whole.mass;
    if (std::max(whole.first_total, whole.second_total) > plan_.narrow_total)
      return solve_whole(plan_, wide_, flow, found);
    for (int i = 0; i <= plan_.rows; ++i)
      narrow_.first[i] = static_cast<std::int32_t>(wide_.first[i]);
    for (int j = 0; j <= plan_.columns; ++j)
      narrow_.second[j] = static_cast<std::int32_t>(wide_.second[j]);
    narrow_.equal = wide_.equal;
    narrow_.mass = wide_.mass;
    narrow_.total = wide_.total;
    return solve_whole(plan_, narrow_, flow, found);
  }

  const Job<Mass>& job_;
  const CostPlan& plan_;
  Problem<std::int32_t> narrow_;
  Problem<std::int64_t> wide_;
  std::int32_t last_first_ = 0, last_second_ = 0;
  CountFactors factors_{};
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
  Solver(const GroundDistance& ground, const SolverOptions& options)
      : ground_(ground), options_(options), plan_(ground, options) {}

  void solve(const AnyMassBatch& batch, const SolutionsView& out, const Exec& exec) override {
    if (!out.potential.empty())
      return make_large_solver(ground_, options_)->solve(batch, out, exec);
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

  const GroundDistance& ground_;
  SolverOptions options_;
  CostPlan plan_;
};

}  // namespace

std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options) {
  if (is_large(ground)) return make_large_solver(ground, options);
  return std::make_unique<Solver>(ground, options);
}

}  // namespace fovea::emd::cpu
#endif  // HWY_ONCE
