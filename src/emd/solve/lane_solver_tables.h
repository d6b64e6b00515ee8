// The tables of a ground distance for lanes, and the order in which their start fills cells.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "emd/solve/lane_solver_math.h"

namespace fovea::emd::lane {

// A ground distance in the form that the tables are made from.
struct LaneCosts {
  int rows = 0;
  int columns = 0;
  std::span<const std::int64_t> units{};  // rows * columns, row by row
  bool net =
      false;  // the ground distance is a metric, so that mass in equal bins is cancelled first
};

// Cells as row * 256 + column; net problems have only those with row < column.
struct CellOrder {
  std::vector<std::uint16_t> cells{};
  double pivots = 0;  // mean number of pivots that the simplex then took
};
// Every order leads to the least cost; of the orders that several rules give, this returns the one
// with the fewest pivots on random histograms. Takes milliseconds. There may be at most 16 bins per
// side.
CellOrder find_order(const LaneCosts& costs);

// With `extra` there is one more bin, which takes the surplus of one side and costs nothing. Its
// cells come last, because otherwise it would take mass that the other bins need.
template <class S>
Tables<S> make_tables(const LaneCosts& costs, const CellOrder& order, bool extra) {
  Tables<S> tables{};
  for (int i = 0; i < costs.rows; ++i)
    for (int j = 0; j < costs.columns; ++j)
      tables.cost[i][j] = static_cast<typename S::Cost>(
          costs.units[static_cast<std::size_t>(i) * costs.columns + j]);
  int at = 0;
  const auto append = [&](int row, int column) {
    const int other = S::kNet ? column : S::kBins + column;
    tables.cell[at] = static_cast<std::uint16_t>(row | other << 8);
    for (const int node : {row, other}) tables.touch[node][at / 32] |= 0x80000000U >> at % 32;
    ++at;
  };
  for (const std::uint16_t cell : order.cells) append(cell / 256, cell % 256);
  if (extra) {
    for (int i = 0; i < costs.rows; ++i) append(i, costs.columns);
    if (!S::kNet)
      for (int j = 0; j < costs.columns; ++j) append(costs.rows, j);
  }
  return tables;
}

}  // namespace fovea::emd::lane
