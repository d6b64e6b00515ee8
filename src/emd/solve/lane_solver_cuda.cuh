// Between the CUDA twin and its kernels for lanes: what a batch is, and one object a shape and
// ground distance that launches on it.
#pragma once
#include <cuda_runtime.h>

#include <memory>

#include "emd/solve/lane_solver_tables.h"
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

// Which problems of a batch a launch is for.
enum class Source : unsigned char { kAll, kUnproved, kUneven };

class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  // Solves all problems whose start is optimal; the others enter the batch's queues.
  virtual void prove(const Batch& batch, cudaStream_t stream) const = 0;
  // Solves all that it is for; without the extra bin uneven ones enter their queue.
  virtual void improve(const Batch& batch, Source source, cudaStream_t stream) const = 0;
};

// Whole numbers that hold a ground distance's potentials and a batch's masses.
enum class Width : unsigned char {
  kNarrow,  // both 32 bits
  kMixed,   // masses of 32, costs of 64
  kWide     // both 64: masses of any type, normalised or not
};

// With `extra`, problems of unequal mass are solved too. Costs of at most 16 bins a side.
bool fits(const LaneCosts& costs, bool extra);
std::unique_ptr<Kernels> make_kernels(Width width, const LaneCosts& costs, const CellOrder& order,
                                      bool extra);

// Each in a file of its own, which compile side by side.
std::unique_ptr<Kernels> make_narrow_kernels(const LaneCosts& costs, const CellOrder& order,
                                             bool extra);
std::unique_ptr<Kernels> make_mixed_kernels(const LaneCosts& costs, const CellOrder& order,
                                            bool extra);
std::unique_ptr<Kernels> make_wide_kernels(const LaneCosts& costs, const CellOrder& order,
                                           bool extra);

}  // namespace fovea::emd::lane
