// Whole batches through the code of the CUDA kernels, run on the host in the blocks' own memory,
// its lanes in any order: distances to the bit and statuses as the CPU's, and flows of their cost.
#include <fovea/core/random.h>
#include <fovea/emd/solver.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>

#include "emd/flows.h"
#include "emd/solve/cost_plan.h"
#include "emd/solve/lane_solver_tables.h"
#include "emd/solve/lane_solver_work_math.h"
#include "emd/solve/random_problems.h"

namespace fovea::emd::lane {
namespace {

using random_problems::between;
using random_problems::Pairs;

// A block's memory with what no lane may write around it.
template <class Memory>
class Guarded {
 public:
  Guarded() : bytes_(sizeof(Memory) + 2 * kGuard, kByte) {}
  ~Guarded() {
    for (std::size_t k = 0; k < kGuard; ++k) {
      EXPECT_EQ(bytes_[k], kByte);
      EXPECT_EQ(bytes_[bytes_.size() - 1 - k], kByte);
    }
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  Memory& operator*() { return *reinterpret_cast<Memory*>(bytes_.data() + kGuard); }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr unsigned char kByte = 0xA5;
  std::vector<unsigned char> bytes_;
};

void shuffle(std::vector<int>& items, Random& random) {
  for (int k = static_cast<int>(items.size()) - 1; k > 0; --k)
    std::swap(items[static_cast<std::size_t>(k)],
              items[static_cast<std::size_t>(between(random, 0, k))]);
}

// One block. Each lane goes through its problems in order; which lane takes its next step is drawn.
template <class S>
void prove_on_host(const Tables<S>& tables, const Batch& batch, Random& random) {
  constexpr int kLanes = ProveMemory<S>::kLanes, kSteps = 4;
  Guarded<ProveMemory<S>> guarded;
  (*guarded).tables = tables;
  std::vector<int> turns;
  for (int problem = 0; problem < batch.problems; ++problem)
    turns.insert(turns.end(), kSteps, problem % kLanes);
  shuffle(turns, random);
  struct Place {
    int steps = 0;
    typename ProveLane<S>::Work work{};
  };
  std::vector<Place> places(kLanes);
  for (const int turn : turns) {
    const ProveLane<S> lane(tables, batch, *guarded, turn);
    auto& [steps, work] = places[static_cast<std::size_t>(turn)];
    const int problem = turn + steps / kSteps * kLanes;
    switch (steps++ % kSteps) {
      case 0: lane.place(problem, work); break;
      case 1: lane.fill(problem, work); break;
      case 2: lane.find_worth(work); break;
      default: lane.finish(problem, work);
    }
  }
}

// One block, which takes all of `from`.
template <class S>
void improve_on_host(const Tables<S>& tables, const Batch& batch, const std::vector<int>& from,
                     bool extra, Random& random) {
  using Memory = ImproveMemory<S>;
  Guarded<Memory> guarded;
  Memory& memory = *guarded;
  memory.tables = tables;
  for (int& problem : memory.problem) problem = -1;
  const Slots<S> slots{tables, batch, memory};
  for (std::size_t taken = 0;;) {
    std::vector<int> working, free;
    for (int slot = 0; slot < Memory::kLanes; ++slot)
      (memory.problem[slot] >= 0 ? working : free).push_back(slot);
    shuffle(working, random);
    shuffle(free, random);
    if (taken < from.size() && static_cast<int>(working.size()) <= Tuning::kRefillBelow) {
      for (const int slot : free)
        if (taken < from.size()) slots.begin(from[taken++], extra, slot);
    } else if (!working.empty()) {
      for (const int slot : working) slots.advance(slot);
    } else {
      return;
    }
  }
}

struct HostQueue {
  std::vector<int> problems;
  int count = 0;
  explicit HostQueue(int room) : problems(static_cast<std::size_t>(room), -1) {}
  Queue queue() { return {problems.data(), &count, nullptr}; }
  std::vector<int> entries() const { return {problems.begin(), problems.begin() + count}; }
};

template <bool kNet>
using WideShape = Shape<std::int64_t, std::int64_t, Wide, kNet ? 17 : 16, kNet>;

struct Case {
  SolverOptions options{};
  bool one_second = false;
  bool flow = false;
  bool prove = true;
  bool expect_even = false;  // no problem needs wider masses
};

// As the CUDA twin does it, with S for counts.
template <class S, class Mass>
void expect_as_on_cpu(const GroundDistance& ground, const Pairs<Mass>& pairs, const Case& given,
                      Random& random) {
  const ImageView<const Mass> first = pairs.first.view();
  ImageView<const Mass> second = pairs.second.view();
  if (given.one_second) second.height = 1;
  const int problems = first.height;
  Solver solver(ground, given.options);
  const Solutions cpu = solver.solve<Mass>(first, second, given.flow);

  const CostPlan plan(ground, given.options);
  const LaneCosts costs{ground.rows(), ground.columns(), ground.units(), S::kNet};
  const CellOrder order = find_order(costs);
  HostQueue unproved(problems), uneven(problems);
  std::vector<double> distance(static_cast<std::size_t>(problems), -1);
  std::vector<Status> status(distance.size(), Status::kInvalidMass);
  std::vector<std::uint16_t> pivots(distance.size(), 65535);
  std::vector<SolvedBy> solved_by(distance.size(), SolvedBy::kTableau);
  Image<double> flow(ground.rows() * ground.columns(), problems);
  for (int k = 0; k < problems; ++k) std::fill_n(flow.row(k), flow.width(), -1.0);
  Batch batch{};
  batch.first = rows_of(first);
  batch.second = rows_of(second);
  batch.problems = problems;
  batch.rule = plan.rule;
  batch.max_pivots = plan.max_pivots;
  batch.most_total = plan.count_total;
  batch.distance = distance.data();
  batch.status = status.data();
  batch.pivots = pivots.data();
  batch.solved_by = solved_by.data();
  batch.flow = given.flow ? flow.row(0) : nullptr;
  batch.flow_stride = flow.stride();
  batch.unproved = unproved.queue();
  batch.uneven = uneven.queue();
  const auto even = make_tables<S>(costs, order, false);
  if (given.prove) {
    prove_on_host<S>(even, batch, random);
    improve_on_host<S>(even, batch, unproved.entries(), false, random);
  } else {
    std::vector<int> all(static_cast<std::size_t>(problems));
    std::iota(all.begin(), all.end(), 0);
    improve_on_host<S>(even, batch, all, false, random);
  }
  const int queued = uneven.count;
  if (given.expect_even) {
    ASSERT_EQ(queued, 0);
  }
  if (std::is_integral_v<Mass> && given.options.mass != MassPolicy::kNormalize) {
    improve_on_host<S>(make_tables<S>(costs, order, true), batch, uneven.entries(), true, random);
  } else {
    using Any = WideShape<S::kNet>;
    improve_on_host<Any>(make_tables<Any>(costs, order, true), batch, uneven.entries(), true,
                         random);
  }
  ASSERT_EQ(uneven.count, queued);

  for (int k = 0; k < problems; ++k) {
    const auto at = static_cast<std::size_t>(k);
    ASSERT_EQ(status[at], cpu.status[at]) << "problem " << k;
    ASSERT_EQ(distance[at], cpu.distance[at]) << "problem " << k;
    ASSERT_LT(pivots[at], plan.max_pivots) << "problem " << k;
    ASSERT_EQ(solved_by[at], status[at] != Status::kOptimal ? SolvedBy::kNothing
                             : pivots[at] == 0              ? SolvedBy::kGreedyStart
                                                            : SolvedBy::kGreedySimplex)
        << "problem " << k;
    if (!given.flow) continue;
    if (status[at] == Status::kOptimal) {
      for (const double* found : {static_cast<const double*>(flow.row(k)), cpu.flow.row(k)})
        ASSERT_NO_FATAL_FAILURE(expect_flow(ground, given.options, first.row(k),
                                            second.row(given.one_second ? 0 : k), found,
                                            distance[at]))
            << "problem " << k;
    } else {
      for (int i = 0; i < flow.width(); ++i) ASSERT_EQ(flow.row(k)[i], 0);
    }
  }
}

// One that the shape is for.
template <class S>
GroundDistance draw_ground(Random& random) {
  for (;;) {
    const int rows = between(random, 1, S::kBins - 1);
    const int columns = S::kNet ? rows : between(random, 1, S::kBins - 1);
    GroundDistance ground = random_problems::random_ground(random, rows, columns);
    const bool wide = CostPlan(ground, {}).width == CostWidth::k64;
    if (ground.metric() == S::kNet && wide == (sizeof(typename S::Cost) == 8)) return ground;
  }
}

// Histograms without mass, equal ones, and for reals parts of units and what is no mass at all.
template <class Mass>
void spoil(Pairs<Mass>& pairs, Random& random) {
  const int rows = pairs.first.width(), columns = pairs.second.width();
  for (int k = 0; k < pairs.first.height(); ++k) {
    Mass *first = pairs.first.row(k), *second = pairs.second.row(k);
    if (k % 7 == 3) std::fill_n(first, rows, Mass{0});
    if (k % 11 == 3) std::fill_n(second, columns, Mass{0});
    if (k % 13 == 0) std::copy_n(first, std::min(rows, columns), second);
    if (k % 17 == 0) first[between(random, 0, rows - 1)] = std::numeric_limits<Mass>::max();
    if constexpr (!std::is_integral_v<Mass>) {
      Mass& one = (k % 2 == 0 ? first : second)[between(random, 0, std::min(rows, columns) - 1)];
      constexpr double kBad[] = {-1,
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 1e-30,
                                 3e38,
                                 0x1p20};
      if (k % 5 == 1) one = static_cast<Mass>(kBad[k / 5 % 6]);
      if (k % 3 == 2)
        for (int i = 0; i < rows; ++i) first[i] = static_cast<Mass>(random.uniform(0, 1));
      if (k % 6 == 2)
        for (int j = 0; j < columns; ++j) second[j] = static_cast<Mass>(random.uniform(0, 1e-6F));
      // Totals far apart, with little beside much.
      constexpr double kScales[] = {1e12, 1e-12, 1e-30, 1e20};
      if (k % 19 == 2 || k % 19 == 4)
        for (int i = 0; i < rows; i += between(random, 1, 3))
          first[i] = static_cast<Mass>(first[i] * kScales[k % 4]);
    }
  }
}

// Every fifth round proves nothing first.
template <class S, class Mass>
void expect_batches_as_on_cpu(int rounds) {
  Random random(31, S::kBins * 64 + sizeof(Mass) * 4 + sizeof(typename S::Cost) + S::kNet);
  for (int round = 0; round < rounds; ++round) {
    const GroundDistance ground = draw_ground<S>(random);
    Case given;
    given.options.solver = round % 4 < 2 ? SolverKind::kSimplex : SolverKind::kAuto;
    given.one_second = round % 3 == 1;
    given.flow = round % 2 == 0;
    given.prove = round % 5 != 4;
    for (const MassPolicy policy :
         {MassPolicy::kPartial, MassPolicy::kPenalty, MassPolicy::kNormalize}) {
      given.options.mass = policy;
      SCOPED_TRACE(testing::Message()
                   << ground.rows() << "x" << ground.columns() << " metric " << ground.metric()
                   << " policy " << static_cast<int>(policy) << " one " << given.one_second
                   << " flow " << given.flow << " bytes " << sizeof(Mass) << " round " << round);
      Pairs<Mass> pairs = random_problems::random_pairs<Mass>(random, ground, 200);
      if (!given.one_second) spoil(pairs, random);
      given.expect_even =
          given.one_second && std::is_integral_v<Mass> && policy == MassPolicy::kNormalize;
      ASSERT_NO_FATAL_FAILURE((expect_as_on_cpu<S, Mass>(ground, pairs, given, random)));
    }
  }
}

template <class S>
class LaneSolverBatch : public testing::Test {};
using I32 = std::int32_t;
using I64 = std::int64_t;
using Shapes = testing::Types<
    Shape<I32, I32, I64, 4, true>, Shape<I32, I32, I64, 8, true>, Shape<I32, I32, I64, 11, true>,
    Shape<I32, I32, I64, 12, true>, Shape<I32, I32, I64, 17, true>, Shape<I32, I64, I64, 8, true>,
    Shape<I32, I64, I64, 12, true>, Shape<I32, I64, I64, 17, true>, Shape<I32, I32, I64, 4, false>,
    Shape<I32, I32, I64, 8, false>, Shape<I32, I32, I64, 11, false>,
    Shape<I32, I32, I64, 12, false>, Shape<I32, I32, I64, 16, false>>;
TYPED_TEST_SUITE(LaneSolverBatch, Shapes);

// Whose each byte of a block's memory is.
template <class Memory>
class Owners {
 public:
  explicit Owners(const Memory& memory) : memory_(memory), owner_(sizeof(Memory), -1) {}
  template <class Column>
  void take(const Column& column, int items, int lane) {
    const auto* begin = reinterpret_cast<const unsigned char*>(&memory_);
    for (int item = 0; item < items; ++item) {
      const auto at = reinterpret_cast<const unsigned char*>(&column[item]) - begin;
      ASSERT_GE(at, 0);
      for (std::size_t k = 0; k < sizeof(column[item]); ++k) {
        int& owner = owner_.at(static_cast<std::size_t>(at) + k);
        ASSERT_TRUE(owner == -1 || owner == lane) << "lanes " << owner << " and " << lane;
        owner = lane;
      }
    }
  }

