// Between the CUDA twin and its kernels for lanes: one object a shape and ground distance, which
// launches on batches.
#pragma once
#include <cuda_runtime.h>

#include <memory>

#include "emd/solve/lane_solver_batch.h"
#include "emd/solve/lane_solver_tables.h"

namespace fovea::emd::lane {

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
  kWide     // both 64: masses of any type, normalized or not
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
