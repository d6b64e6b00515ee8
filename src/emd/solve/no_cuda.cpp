// Stands in for the folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"

#include "emd/solve/batch_solver.h"

namespace fovea::emd::cuda {

std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance&, const SolverOptions&) {
  fovea::cuda::absent();
}

}  // namespace fovea::emd::cuda
