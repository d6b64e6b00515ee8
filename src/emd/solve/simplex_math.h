// The transportation simplex over a spanning tree of rows and columns. It starts from the cheapest
// cells, taken greedily in an order sorted once a ground distance; that order of closing lines is
// the tree. Potentials are the proof: where no cell is cheaper than what its row and column are
// worth, the flow is optimal. Each line keeps the set of lines below it as bits, so that a pivot
// finds its cycle, cuts and re-hangs a branch by logic operations. No memory is allocated.
#pragma once
#include <cstdint>

#include "emd/solve/value_math.h"

namespace fovea::emd {

FOVEA_HD inline int lowest_bit(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

// A set of lines. Rows are 0, 1, ..., columns follow from 32 * kWords.
template <int kWords>
struct LineSet {
  std::uint64_t word[kWords];

  FOVEA_HD static LineSet none() { return {}; }
  FOVEA_HD static LineSet of(int line) {
    LineSet set{};
    set.word[line / 64] = std::uint64_t{1} << (line % 64);
    return set;
  }
  FOVEA_HD bool has(int line) const { return (word[line / 64] >> (line % 64) & 1) != 0; }
  FOVEA_HD void add(int line) { word[line / 64] |= std::uint64_t{1} << (line % 64); }
  FOVEA_HD void add(const LineSet& other) {
    for (int w = 0; w < kWords; ++w) word[w] |= other.word[w];
  }
  FOVEA_HD void take(const LineSet& other) {
    for (int w = 0; w < kWords; ++w) word[w] &= ~other.word[w];
  }
  template <class Each>
  FOVEA_HD void for_each(const Each& each) const {
    for (int w = 0; w < kWords; ++w)
      for (std::uint64_t rest = word[w]; rest != 0; rest &= rest - 1)
        each(64 * w + lowest_bit(rest));
  }
};

// What of a CostPlan the simplex reads. Row `rows` and column `columns` cost nothing.
template <class Cost>
struct CostTable {
  const Cost* costs;
  int rows, columns, stride;
  const std::uint16_t* order;
  const std::uint64_t* line_cells;
  int max_pivots;
};

// A cell that would make the flow cheaper, or row < 0.
struct Entering {
  int row = -1;
  int column = -1;
};

template <class CostT, class MassT, int kWordsT>
struct Basis {
  using Cost = CostT;
  using Mass = MassT;
  using Sum = std::conditional_t<sizeof(Mass) <= 4, std::int64_t, Wide>;
  using Set = LineSet<kWordsT>;
  static constexpr int kWords = kWordsT;
  static constexpr int kColumn0 = 32 * kWords;
  static constexpr int kLines = 2 * kColumn0;
  // Of columns that take no part: no cell of theirs is ever cheap.
  static constexpr Cost kNever = sizeof(Cost) == 2   ? Cost(-32767)
                                 : sizeof(Cost) == 4 ? Cost(-(std::int64_t{1} << 30))
                                                     : Cost(-(std::int64_t{1} << 61));

  Cost potential[kLines];  // of a cell in the tree, row's and column's add up to its cost
  Mass flow[kLines];       // between a line and its parent
  Set below[kLines];       // a line and all that hang from it
  std::uint8_t parent[kLines];
  std::uint8_t closed[kLines];  // lines in the order in which the start closed them, the root last
  int lines;                    // that take part
  Set active;
  Sum cost;
  int pivots;

  FOVEA_HD static bool is_row(int line) { return line < kColumn0; }
};

// The next open cell of the sorted order, found by its bit. For plans with line_cells.
template <int kCellWords>
class OpenCells {
 public:
  template <class Cost, class Set>
  FOVEA_HD OpenCells(const CostTable<Cost>& table, const Set& active, int column0)
      : order_(table.order), cells_(table.line_cells), rows_(table.rows) {
    std::uint64_t rows[kCellWords] = {}, columns[kCellWords] = {};
    active.for_each([&](int line) {
      if (line == table.rows || line == column0 + table.columns) return;
      const bool row = line < column0;
      const std::uint64_t* bits = cells_ + (row ? line : rows_ + line - column0) * kCellWords;
      for (int w = 0; w < kCellWords; ++w) (row ? rows : columns)[w] |= bits[w];
    });
    for (int w = 0; w < kCellWords; ++w) open_[w] = rows[w] & columns[w];
  }
  // row * 256 + column, or -1.
  FOVEA_HD int next() {
    for (; word_ < kCellWords; ++word_)
      if (open_[word_] != 0) return order_[64 * word_ + lowest_bit(open_[word_])];
    return -1;
  }
  FOVEA_HD void close_row(int row) { close(row); }
  FOVEA_HD void close_column(int column) { close(rows_ + column); }

 private:
  FOVEA_HD void close(int line) {
    for (int w = 0; w < kCellWords; ++w) open_[w] &= ~cells_[line * kCellWords + w];
  }
  const std::uint16_t* order_;
  const std::uint64_t* cells_;
  int rows_;
  int word_ = 0;
  std::uint64_t open_[kCellWords];
};

// The same by looking at one cell after the other.
template <class Set>
class ScannedCells {
 public:
  template <class Cost>
  FOVEA_HD ScannedCells(const CostTable<Cost>& table, const Set& active, int column0)
      : order_(table.order), count_(table.rows * table.columns), column0_(column0), open_(active) {}
  FOVEA_HD int next() {
    for (; at_ < count_; ++at_)
      if (open_.has(order_[at_] / 256) && open_.has(column0_ + order_[at_] % 256))
        return order_[at_];
    return -1;
  }
  FOVEA_HD void close_row(int row) { open_.take(Set::of(row)); }
  FOVEA_HD void close_column(int column) { open_.take(Set::of(column0_ + column)); }

 private:
  const std::uint16_t* order_;
  int count_, column0_, at_ = 0;
  Set open_;
};

// Fills the basis greedily. `first` and `second` are used up; where they do not weigh the same, the
// lighter has the difference at its end, behind the last bin. Lines without mass take no part.
template <class B, class Cells>
FOVEA_HD void greedy_start(B& basis, const CostTable<typename B::Cost>& table,
                           typename B::Mass* first, typename B::Mass* second, Cells cells) {
  using Mass = typename B::Mass;
  constexpr int kColumn0 = B::kColumn0;
  int open_rows = 0, open_columns = 0, closed = 0;
  basis.active.for_each([&](int line) {
    basis.below[line] = B::Set::of(line);
    ++(B::is_row(line) ? open_rows : open_columns);
  });
  basis.lines = open_rows + open_columns;
  basis.cost = 0;
  basis.pivots = 0;
  const auto hang = [&](int child, int from, Mass flow) {
    basis.parent[child] = static_cast<std::uint8_t>(from);
    basis.flow[child] = flow;
    basis.below[from].add(basis.below[child]);
    basis.closed[closed++] = static_cast<std::uint8_t>(child);
  };
  // Closes the row where it is used up and not the last of several columns' only row.
  const auto allot = [&](int i, int j) {
    const bool row =
        first[i] == second[j] ? open_rows > 1 || open_columns == 1 : first[i] < second[j];
    const Mass flow = row ? first[i] : second[j];
    first[i] -= flow;
    second[j] -= flow;
    if (row) hang(i, kColumn0 + j, flow);
    else hang(kColumn0 + j, i, flow);
    --(row ? open_rows : open_columns);
    return row;
  };
  for (int cell = cells.next(); cell >= 0 && open_rows > 0; cell = cells.next()) {
    const int i = cell / 256, j = cell % 256;
    basis.cost += static_cast<typename B::Sum>(first[i] < second[j] ? first[i] : second[j]) *
                  table.costs[i * table.stride + j];
    if (allot(i, j)) cells.close_row(i);
    else cells.close_column(j);
  }
  // What is left goes to or comes from the line behind the last. A line is in `closed` but not
  // hanging where it is still open, so that those are found by what hung.
  typename B::Set open = basis.active;
  for (int k = 0; k < closed; ++k) open.take(B::Set::of(basis.closed[k]));
  const bool spare_row = basis.active.has(table.rows);
  const bool spare_column = basis.active.has(kColumn0 + table.columns);
  if (spare_row || spare_column) {
    const int spare = spare_row ? table.rows : kColumn0 + table.columns;
    open.take(B::Set::of(spare));
    open.for_each([&](int line) {
      if (B::is_row(line) == spare_row) return;
      hang(line, spare, spare_row ? second[line - kColumn0] : first[line]);
    });
    basis.closed[closed++] = static_cast<std::uint8_t>(spare);
  } else {
    open.for_each([&](int line) { basis.closed[closed++] = static_cast<std::uint8_t>(line); });
  }
  basis.potential[basis.closed[closed - 1]] = 0;
  for (int k = closed - 2; k >= 0; --k) {
    const int line = basis.closed[k], parent = basis.parent[line];
    const int i = B::is_row(line) ? line : parent, j = (B::is_row(line) ? parent : line) - kColumn0;
    basis.potential[line] =
        static_cast<typename B::Cost>(table.costs[i * table.stride + j] - basis.potential[parent]);
  }
}

// What a cell costs beyond what its row and column are worth.
template <class B>
FOVEA_HD inline std::int64_t reduced_cost(const B& basis, const CostTable<typename B::Cost>& table,
                                          int i, int j) {
  return std::int64_t{table.costs[i * table.stride + j]} - basis.potential[i] -
         basis.potential[B::kColumn0 + j];
}

// The first cell below 0 (Bland, 1977: with the like rule for what leaves no basis comes back), or
// the least.
template <class B>
FOVEA_HD Entering price(const B& basis, const CostTable<typename B::Cost>& table, bool first) {
  Entering best;
  std::int64_t least = 0;
  for (int i = 0; i <= table.rows; ++i) {
    if (!basis.active.has(i)) continue;
    for (int j = 0; j <= table.columns; ++j) {
      if (!basis.active.has(B::kColumn0 + j)) continue;
      const std::int64_t reduced = reduced_cost(basis, table, i, j);
      if (reduced >= least) continue;
      least = reduced;
      best = {i, j};
      if (first) return best;
    }
  }
  return best;
}

// Takes a cell into the tree and one out of it. Returns how much mass went round the cycle. With
// `by_index` the least numbered of several cells that could leave does.
template <class B>
FOVEA_HD typename B::Mass pivot(B& basis, const CostTable<typename B::Cost>& table, Entering cell,
                                bool by_index) {
  using Mass = typename B::Mass;
  using Set = typename B::Set;
  const int row = cell.row, column = B::kColumn0 + cell.column;
  const auto gain = static_cast<typename B::Cost>(reduced_cost(basis, table, row, cell.column));
  // Mass is taken from every other cell of both branches of the cycle, from the first.
  int leaving = -1;
  bool column_side = true;
  Mass least = 0;
  const auto number = [&](int line) {
    const int other = basis.parent[line];
    return B::is_row(line) ? line * 256 + other : other * 256 + line;
  };
  const auto consider = [&](int line, bool side) {
    const Mass flow = basis.flow[line];
    if (leaving >= 0 &&
        (flow > least || (flow == least && !(by_index && number(line) < number(leaving)))))
      return;
    least = flow;
    leaving = line;
    column_side = side;
  };
  int join = column;
  for (bool falls = true; !basis.below[join].has(row); join = basis.parent[join], falls = !falls)
    if (falls) consider(join, true);
  bool falls = true;
  for (int line = row; line != join; line = basis.parent[line], falls = !falls)
    if (falls) consider(line, false);
  if (least > 0) {
    for (const int start : {column, row}) {
      falls = true;
      for (int line = start; line != join; line = basis.parent[line], falls = !falls)
        basis.flow[line] += falls ? -least : least;
    }
    basis.cost += static_cast<typename B::Sum>(least) * gain;
  }

  const Set branch = basis.below[leaving];
  const int hung = column_side ? column : row, holds = column_side ? row : column;
  for (int line = basis.parent[leaving]; line != join; line = basis.parent[line])
    basis.below[line].take(branch);
  for (int line = holds; line != join; line = basis.parent[line]) basis.below[line].add(branch);
  int above = holds;
  Mass flow = least;
  Set cut = Set::none();
  for (int line = hung;;) {
    const int next = basis.parent[line];
    const Mass next_flow = basis.flow[line];
    const Set next_cut = basis.below[line];
    basis.parent[line] = static_cast<std::uint8_t>(above);
    basis.flow[line] = flow;
    basis.below[line] = branch;
    basis.below[line].take(cut);
    if (line == leaving) break;
    above = line;
    flow = next_flow;
    cut = next_cut;
    line = next;
  }
  const typename B::Cost rows_by = column_side ? -gain : gain;
  branch.for_each([&](int line) {
    basis.potential[line] = static_cast<typename B::Cost>(basis.potential[line] +
                                                          (B::is_row(line) ? rows_by : -rows_by));
  });
  return least;
}

// Pivots until the flow is proved optimal. `pricing(basis)` returns the cell to enter. After as
// many pivots in a row without gain as there are lines, Bland's rule goes on until one gains.
template <class B, class Pricing>
FOVEA_HD Status improve(B& basis, const CostTable<typename B::Cost>& table,
                        const Pricing& pricing) {
  int idle = 0;
  for (;;) {
    const bool bland = idle > basis.lines;
    const Entering cell = bland ? price(basis, table, true) : pricing(basis);
    if (cell.row < 0) return Status::kOptimal;
    if (basis.pivots >= table.max_pivots) return Status::kPivotLimit;
    ++basis.pivots;
    idle = pivot(basis, table, cell, bland) > 0 ? 0 : idle + 1;
  }
}

}  // namespace fovea::emd
