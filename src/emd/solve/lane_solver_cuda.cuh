// The interface between the CUDA twin and its kernels for lanes: one object per shape and ground
// distance, which launches on batches.
#pragma once
#include <cuda_runtime.h>

#include <memory>

#include "emd/solve/lane_solver_batch.h"
#include "emd/solve/lane_solver_tables.h"

namespace fovea::emd::lane {

// The problems of a batch that a launch works on.
enum class Source : unsigned char { kAll, kUnproved, kUneven };

class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  // Solves all problems whose start is optimal; the others enter the queues of the batch.
  virtual void prove(const Batch& batch, cudaStream_t stream) const = 0;
  // Solves all problems of the launch; without the extra bin, problems of unequal mass enter their
  // queue.
  virtual void improve(const Batch& batch, Source source, cudaStream_t stream) const = 0;
};

// The integer types for the potentials of a ground distance and the masses of a batch.
enum class Width : unsigned char {
  kNarrow,  // both have 32 bits
  kMixed,   // masses have 32 bits, costs 64
  kWide     // both have 64 bits: masses of any type, normalized or not
};

// With `extra`, problems of unequal mass are solved too. Costs have at most 16 bins per side.
bool fits(const LaneCosts& costs, bool extra);
std::unique_ptr<Kernels> make_kernels(Width width, const LaneCosts& costs, const CellOrder& order,
                                      bool extra);

// Each is in a file of its own, so that they compile in parallel.
std::unique_ptr<Kernels> make_narrow_kernels(const LaneCosts& costs, const CellOrder& order,
                                             bool extra);
std::unique_ptr<Kernels> make_mixed_kernels(const LaneCosts& costs, const CellOrder& order,
                                            bool extra);
std::unique_ptr<Kernels> make_wide_kernels(const LaneCosts& costs, const CellOrder& order,
                                           bool extra);

}  // namespace fovea::emd::lane
