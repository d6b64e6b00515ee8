// Chooses the order in which lanes fill cells by trial. There are a few rules, by the cost of a
// cell and by the other costs of its row and column; each is run on the same random histograms with
// the lanes' own code on the host. A start that leaves fewer pivots saves more than any tuning of
// the pivots. The random numbers are seeded, so that a ground distance always gets the same order.
#include <fovea/core/random.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emd/solve/lane_solver_tables.h"

namespace fovea::emd::lane {
namespace {

__extension__ typedef __int128 Wide;
template <bool kNet>
using Trial = Shape<std::int64_t, std::int64_t, Wide, kNet ? 17 : 16, kNet>;

constexpr int kProblems = 160;
constexpr int kMass = 121;  // windows of 11 x 11 pixels, as in the paper

// How much the mean or greatest cost of a cell's row and column counts against its own cost:
// nothing, just enough to break ties, or all of the greatest (Russell 1969).
struct Rule {
  double mean;
  double greatest;
};
constexpr Rule kRules[] = {{0, 0}, {1e-6, 0}, {-1e-6, 0}, {0.25, 0}, {0.5, 0}, {1, 0}, {0, 1}};

std::vector<std::uint16_t> sorted_cells(const LaneCosts& costs, const Rule& rule) {
  std::vector<double> row(static_cast<std::size_t>(costs.rows)), row_greatest(row.size());
  std::vector<double> column(static_cast<std::size_t>(costs.columns)),
      column_greatest(column.size());
  const auto cost = [&](int i, int j) {
    return static_cast<double>(costs.units[static_cast<std::size_t>(i) * costs.columns + j]);
  };
  for (int i = 0; i < costs.rows; ++i) {
    for (int j = 0; j < costs.columns; ++j) {
      row[i] += cost(i, j) / costs.columns;
      column[j] += cost(i, j) / costs.rows;
      row_greatest[i] = std::max(row_greatest[i], cost(i, j));
      column_greatest[j] = std::max(column_greatest[j], cost(i, j));
    }
  }
  struct Cell {
    double order;
    std::uint16_t cell;
  };
  std::vector<Cell> cells;
  for (int i = 0; i < costs.rows; ++i)
    for (int j = costs.net ? i + 1 : 0; j < costs.columns; ++j)
      cells.push_back({cost(i, j) - rule.mean * (row[i] + column[j]) -
                           rule.greatest * (row_greatest[i] + column_greatest[j]),
                       static_cast<std::uint16_t>(i * 256 + j)});
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.order < b.order; });
  std::vector<std::uint16_t> sorted;
  sorted.reserve(cells.size());
  for (const Cell& cell : cells) sorted.push_back(cell.cell);
  return sorted;
}

// A random histogram, drawn uniformly from all histograms with this mass.
template <int kBins>
void draw(Random& random, int bins, std::int64_t (&masses)[kBins]) {
  double share[kBins], sum = 0;
  for (int k = 0; k < bins; ++k) sum += share[k] = -std::log(random.uniform() + 1e-9);
  double before = 0;
  std::int64_t given = 0;
  for (int k = 0; k < bins; ++k) {
    before += share[k];
    const auto until = k + 1 == bins ? kMass : std::llround(before / sum * kMass);
    masses[k] = until - given;
    given = until;
  }
}

template <bool kNet>
double mean_pivots(const LaneCosts& costs, const CellOrder& order) {
  using S = Trial<kNet>;
  const auto tables = make_tables<S>(costs, order, false);
  Random random(1234);
  int pivots = 0;
  constexpr int kRoom = S::kNodes + 3;  // columns end at whole words
  std::int64_t first[S::kBins] = {}, second[S::kBins] = {}, flow[kRoom], potential[kRoom];
  std::uint16_t step[kRoom];
  std::uint8_t parent[kRoom];
  std::uint32_t children[kRoom];
  using Whole = Column<std::int64_t, 1>;
  const Tree<Whole, Whole, Column<std::uint8_t, 1>, Column<std::uint32_t, 1>> tree{
      Whole(flow, 0), Whole(potential, 0), {parent, 0}, {children, 0}};
  const Column<std::uint16_t, 1> steps(step, 0);
  for (int problem = 0; problem < kProblems; ++problem) {
    draw(random, costs.rows, first);
    draw(random, costs.columns, second);
    const Sides sides = place_masses<S>(first, second, tree.flow);
    fill_cheapest(tables, tables, sides, tree.flow, steps);
    find_potentials(tables, sides, steps, tree.potential);
    hang_tree<S>(sides, steps, tree);
    for (int most = 64 * S::kBins; most > 0; --most, ++pivots) {
      const auto entering = find_entering<S, true>(tables, tables, sides, tree.potential);
      if (entering.gain >= 0) break;
      pivot(sides, entering, tree);
    }
  }
  return static_cast<double>(pivots) / kProblems;
}

}  // namespace

CellOrder find_order(const LaneCosts& costs) {
  CellOrder best;
  best.pivots = std::numeric_limits<double>::infinity();
  for (const Rule& rule : kRules) {
    CellOrder order{sorted_cells(costs, rule)};
    order.pivots = costs.net ? mean_pivots<true>(costs, order) : mean_pivots<false>(costs, order);
    if (order.pivots < best.pivots) best = order;
  }
  return best;
}

}  // namespace fovea::emd::lane
