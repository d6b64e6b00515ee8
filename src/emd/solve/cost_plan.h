// A ground distance in the form that solvers read: costs in the narrowest whole numbers that hold
// every potential, followed by a row and a column that cost nothing and take surplus mass, and the
// cells in ascending order of cost. It is made once per ground distance.
#pragma once
#include <fovea/emd/solver.h>

#include <cstdint>
#include <vector>

#include "emd/solve/value_math.h"

namespace fovea::emd {

// The number of bits, including the sign, that the potentials of any basis need.
enum class CostWidth : unsigned char { k16, k32, k64 };

struct CostPlan {
  CostPlan() = default;
  CostPlan(const GroundDistance& ground, const SolverOptions& options);

  int rows = 0;
  int columns = 0;
  int stride = 0;  // elements per row of a table: columns + 1, rounded up to a multiple of 16
  GroundForm form = GroundForm::kGeneral;  // kGeneral with SolverKind::kSimplex
  bool metric = false;                     // mass in equal bins is cancelled first
  SimplexStart start = SimplexStart::kGreedy;
  // The cost of the auxiliary sink (SimplexStart::kAuxiliary), which is more than that of any path;
  // otherwise 0. Tables have it, instead of 0, in the column behind the last.
  std::int64_t auxiliary = 0;
  int max_pivots = 0;
  ValueRule rule{};
  CostWidth width = CostWidth::k64;
  // Totals up to this one are solved with masses of 32 bits and sums of costs of 64 bits.
  std::int64_t narrow_total = 0;
  // Whole masses with totals up to this one are counts to the kernels of a GPU, whose masses have
  // 32 bits. It decides on every device which tableau takes a problem.
  std::int32_t count_total = 0;

  // (rows + 1) * stride costs; tables of types that are too narrow are empty.
  std::vector<std::int16_t> costs16{};
  std::vector<std::int32_t> costs32{};
  std::vector<std::int64_t> costs64{};
  // rows * columns cells as row * 256 + column, sorted by cost and then by distance from the
  // diagonal.
  std::vector<std::uint16_t> order{};
  // For each row, then for each column: the positions of its cells in `order`, with one bit per
  // cell and cell_words words per line. Empty if there are more than 256 cells.
  std::vector<std::uint64_t> line_cells{};
  int cell_words = 0;
  // In units: the lengths between neighbors (kLine), the cost of one step (kCircle), or the
  // constant (kDiscrete).
  std::vector<std::int64_t> gaps{};
  std::int64_t step = 0;
};

}  // namespace fovea::emd
