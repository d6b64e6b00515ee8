// Kernels of the CUDA twin beside those for lanes.
#pragma once
#include "emd/solve/cost_plan.h"
#include "emd/solve/lane_solver_cuda.cuh"
#include "emd/solve/simplex_math.h"

namespace fovea::emd::cuda {

inline constexpr int kMostLaneBins = 16;

// Closed forms of up to kMostLaneBins bins, a lane a problem. Problems that have none, of unequal
// mass or masses that are no counts, enter the batch's queue of uneven ones.
void solve_closed(const CostPlan& plan, const lane::Batch& batch, cudaStream_t stream);

// From the auxiliary sink, on a tableau of bits, of up to kMostLaneBins bins. Masses that are no
// counts and what is to be normalized enter the batch's queue of uneven problems.
void solve_tableau(const CostPlan& plan, const lane::Batch& batch, cudaStream_t stream);

// What kernels read of a plan, on the device.
struct GeneralTables {
  CostTable<std::int64_t> table;
  GroundForm form;
  bool metric;
  const std::int64_t* gaps;
  std::int64_t step;
};
// Any problem of up to 64 bins, a lane a problem in its own memory: the whole batch, or its uneven
// problems.
void solve_general(const GeneralTables& tables, const lane::Batch& batch, lane::Source source,
                   cudaStream_t stream);

}  // namespace fovea::emd::cuda
