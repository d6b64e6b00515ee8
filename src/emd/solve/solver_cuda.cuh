// Kernels of the CUDA twin besides those for lanes.
#pragma once
#include "emd/solve/cost_plan.h"
#include "emd/solve/lane_solver_cuda.cuh"
#include "emd/solve/simplex_math.h"

namespace fovea::emd::cuda {

inline constexpr int kMostLaneBins = 16;

// Closed forms of up to kMostLaneBins bins, one lane per problem. Problems without a closed form,
// with unequal mass or with masses that are not counts enter the batch's queue of uneven problems.
void solve_closed(const CostPlan& plan, const lane::Batch& batch, cudaStream_t stream);

// From the auxiliary sink, on a tableau of bits, with up to kMostLaneBins bins: the whole batch, or
// its uneven problems. A first kernel has masses of 32 bits; a second one with masses of 64 bits
// takes what the first one passes on in the batch's queue of unproved problems.
void solve_tableau(const CostPlan& plan, const lane::Batch& batch, lane::Source source,
                   cudaStream_t stream);

// What kernels read of a plan, on the device.
struct GeneralTables {
  CostTable<std::int64_t> table;
  GroundForm form;
  bool metric;
  bool auxiliary;  // search from the auxiliary sink
  const std::int64_t* gaps;
  std::int64_t step;
};
// Any problem of up to 64 bins, one lane per problem in its own memory: the whole batch, or its
// uneven problems.
void solve_general(const GeneralTables& tables, const lane::Batch& batch, lane::Source source,
                   cudaStream_t stream);

}  // namespace fovea::emd::cuda
