// The transportation simplex for any number of bins. Rows and columns ("lines") are nodes of a
// spanning tree with links to parents, children and siblings, so that memory and the work of a
// pivot grow with the lines that a pivot moves. The start gives each row in turn its cheapest open
// column, by costs minus the least cost of that column. Pricing takes the best cell of the next row
// that has one.
//
// No basis is ever degenerate, so that each pivot gains and none comes back: with m rows, masses
// are multiplied by m + 1, each row gets one unit more and the last column m of them. Then no rows
// and columns but all together balance. The tree that is optimal for these masses is optimal for
// those without the units; their flows follow from it, and are not negative.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "emd/solve/network_pricing.h"
#include "emd/solve/value_math.h"

namespace fovea::emd {

// Lines with mass, their costs, and what one side has more than the other.
struct NetworkProblem {
  std::span<const std::int64_t> first{}, second{};
  const std::int64_t* costs = nullptr;
  std::ptrdiff_t stride = 0;
  Wide surplus = 0;  // where it is above 0, first has more; it goes to a column that costs nothing
};

// The masses of a problem with the units above fit into Flow.
template <class Flow>
class NetworkSimplex {
 public:
  // Returns whether the flow is optimal; else max_pivots were not enough.
  bool solve(const NetworkProblem& problem, int max_pivots, const Exec& exec) {
    load(problem);
    start();
    for (int row = 0; price(row);) {
      if (pivots_ >= max_pivots) return finish(false);
      if (++pivots_ % kPivotsPerCheck == 0) throw_if_stopped(exec);
      pivot();
    }
    return finish(true);
  }

  int pivots() const { return pivots_; }
  // Those of a row and a column add up to the cost of a cell of the tree, and to no more than that
  // of any other.
  std::int64_t row_potential(int i) const { return potential_[index(i)] - base_; }
  std::int64_t column_potential(int j) const { return potential_[index(rows_ + j)] + base_; }

  // Calls each(i, j, mass) for the cells of the flow, but not for the surplus.
  template <class Each>
  void for_each_flow(const Each& each) const {
    for (int line = 0; line < lines_; ++line) {
      const int parent = nodes_[index(line)].parent;
      if (parent < 0) continue;
      const int i = line < rows_ ? line : parent, j = (line < rows_ ? parent : line) - rows_;
      if (i < real_rows_ && j < real_columns_) each(i, j, true_flow_[index(line)]);
    }
  }

 private:
  static constexpr int kPivotsPerCheck = 256;
  static constexpr int kNone = -1;
  // What a closed column is worth: none of its cells is ever the cheapest.
  static constexpr std::int64_t kClosed = -(std::int64_t{1} << 61);

  struct Node {
    int parent, child, next, previous;  // the first child, and the siblings
    int depth;
  };
  static std::size_t index(int at) { return static_cast<std::size_t>(at); }

  void load(const NetworkProblem& problem) {
    problem_ = problem;
    real_rows_ = static_cast<int>(problem.first.size());
    real_columns_ = static_cast<int>(problem.second.size());
    rows_ = real_rows_ + (problem.surplus < 0 ? 1 : 0);
    columns_ = real_columns_ + (problem.surplus > 0 ? 1 : 0);
    lines_ = rows_ + columns_;
    pivots_ = next_row_ = 0;
    nodes_.assign(index(lines_), {kNone, kNone, kNone, kNone, 0});
    potential_.assign(index(lines_), 0);
    flow_.assign(index(lines_), 0);
    free_row_.assign(index(columns_), 0);
    masses_.resize(index(lines_));
    for (int i = 0; i < real_rows_; ++i) masses_[index(i)] = problem.first[index(i)];
    for (int j = 0; j < real_columns_; ++j) masses_[index(rows_ + j)] = problem.second[index(j)];
    if (problem.surplus < 0) masses_[index(rows_ - 1)] = -problem.surplus;
    if (problem.surplus > 0) masses_[index(lines_ - 1)] = problem.surplus;
  }

