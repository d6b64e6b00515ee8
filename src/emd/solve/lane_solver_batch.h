// A batch as lanes see it: histograms by row, where results go, and queues of problems that one
// kernel leaves to the next.
#pragma once
#include <cstddef>
#include <cstdint>

#include "emd/solve/value_math.h"

namespace fovea::emd::lane {

enum class MassType : unsigned char { kUint8, kUint16, kFloat, kDouble };

// Histograms of one side. Rows that start on 16 bytes are read 16 bytes at a time: such a piece
// holds at least one of the row's own, so that it lies in mapped memory.
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
  // A view's stride, even of its only row: the row's last piece then is within what it spans.
  const bool aligned = reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 &&
                       view.stride * static_cast<std::ptrdiff_t>(sizeof(Mass)) % 16 == 0;
  return {view.data, view.height > 1 ? view.stride : 0, view.width, kType, aligned};
}

// Problems by number, handed from kernel to kernel.
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
  double* distance;
  Status* status;         // may be null
  std::uint16_t* pivots;  // may be null
  double* flow;           // may be null
  std::ptrdiff_t flow_stride;
  Queue unproved;  // whose start is not optimal
  Queue uneven;    // that need an extra bin or wider masses
};

}  // namespace fovea::emd::lane
