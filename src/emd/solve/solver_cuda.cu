// CUDA twin of the solver: chooses the kernels for a batch. Nothing in it waits for the device:
// problems that one kernel cannot finish go to the next one in queues whose lengths only the device
// knows.
#include <optional>

#include "core/kept_buffer.cuh"
#include "emd/solve/batch_solver.h"
#include "emd/solve/solver_cuda.cuh"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::KeptBuffer;
using fovea::cuda::Session;
using lane::Batch;
using lane::Kernels;
using lane::Source;
using lane::Width;

// Where starts need more pivots than this, a separate proof is wasted.
constexpr double kProveUpTo = 1.0;
constexpr int kQueues = 2;
constexpr int kCounters = 2 * kQueues;  // the length of each queue, and how much of it was taken

class Solver final : public BatchSolver {
 public:
  Solver(const GroundDistance& ground, const SolverOptions& options)
      : plan_(ground, options),
        units_(ground.units().begin(), ground.units().end()),
        costs_{ground.rows(), ground.columns(), units_, ground.metric()},
        narrow_(plan_.width != CostWidth::k64) {
    if (lanes()) order_ = lane::find_order(costs_);
  }

  void solve(const AnyMassBatch& masses, const SolutionsView& out, const Exec& exec) override {
    Session session(exec);
    std::visit([&](const auto& batch) { enqueue(batch, out, session.stream()); }, masses);
    session.finish("emd solver");
  }

 private:
  bool auxiliary() const { return plan_.start == SimplexStart::kAuxiliary; }
  bool lanes() const { return plan_.rows <= kMostLaneBins && plan_.columns <= kMostLaneBins; }

  template <class Mass>
  void enqueue(const MassBatch<Mass>& masses, const SolutionsView& out, cudaStream_t stream) {
    Batch batch{};
    batch.first = lane::rows_of(masses.first);
    batch.second = lane::rows_of(masses.second);
    batch.problems = masses.first.height;
    if (batch.problems == 0) return;
    batch.rule = plan_.rule;
    batch.max_pivots = plan_.max_pivots;
    batch.most_total = plan_.count_total;
    batch.distance = out.distance;
    batch.status = out.status;
    batch.pivots = out.pivots;
    batch.solved_by = out.solved_by;
    batch.flow = out.flow.empty() ? nullptr : out.flow.data;
    batch.flow_stride = out.flow.stride;
    int* queues = queues_.reserve(kCounters + kQueues * static_cast<std::size_t>(batch.problems));
    check(cudaMemsetAsync(queues, 0, kCounters * sizeof(int), stream), "emd solver");
    batch.unproved = {queues + kCounters, queues, queues + 1};
    batch.uneven = {queues + kCounters + batch.problems, queues + 2, queues + 3};
    if (!lanes()) {
      solve_general(general_tables(stream), batch, Source::kAll, stream);
      return;
    }
    const Width width = narrow_ ? Width::kNarrow : Width::kMixed;
    if (plan_.form != GroundForm::kGeneral && batch.flow == nullptr) {
      solve_closed(plan_, batch, stream);
      if (auxiliary()) solve_tableau(plan_, batch, Source::kUneven, stream);
    } else if (auxiliary()) {
      solve_tableau(plan_, batch, Source::kAll, stream);
    } else if (order_.pivots <= kProveUpTo) {
      const Kernels& even = kernels(width, false);
      even.prove(batch, stream);
      even.improve(batch, Source::kUnproved, stream);
    } else {
      kernels(width, false).improve(batch, Source::kAll, stream);
    }
    if (auxiliary()) return;
    const bool counts = std::is_integral_v<Mass> && plan_.rule.policy != MassPolicy::kNormalize;
    if (lane::fits(costs_, true))
      kernels(counts ? width : Width::kWide, true).improve(batch, Source::kUneven, stream);
    else solve_general(general_tables(stream), batch, Source::kUneven, stream);
  }

  const Kernels& kernels(Width width, bool extra) {
    auto& made = kernels_[static_cast<int>(width)][extra ? 1 : 0];
    if (made == nullptr) made = lane::make_kernels(width, costs_, order_, extra);
    return *made;
  }

  const GeneralTables& general_tables(cudaStream_t stream) {
    if (!general_) {
      general_ = GeneralTables{
          .table = {general_costs_.fill(plan_.costs64, stream), plan_.rows, plan_.columns,
                    plan_.stride, general_order_.fill(plan_.order, stream), nullptr,
                    plan_.max_pivots},
          .form = plan_.form,
          .metric = plan_.metric,
          .auxiliary = auxiliary(),
          .gaps = plan_.gaps.empty() ? nullptr : general_gaps_.fill(plan_.gaps, stream),
          .step = plan_.step};
    }
    return *general_;
  }

  CostPlan plan_;
  std::vector<std::int64_t> units_;
  lane::LaneCosts costs_;
  bool narrow_;
  lane::CellOrder order_{};
  std::unique_ptr<Kernels> kernels_[3][2];
  KeptBuffer<int> queues_;
  std::optional<GeneralTables> general_;
  KeptBuffer<std::int64_t> general_costs_, general_gaps_;
  KeptBuffer<std::uint16_t> general_order_;
};

}  // namespace

std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options) {
  return std::make_unique<Solver>(ground, options);
}

}  // namespace fovea::emd::cuda
