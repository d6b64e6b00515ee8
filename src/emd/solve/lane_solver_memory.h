// Where a block of the lane kernels keeps its problems: arrays [item][lane] in shared memory. Lanes
// do not advance together, so that the memory of one lane must not overlap that of another.
#pragma once
#include <type_traits>

#include "emd/solve/lane_solver_math.h"

namespace fovea::emd::lane {

// The tuning of the kernels: four warps per block, so that barriers wait for few warps and an SM
// still holds many blocks, and slots that are refilled when half of them are free. Measured on an
// H200 (4.2 million problems of 11 bins): 0.375 ms with thresholded costs (0.372 to 0.391 for
// 64/64/32, 256/256/128 and 64/128/96) and 4.43 ms with random costs (4.42 to 4.64).
template <int kProveLanes_, int kImproveLanes_, int kRefillBelow_>
struct TuningOf {
  static constexpr int kProveLanes = kProveLanes_;      // per block
  static constexpr int kImproveLanes = kImproveLanes_;  // per block; also its number of slots
  static constexpr int kRefillBelow =
      kRefillBelow_;  // slots in use below which free ones are refilled
};
using Tuning = TuningOf<128, 128, 64>;

// Potentials take the place of the lane's masses if both types have the same size. Wider ones would
// overlap the masses of other lanes, which may still be filling cells.
template <class S, class T = Tuning>
struct ProveMemory {
  static constexpr int kLanes = T::kProveLanes;
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

// The slots of a block of the improve kernel.
template <class S, class T = Tuning>
struct ImproveMemory {
  static constexpr int kLanes = T::kImproveLanes;
  using Masses = Column<typename S::Mass, kLanes>;
  using Potentials = Column<typename S::Cost, kLanes>;
  using Steps = Column<std::uint16_t, kLanes>;
  using Parents = Column<std::uint8_t, kLanes>;
  using Children = Column<std::uint32_t, kLanes>;
  using SlotTree = Tree<Masses, Potentials, Parents, Children>;

  typename S::Sum cost[kLanes];
  std::int64_t moved[kLanes], extra[kLanes];
  typename S::Mass flow[Masses::size(S::kNodes)];
  typename S::Cost potential[Potentials::size(S::kNodes)];
  std::uint32_t children[Children::size(S::kNodes)];
  std::uint16_t step[Steps::size(S::kNodes)];
  std::uint8_t parent[Parents::size(S::kNodes)];
  std::uint32_t sources[kLanes], sinks[kLanes];
  int problem[kLanes];  // < 0: the slot is free
  int pivots[kLanes], exponent[kLanes], extra_exponent[kLanes];
  int slots[kLanes];  // first those in use, then the free ones
  int at_work[kLanes / 32], next_entry;
  Tables<S> tables;

  FOVEA_HD SlotTree tree(int slot) {
    return {Masses(flow, slot), Potentials(potential, slot), Parents(parent, slot),
            Children(children, slot)};
  }
};

}  // namespace fovea::emd::lane
