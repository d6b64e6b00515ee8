// Stands in for the CUDA twin of the solver.
#include <fovea/error.h>

#include "emd/solve/batch_solver.h"

namespace fovea::emd::cuda {

std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance&, const SolverOptions&) {
  throw DeviceError("emd: the solver has no CUDA twin in this build");
}

}  // namespace fovea::emd::cuda
