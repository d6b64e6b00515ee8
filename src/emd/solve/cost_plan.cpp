// Costs are copied into tables of the narrowest type in which every sum of costs along a path of
// the tree fits, because pricing handles as many cells at once as fit into a vector. Cells are
// sorted here, once, so that the greedy start of a problem only walks over them. Up to 256 cells
// are also kept as bits for each row and column, so that closing a line removes its cells in one
// operation. Takes O(cells log cells).
#include "emd/solve/cost_plan.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace fovea::emd {
namespace {

constexpr int kStrideMultiple = 16;
constexpr int kMostCellWords = 4;
constexpr int kPivotsPerBin = 64;
// Even the sum of 16 totals has 32 bits.
constexpr std::int64_t kMostCountTotal = (std::int64_t{1} << 27) - 1;

// The signs of costs alternate along a path of the tree, so that half of its costs and one
// auxiliary cost bound every potential; pricing adds two potentials to a cost.
CostWidth width_of(std::int64_t greatest, int lines, std::int64_t auxiliary) {
  const std::int64_t bound = greatest * (lines + 2) + 4 * auxiliary;
  if (bound <= 30000) return CostWidth::k16;
  return bound < (std::int64_t{1} << 29) ? CostWidth::k32 : CostWidth::k64;
}

// Returns the index of a cell in a table with rows of `stride` elements.
std::size_t place(int row, int stride, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(stride) +
         static_cast<std::size_t>(column);
}

template <class Cost>
std::vector<Cost> table_of(const GroundDistance& ground, int stride, std::int64_t auxiliary) {
  const int rows = ground.rows(), columns = ground.columns();
  std::vector<Cost> table(static_cast<std::size_t>(rows + 1) * static_cast<std::size_t>(stride));
  for (int i = 0; i < rows; ++i) {
    table[place(i, stride, columns)] = static_cast<Cost>(auxiliary);
    for (int j = 0; j < columns; ++j)
      table[place(i, stride, j)] = static_cast<Cost>(ground.units()[place(i, columns, j)]);
  }
  return table;
}

}  // namespace

CostPlan::CostPlan(const GroundDistance& ground, const SolverOptions& options)
    : rows(ground.rows()),
      columns(ground.columns()),
      stride((columns + kStrideMultiple) / kStrideMultiple * kStrideMultiple),
      form(options.solver == SolverKind::kSimplex ? GroundForm::kGeneral : ground.form()),
      metric(ground.metric()),
      start(options.start),
      max_pivots(options.max_pivots > 0 ? options.max_pivots : kPivotsPerBin * (rows + columns)),
      rule{options.mass, ground.unit(), options.penalty.value_or(ground.greatest()),
           ground.greatest()} {
  const auto units = ground.units();
  const std::int64_t greatest = *std::max_element(units.begin(), units.end());
  if (start == SimplexStart::kAuxiliary) auxiliary = greatest * (rows + columns) + 1;
  width = width_of(greatest, rows + columns, auxiliary);
  narrow_total = std::min<std::int64_t>(
      std::numeric_limits<std::int32_t>::max(),
      (std::int64_t{1} << 62) / std::max(std::max<std::int64_t>(1, greatest), auxiliary));
  count_total = static_cast<std::int32_t>(std::min<std::int64_t>(
      kMostCountTotal, (std::int64_t{1} << 62) / std::max<std::int64_t>(1, greatest)));
  if (width == CostWidth::k16) costs16 = table_of<std::int16_t>(ground, stride, auxiliary);
  if (width <= CostWidth::k32) costs32 = table_of<std::int32_t>(ground, stride, auxiliary);
  costs64 = table_of<std::int64_t>(ground, stride, auxiliary);

  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) order.push_back(static_cast<std::uint16_t>(i * 256 + j));
  std::stable_sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
    const auto key = [&](int cell) {
      const int i = cell / 256, j = cell % 256;
      return std::tuple(units[place(i, columns, j)], std::abs(i - j));
    };
    return key(a) < key(b);
  });
  const int words = (rows * columns + 63) / 64;
  if (words <= kMostCellWords &&
      std::max(rows, columns) < 64) {  // one word holds the lines of a side
    cell_words = words <= 2 ? 2 : kMostCellWords;
    line_cells.resize(place(rows + columns, cell_words, 0));
    for (std::size_t k = 0; k < order.size(); ++k)
      for (const int line : {order[k] / 256, rows + order[k] % 256})
        line_cells[place(line, cell_words, static_cast<int>(k / 64))] |= std::uint64_t{1}
                                                                         << (k % 64);
  }
  if (ground.form() == GroundForm::kLine)
    for (std::size_t k = 1; k < ground.positions().size(); ++k)
      gaps.push_back(ground.positions()[k] - ground.positions()[k - 1]);
  step = columns > 1 ? units[1] : 0;
}

}  // namespace fovea::emd