  const std::int64_t* costs_of(int row) const {
    return row < real_rows_ ? problem_.costs + row * problem_.stride : free_row_.data();
  }
  std::int64_t cost(int row, int column) const {
    return column < real_columns_ ? costs_of(row)[column] : 0;
  }
  // The column whose cost minus worth is least and below `bound`, or kNone. The column of the
  // surplus is looked at last.
  NetworkCell cheapest(int row, const std::int64_t* worth, std::int64_t bound) const {
    NetworkCell best = least_difference(costs_of(row), worth, real_columns_, bound);
    if (columns_ > real_columns_ && -worth[real_columns_] < best.difference)
      best = {-worth[real_columns_], real_columns_};
    return best;
  }

  void hang(int line, int parent) {
    Node& node = nodes_[index(line)];
    Node& above = nodes_[index(parent)];
    node.parent = parent;
    node.previous = kNone;
    node.next = above.child;
    if (above.child != kNone) nodes_[index(above.child)].previous = line;
    above.child = line;
  }
  void take_off(int line) {
    const Node& node = nodes_[index(line)];
    if (node.previous != kNone) nodes_[index(node.previous)].next = node.next;
    else nodes_[index(node.parent)].child = node.next;
    if (node.next != kNone) nodes_[index(node.next)].previous = node.previous;
  }
  // Calls each(line) for a line and all below it, parents first.
  template <class Each>
  void for_each_below(int top, const Each& each) const {
    for (int line = top;;) {
      each(line);
      if (const int child = nodes_[index(line)].child; child != kNone) {
        line = child;
        continue;
      }
      while (line != top && nodes_[index(line)].next == kNone) line = nodes_[index(line)].parent;
      if (line == top) return;
      line = nodes_[index(line)].next;
    }
  }

  // Each line hangs from the line that was open when it was used up, so that the last is the root.
  void start() {
    std::vector<Flow> left(masses_.size());
    const Flow factor = rows_ + 1;
    for (int line = 0; line < lines_; ++line)
      left[index(line)] = static_cast<Flow>(masses_[index(line)]) * factor + (line < rows_ ? 1 : 0);
    left[index(lines_ - 1)] += rows_;
    std::vector<std::int64_t> worth(index(columns_), 0);
    least_of_columns(problem_.costs, problem_.stride, real_rows_, real_columns_, worth.data());

    std::vector<int> open(index(real_rows_));
    std::iota(open.begin(), open.end(), 0);
    const bool surplus_row = rows_ > real_rows_, surplus_column = columns_ > real_columns_;
    int open_columns = real_columns_;
    const auto ship = [&](int row, int column) {  // returns whether the row is used up
      Flow &out = left[index(row)], &in = left[index(rows_ + column)];
      const bool closes_row = out <= in;
      const Flow mass = closes_row ? out : in;
      const int line = closes_row ? row : rows_ + column, to = closes_row ? rows_ + column : row;
      out -= mass;
      in -= mass;
      flow_[index(line)] = mass;
      hang(line, to);
      root_ = to;
      if (!closes_row && column < real_columns_) {
        worth[index(column)] = kClosed;
        --open_columns;
      }
      return closes_row;
    };
    // The surplus takes what is left over.
    while (!open.empty() && open_columns > 0) {
      std::size_t kept = 0;
      for (const int row : open) {
        if (open_columns == 0) {
          open[kept++] = row;
          continue;
        }
        const NetworkCell cell =
            least_difference(costs_of(row), worth.data(), real_columns_, -kClosed / 2);
        if (!ship(row, cell.column)) open[kept++] = row;
      }
      open.resize(kept);
    }
    if (surplus_column)
      for (const int row : open) ship(row, real_columns_);
    if (surplus_row)
      for (int j = 0; j < real_columns_; ++j)
        if (worth[index(j)] != kClosed) ship(real_rows_, j);
    for_each_below(root_, [&](int line) { place(line); });
  }

