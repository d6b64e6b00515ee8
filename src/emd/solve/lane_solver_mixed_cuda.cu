// Shapes with masses of 32 bits, costs and potentials of 64.
#include "emd/solve/lane_solver_kernels_cuda.cuh"

namespace fovea::emd::lane {

std::unique_ptr<Kernels> make_mixed_kernels(const LaneCosts& costs, const CellOrder& order,
                                            bool extra) {
  using Mass = std::int32_t;
  using Cost = std::int64_t;
  using Sum = std::int64_t;
  const int bins = bins_of(costs, extra);
  return costs.net ? make_shape<Mass, Cost, Sum, true, 8, 12, 17>(bins, costs, order, extra)
                   : make_shape<Mass, Cost, Sum, false, 8, 12, 16>(bins, costs, order, extra);
}

}  // namespace fovea::emd::lane
