// Shapes with masses, costs and potentials of 32 bits.
#include "emd/solve/lane_solver_kernels_cuda.cuh"

namespace fovea::emd::lane {

std::unique_ptr<Kernels> make_narrow_kernels(const LaneCosts& costs, const CellOrder& order,
                                             bool extra) {
  using Mass = std::int32_t;
  using Cost = std::int32_t;
  using Sum = std::int64_t;
  const int bins = bins_of(costs, extra);
  return costs.net
             ? make_shape<Mass, Cost, Sum, true, 4, 8, 11, 12, 17>(bins, costs, order, extra)
             : make_shape<Mass, Cost, Sum, false, 4, 8, 11, 12, 16>(bins, costs, order, extra);
}

}  // namespace fovea::emd::lane
