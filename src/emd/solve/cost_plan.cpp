// Costs are copied into tables of the narrowest type that every sum of them along a tree's path
// fits, since pricing takes as many cells at once as a vector holds. Cells are sorted here, once,
// so that the greedy start of a problem only walks over them; up to 256 cells are bits, by row and
// column, and a closed line leaves them in one operation. Costs O(cells log cells).
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

// Potentials alternate along a path of the tree, so that half of its costs and once the auxiliary
// one bound them; pricing adds two of them to a cost.
CostWidth width_of(std::int64_t greatest, int lines, std::int64_t auxiliary) {
  const std::int64_t bound = greatest * (lines + 2) + 4 * auxiliary;
  if (bound <= 30000) return CostWidth::k16;
  return bound < (std::int64_t{1} << 29) ? CostWidth::k32 : CostWidth::k64;
}

// Of a cell in rows of `stride`.
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
  if (words <= kMostCellWords && std::max(rows, columns) < 64) {  // a word holds a side's lines
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
