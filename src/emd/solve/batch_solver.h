// The interface between the face and its twins: one BatchSolver per ground distance and device,
// which keeps its memory. Both twins compute in whole numbers, so that the least cost is the same
// whichever of the optimal flows they find.
#pragma once
#include <fovea/emd/solver.h>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace fovea::emd {

// Histograms in the twin's memory; `second` has one row or as many rows as `first`.
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

  // All views lie in the twin's memory. On CUDA the call returns before the work is done, which is
  // queued on exec.stream.
  virtual void solve(const AnyMassBatch& batch, const SolutionsView& out, const Exec& exec) = 0;
};

// The most bins of a side that the solvers with sets of bits take, and the GPU.
inline constexpr int kMostFastBins = 64;
inline bool is_large(const GroundDistance& ground) {
  return ground.rows() > kMostFastBins || ground.columns() > kMostFastBins;
}

namespace cpu {
// For any number of bins and for potentials. The ground distance must outlive it.
std::unique_ptr<BatchSolver> make_large_solver(const GroundDistance& ground,
                                               const SolverOptions& options);
// The ground distance must outlive it.
std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options);
}  // namespace cpu
namespace cuda {
std::unique_ptr<BatchSolver> make_batch_solver(const GroundDistance& ground,
                                               const SolverOptions& options);
}

}  // namespace fovea::emd
