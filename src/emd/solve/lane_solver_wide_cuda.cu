// Shapes with masses, costs and potentials of 64 bits: every type of mass and every policy.
#include "emd/solve/lane_solver_kernels_cuda.cuh"

namespace fovea::emd::lane {

std::unique_ptr<Kernels> make_wide_kernels(const LaneCosts& costs, const CellOrder& order,
                                           bool extra) {
  using Mass = std::int64_t;
  using Cost = std::int64_t;
  const int bins = bins_of(costs, extra);
  return costs.net ? make_shape<Mass, Cost, Wide, true, 8, 17>(bins, costs, order, extra)
                   : make_shape<Mass, Cost, Wide, false, 8, 16>(bins, costs, order, extra);
}

bool fits(const LaneCosts& costs, bool extra) {
  const int bins = bins_of(costs, extra);
  return bins <= (costs.net ? 17 : 16) && std::max(costs.rows, costs.columns) <= 16;
}

std::unique_ptr<Kernels> make_kernels(Width width, const LaneCosts& costs, const CellOrder& order,
                                      bool extra) {
  if (width == Width::kNarrow) return make_narrow_kernels(costs, order, extra);
  if (width == Width::kMixed) return make_mixed_kernels(costs, order, extra);
  return make_wide_kernels(costs, order, extra);
}

}  // namespace fovea::emd::lane