 private:
  const Memory& memory_;
  std::vector<int> owner_;
};

TYPED_TEST(LaneSolverBatch, NoLaneLiesOverAnother) {
  using S = TypeParam;
  const auto expect_apart = []<class Any>(Any) {
    const auto prove = std::make_unique<ProveMemory<Any>>();
    using P = ProveMemory<Any>;
    Owners proving(*prove);
    for (int lane = 0; lane < P::kLanes; ++lane) {
      proving.take(typename P::Masses(prove->node.mass, lane), Any::kNodes, lane);
      proving.take(typename P::Potentials(prove->node.potential, lane), Any::kNodes, lane);
      proving.take(typename P::Steps(prove->step, lane), Any::kNodes, lane);
    }
    const auto improve = std::make_unique<ImproveMemory<Any>>();
    using I = ImproveMemory<Any>;
    Owners improving(*improve);
    for (int slot = 0; slot < I::kLanes; ++slot) {
      const auto tree = improve->tree(slot);
      improving.take(tree.flow, Any::kNodes, slot);
      improving.take(tree.potential, Any::kNodes, slot);
      improving.take(tree.parent, Any::kNodes, slot);
      improving.take(tree.children, Any::kNodes, slot);
      improving.take(typename I::Steps(improve->step, slot), Any::kNodes, slot);
    }
  };
  expect_apart(S{});
  expect_apart(WideShape<S::kNet>{});
}

TYPED_TEST(LaneSolverBatch, BytesAsOnTheCpu) {
  expect_batches_as_on_cpu<TypeParam, std::uint8_t>(5);
}
TYPED_TEST(LaneSolverBatch, ShortsAsOnTheCpu) {
  expect_batches_as_on_cpu<TypeParam, std::uint16_t>(5);
}
TYPED_TEST(LaneSolverBatch, FloatsAsOnTheCpu) { expect_batches_as_on_cpu<TypeParam, float>(5); }
TYPED_TEST(LaneSolverBatch, DoublesAsOnTheCpu) { expect_batches_as_on_cpu<TypeParam, double>(5); }

}  // namespace
}  // namespace fovea::emd::lane
