// Between the face and its twins: one BatchSolver a ground distance and device, which keeps its
// memory. Both twins work in whole numbers, so that the least cost is one number, whichever of the
// optimal flows they find.
#pragma once
#include <fovea/emd/solver.h>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace fovea::emd {

// Histograms in the twin's memory; `second` has one row or as many as `first`.
template <class Mass>
struct MassBatch {
  ImageView<const Mass> first;
  ImageView<const Mass> second;
};
using AnyMassBatch = std::variant<MassBatch<std::uint8_t>, MassBatch<std::uint16_t>,
                                  MassBatch<float>, MassBatch<double>>;

class BatchSolver {
 public:
  BatchSolver() = default;
  BatchSolver(const BatchSolver&) = delete;
  BatchSolver& operator=(const BatchSolver&) = delete;
  virtual ~BatchSolver() = default;

  // All views lie in the twin's memory. On CUDA it returns before it is done, in the order of
  // exec.stream.
  virtual void solve(const AnyMassBatch& batch, const SolutionsView& out, const Exec& exec) = 0;
};

namespace cpu {
std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options);
}
namespace cuda {
std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options);
}

}  // namespace fovea::emd
