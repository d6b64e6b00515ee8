// What every flow must be, whichever of the cheapest a solver found.
#pragma once
#include <fovea/emd/solver.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace fovea::emd {

// Of a problem with mass on both sides that was solved: it moves all it can and no more than there
// is, in the caller's masses or in shares of 1, and costs the distance.
template <class Mass>
void expect_flow(const GroundDistance& ground, const SolverOptions& options, const Mass* first,
                 const Mass* second, const double* flow, double distance) {
  const int rows = ground.rows(), columns = ground.columns();
  std::vector<double> from(first, first + rows), to(second, second + columns);
  double first_total = std::accumulate(from.begin(), from.end(), 0.0);
  double second_total = std::accumulate(to.begin(), to.end(), 0.0);
  // Masses are rounded to multiples of 2^-51 of the lighter total, or of their own.
  double slack = 1e-12 * std::min(first_total, second_total);
  if (options.mass == MassPolicy::kNormalize) {
    slack = 1e-12;
    for (double& mass : from) mass /= first_total;
    for (double& mass : to) mass /= second_total;
    first_total = second_total = 1;
  }
  double cost = 0, moved = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const double mass = flow[i * columns + j];
      ASSERT_GE(mass, 0);
      from[static_cast<std::size_t>(i)] -= mass;
      to[static_cast<std::size_t>(j)] -= mass;
      moved += mass;
      cost += mass * ground.cost(i, j);
    }
  }
  for (const double left : from) ASSERT_GE(left, -slack);
  for (const double left : to) ASSERT_GE(left, -slack);
  ASSERT_NEAR(moved, std::min(first_total, second_total), slack);
  const double penalty = options.penalty.value_or(ground.greatest());
  if (options.mass == MassPolicy::kPenalty) cost += penalty * std::abs(first_total - second_total);
  else cost /= moved;
  if (std::isinf(distance)) ASSERT_GE(cost, 1.79e308);  // the greatest double, rounded up
  else ASSERT_NEAR(cost, distance, 1e-9 * (1 + distance));
}

}  // namespace fovea::emd
