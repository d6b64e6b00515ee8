// A ground distance as solvers read it: costs in the narrowest whole numbers that hold every
// potential, with a row and a column behind the last that cost nothing, for mass left over, and its
// cells in rising order of cost. Made once a ground distance.
#pragma once
#include <fovea/emd/solver.h>

#include <cstdint>
#include <vector>

#include "emd/solve/value_math.h"

namespace fovea::emd {

// Bits that the potentials of any basis need, with their signs.
enum class CostWidth : unsigned char { k16, k32, k64 };

struct CostPlan {
  CostPlan() = default;
  CostPlan(const GroundDistance& ground, const SolverOptions& options);

  int rows = 0;
  int columns = 0;
  int stride = 0;                          // of a table's row: columns + 1, up to a multiple of 16
  GroundForm form = GroundForm::kGeneral;  // kGeneral with SolverKind::kSimplex
  bool metric = false;                     // mass in equal bins is cancelled first
  SimplexStart start = SimplexStart::kGreedy;
  // What the auxiliary sink costs (SimplexStart::kAuxiliary), more than any path; else 0. Tables
  // have it, instead of 0, in the column behind the last.
  std::int64_t auxiliary = 0;
  int max_pivots = 0;
  ValueRule rule{};
  CostWidth width = CostWidth::k64;
  // Totals up to here are solved in masses of 32 bits and costs summed in 64.
  std::int64_t narrow_total = 0;

  // (rows + 1) * stride costs; those of widths that are too narrow are empty.
  std::vector<std::int16_t> costs16{};
  std::vector<std::int32_t> costs32{};
  std::vector<std::int64_t> costs64{};
  // rows * columns cells, row * 256 + column, by cost, then by distance from the diagonal.
  std::vector<std::uint16_t> order{};
  // Of each row, then of each column, where in `order` its cells are: a bit a cell, cell_words
  // words a line. Empty where there are more than 256 cells.
  std::vector<std::uint64_t> line_cells{};
  int cell_words = 0;
  // Lengths between neighbors (kLine), in units; one step's cost (kCircle), the constant
  // (kDiscrete).
  std::vector<std::int64_t> gaps{};
  std::int64_t step = 0;
};

}  // namespace fovea::emd
