// What a lane of the prove and improve kernels does with a problem between barriers of its block.
// It is kept out of the kernels so that tests can run it on the host with the same memory layout.
#pragma once
#include "emd/solve/lane_solver_load_math.h"
#include "emd/solve/lane_solver_memory.h"

namespace fovea::emd::lane {

// A lane of the prove kernel. `tables` is the kernel's argument; `memory` has the block's own copy.
template <class S, class T = Tuning>
class ProveLane {
 public:
  using Memory = ProveMemory<S, T>;
  // The state of a problem during the four steps.
  struct Work {
    Next next;
    Sides sides;
    typename S::Sum cost;
    Pair<S> pair;
  };

  FOVEA_LANE ProveLane(const Tables<S>& tables, const Batch& batch, Memory& memory, int lane)
      : tables_(tables),
        batch_(batch),
        shared_(memory.tables),
        mass_(memory.node.mass, lane),
        potential_(memory.node.potential, lane),
        step_(memory.step, lane) {}

  FOVEA_LANE void place(int problem, Work& work) const {
    work.next = load_pair<S>(batch_, problem, false, work.pair);
    if (work.next == Next::kSolve)
      work.sides = place_masses<S>(work.pair.first, work.pair.second, mass_);
  }

  FOVEA_LANE void fill(int problem, Work& work) const {
    const bool solve = work.next == Next::kSolve;
    if (solve) work.cost = fill_cheapest(tables_, shared_, work.sides, mass_, step_);
    if (batch_.flow == nullptr || work.next == Next::kUneven) return;
    begin_flow(batch_, problem, solve, work.pair);
    if (!solve) return;
    const FlowScale scale = flow_scale(batch_.rule, work.pair.mass);
    for (int at = count_bits(work.sides.sources | work.sides.sinks) - 2; at >= 0; --at)
      add_flow<S>(batch_, problem, work.sides, step_[at] & 0xFF, step_[at] >> 8,
                  scale(static_cast<double>(mass_[step_[at] & 0xFF])));
  }

  FOVEA_LANE void find_worth(const Work& work) const {
    if (work.next == Next::kSolve) find_potentials(shared_, work.sides, step_, potential_);
  }

  // Writes the result if it is proved optimal; otherwise queues the problem.
  FOVEA_LANE void finish(int problem, const Work& work) const {
    bool proved = true;
    if (work.next == Next::kSolve) {
      proved = find_entering<S, false>(tables_, shared_, work.sides, potential_).gain >= 0;
      if (proved)
        hand_in(batch_, problem, distance_of(batch_.rule, work.cost, work.pair.mass),
                Status::kOptimal, 0, SolvedBy::kGreedyStart);
    } else if (work.next != Next::kUneven) {
      hand_in_unsolved(batch_, problem, work.next, work.pair.mass);
    }
    enqueue(batch_.unproved, !proved, problem);
    enqueue(batch_.uneven, work.next == Next::kUneven, problem);
  }

 private:
  const Tables<S>& tables_;
  const Batch& batch_;
  const Tables<S>& shared_;
  typename Memory::Masses mass_;
  typename Memory::Potentials potential_;
  typename Memory::Steps step_;
};

// The slots of a block of the improve kernel.
template <class S, class T = Tuning>
struct Slots {
  using Memory = ImproveMemory<S, T>;
  const Tables<S>& tables;
  const Batch& batch;
  Memory& memory;

  // Starts a problem in a free slot. The slot stays free if there is nothing to improve.
  FOVEA_LANE void begin(int problem, bool extra, int slot) const {
    Pair<S> pair;
    const Next next = load_pair<S>(batch, problem, extra, pair);
    if (batch.flow != nullptr && next != Next::kUneven)
      begin_flow(batch, problem, next == Next::kSolve, pair);
    if (next == Next::kSolve) {
      const auto tree = memory.tree(slot);
      const typename Memory::Steps step(memory.step, slot);
      const Sides sides = place_masses<S>(pair.first, pair.second, tree.flow);
      memory.cost[slot] = fill_cheapest(tables, memory.tables, sides, tree.flow, step);
      find_potentials(memory.tables, sides, step, tree.potential);
      hang_tree<S>(sides, step, tree);
      memory.sources[slot] = sides.sources;
      memory.sinks[slot] = sides.sinks;
      memory.pivots[slot] = 0;
      memory.moved[slot] = pair.mass.moved;
      memory.extra[slot] = pair.mass.extra;
      memory.exponent[slot] = pair.mass.exponent;
      memory.extra_exponent[slot] = pair.mass.extra_exponent;
      memory.problem[slot] = problem;
    } else if (next != Next::kUneven) {
      hand_in_unsolved(batch, problem, next, pair.mass);
    }
    enqueue(batch.uneven, next == Next::kUneven, problem);
  }

  // Performs a step of the simplex in a slot in use, and frees the slot at the optimum.
  FOVEA_LANE void advance(int slot) const {
    const Sides sides{memory.sources[slot], memory.sinks[slot]};
    const auto tree = memory.tree(slot);
    const auto entering = find_entering<S, true>(tables, memory.tables, sides, tree.potential);
    if (entering.gain >= 0) {
      end(Status::kOptimal, slot);
    } else if (memory.pivots[slot] >= batch.max_pivots) {
      end(Status::kPivotLimit, slot);
    } else {
      ++memory.pivots[slot];
      memory.cost[slot] +=
          static_cast<typename S::Sum>(pivot(sides, entering, tree)) * entering.gain;
    }
  }

 private:
  FOVEA_HD void end(Status status, int slot) const {
    const int problem = memory.problem[slot];
    const MovedMass mass{memory.moved[slot], memory.extra[slot], memory.exponent[slot],
                         memory.extra_exponent[slot]};
    hand_in(batch, problem, distance_of(batch.rule, memory.cost[slot], mass), status,
            memory.pivots[slot],
            memory.pivots[slot] == 0 ? SolvedBy::kGreedyStart : SolvedBy::kGreedySimplex);
    memory.problem[slot] = -1;
    if (batch.flow == nullptr) return;
    const Sides sides{memory.sources[slot], memory.sinks[slot]};
    const auto tree = memory.tree(slot);
    const FlowScale scale = flow_scale(batch.rule, mass);
    for (std::uint32_t rest = sides.sources | sides.sinks; rest != 0; rest &= rest - 1) {
      const int node = 31 - leading_zeros(rest & (~rest + 1)), parent = tree.parent[node];
      if (parent != node)
        add_flow<S>(batch, problem, sides, node, parent,
                    scale(static_cast<double>(tree.flow[node])));
    }
  }
};

}  // namespace fovea::emd::lane