  // Sets depth and potential of a line by those of its parent.
  void place(int line) {
    const int parent = nodes_[index(line)].parent;
    if (parent == kNone) return;
    nodes_[index(line)].depth = nodes_[index(parent)].depth + 1;
    const int row = line < rows_ ? line : parent, column = (line < rows_ ? parent : line) - rows_;
    potential_[index(line)] = cost(row, column) - potential_[index(parent)];
  }

  // Finds the cell that enters, in the next row that has one.
  bool price(int& row) {
    for (int tried = 0; tried < rows_; ++tried) {
      row = next_row_;
      if (++next_row_ == rows_) next_row_ = 0;
      const NetworkCell cell = cheapest(row, potential_.data() + rows_, potential_[index(row)]);
      if (cell.column == kNone) continue;
      entering_row_ = row;
      entering_column_ = rows_ + cell.column;
      gain_ = cell.difference - potential_[index(row)];
      return true;
    }
    return false;
  }

  void pivot() {
    // Mass is taken from every second arc of both branches of the cycle, beginning with the first.
    int leaving = kNone;
    bool column_side = true;
    Flow least = 0;
    const auto consider = [&](int line, bool side) {
      if (leaving != kNone && flow_[index(line)] >= least) return;
      least = flow_[index(line)];
      leaving = line;
      column_side = side;
    };
    int up = entering_row_, down = entering_column_;
    for (bool row_falls = true, column_falls = true; up != down;) {
      if (nodes_[index(up)].depth > nodes_[index(down)].depth) {
        if (row_falls) consider(up, false);
        row_falls = !row_falls;
        up = nodes_[index(up)].parent;
      } else {
        if (column_falls) consider(down, true);
        column_falls = !column_falls;
        down = nodes_[index(down)].parent;
      }
    }
    const int join = up;
    for (const int from : {entering_row_, entering_column_}) {
      bool falls = true;
      for (int line = from; line != join; line = nodes_[index(line)].parent, falls = !falls)
        flow_[index(line)] += falls ? -least : least;
    }

    const int hung = column_side ? entering_column_ : entering_row_;
    int above = column_side ? entering_row_ : entering_column_;
    Flow mass = least;
    for (int line = hung;;) {
      const int next = nodes_[index(line)].parent;
      std::swap(flow_[index(line)], mass);
      take_off(line);
      hang(line, above);
      if (line == leaving) break;
      above = line;
      line = next;
    }
    const std::int64_t rows_by = column_side ? -gain_ : gain_;
    for_each_below(hung, [&](int line) {
      Node& node = nodes_[index(line)];
      node.depth = nodes_[index(node.parent)].depth + 1;
      potential_[index(line)] += line < rows_ ? rows_by : -rows_by;
    });
  }

  // The flows of the masses themselves, from the leaves to the root.
  bool finish(bool optimal) {
    std::vector<int> order;
    for_each_below(root_, [&](int line) { order.push_back(line); });
    true_flow_ = masses_;
    for (auto line = order.rbegin(); line + 1 != order.rend(); ++line)
      true_flow_[index(nodes_[index(*line)].parent)] -= true_flow_[index(*line)];
    // The surplus costs nothing, which settles what its line is worth.
    base_ = 0;
    if (rows_ > real_rows_) base_ = potential_[index(rows_ - 1)];
    if (columns_ > real_columns_) base_ = -potential_[index(lines_ - 1)];
    return optimal;
  }

  NetworkProblem problem_{};
  int real_rows_ = 0, real_columns_ = 0;  // without the line of the surplus
  int rows_ = 0, columns_ = 0, lines_ = 0, root_ = 0;
  int pivots_ = 0, next_row_ = 0;
  int entering_row_ = 0, entering_column_ = 0;
  std::int64_t gain_ = 0, base_ = 0;
  std::vector<Node> nodes_{};
  std::vector<std::int64_t> potential_{};  // of rows, then of columns
  std::vector<Flow> flow_{};               // between a line and its parent
  std::vector<Wide> masses_{}, true_flow_{};
  std::vector<std::int64_t> free_row_{};  // the costs of a row that only has the surplus
};

}  // namespace fovea::emd
