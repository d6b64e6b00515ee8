// A batch as lanes read it: the histograms by row, the places for results, and queues of problems
// that one kernel leaves to the next.
#pragma once
#include <cstddef>
#include <cstdint>

#include "emd/solve/value_math.h"

namespace fovea::emd::lane {

enum class MassType : unsigned char { kUint8, kUint16, kFloat, kDouble };

// The histograms of one side. Rows that start at a multiple of 16 bytes are read in pieces of 16
// bytes. Such a piece contains at least one element of the row, so that it lies in mapped memory.
struct MassRows {
  const void* data;
  std::ptrdiff_t stride;  // elements; 0 where all problems share one row
  int bins;
  MassType type;
  bool aligned;
};

template <class Mass>
MassRows rows_of(const ImageView<const Mass>& view) {
  constexpr MassType kType = std::is_same_v<Mass, std::uint8_t>    ? MassType::kUint8
                             : std::is_same_v<Mass, std::uint16_t> ? MassType::kUint16
                             : std::is_same_v<Mass, float>         ? MassType::kFloat
                                                                   : MassType::kDouble;
  // The view's stride counts even if there is only one row: the row's last piece then lies within
  // it.
  const bool aligned = reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 &&
                       view.stride * static_cast<std::ptrdiff_t>(sizeof(Mass)) % 16 == 0;
  return {view.data, view.height > 1 ? view.stride : 0, view.width, kType, aligned};
}

// Problems by index, which one kernel passes to the next.
struct Queue {
  int* problems = nullptr;
  int* count = nullptr;
  int* taken = nullptr;
};

struct Batch {
  MassRows first, second;
  int problems;
  ValueRule rule;
  int max_pivots;
  std::int32_t most_total;  // masses of 32 bits have at most this total (CostPlan::count_total)
  double* distance;
  Status* status;         // may be null
  std::uint16_t* pivots;  // may be null
  SolvedBy* solved_by;    // may be null
  double* flow;           // may be null
  std::ptrdiff_t flow_stride;
  Queue unproved;  // problems whose start is not proved optimal, or that the tableau passes on
  Queue uneven;    // problems that need an extra bin or wider masses
};

}  // namespace fovea::emd::lane
