// Where a block of the kernels for lanes keeps its problems: arrays [item][lane] in shared memory.
// Lanes go each at its own pace, so that nothing of one may lie over anything of another.
#pragma once
#include <type_traits>

#include "emd/solve/lane_solver_math.h"

namespace fovea::emd::lane {

// Powers of two that let an SM hold many blocks.
struct Tuning {
  static constexpr int kProveLanes = 128;    // of a block
  static constexpr int kImproveLanes = 128;  // and slots
  static constexpr int kRefillBelow = 64;    // slots at work
};

// Potentials take the place of the lane's masses where both are as wide. Wider ones would lie over
// masses of other lanes, which those may still be filling cells with.
template <class S>
struct ProveMemory {
  static constexpr int kLanes = Tuning::kProveLanes;
  using Masses = Column<typename S::Mass, kLanes>;
  using Potentials = Column<typename S::Cost, kLanes>;
  using Steps = Column<std::uint16_t, kLanes>;
  union Together {
    typename S::Mass mass[Masses::size(S::kNodes)];
    typename S::Cost potential[Potentials::size(S::kNodes)];
  };
  struct Apart {
    typename S::Mass mass[Masses::size(S::kNodes)];
    typename S::Cost potential[Potentials::size(S::kNodes)];
  };
  std::conditional_t<sizeof(typename S::Mass) == sizeof(typename S::Cost), Together, Apart> node;
  std::uint16_t step[Steps::size(S::kNodes)];
  Tables<S> tables;
};

// Slots of a block of improve.
template <class S>
struct ImproveMemory {
  static constexpr int kLanes = Tuning::kImproveLanes;
  using Masses = Column<typename S::Mass, kLanes>;
  using Potentials = Column<typename S::Cost, kLanes>;
  using Steps = Column<std::uint16_t, kLanes>;
  using Parents = Column<std::uint8_t, kLanes>;
  using Children = Column<std::uint32_t, kLanes>;
  using SlotTree = Tree<Masses, Potentials, Parents, Children>;

  typename S::Sum cost[kLanes];
  std::int64_t moved[kLanes], extra[kLanes];
  double flow_scale[kLanes];
  typename S::Mass flow[Masses::size(S::kNodes)];
  typename S::Cost potential[Potentials::size(S::kNodes)];
  std::uint32_t children[Children::size(S::kNodes)];
  std::uint16_t step[Steps::size(S::kNodes)];
  std::uint8_t parent[Parents::size(S::kNodes)];
  std::uint32_t sources[kLanes], sinks[kLanes];
  int problem[kLanes];  // < 0: the slot is free
  int pivots[kLanes], exponent[kLanes];
  int slots[kLanes];  // at work, then free
  int at_work[kLanes / 32], next_entry;
  Tables<S> tables;

  FOVEA_HD SlotTree tree(int slot) {
    return {Masses(flow, slot), Potentials(potential, slot), Parents(parent, slot),
            Children(children, slot)};
  }
};

}  // namespace fovea::emd::lane
