// The transportation simplex over a spanning tree of rows and columns ("lines"). It starts with the
// cheapest cells, taken greedily in an order that is sorted once per ground distance; the order in
// which lines are closed is the tree. Potentials are the proof: if no cell is cheaper than the sum
// of the potentials of its row and column, the flow is optimal. Each line keeps the set of lines
// below it as bits, so that a pivot finds its cycle, cuts off a branch and attaches it elsewhere by
// logic operations. No memory is allocated.
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

FOVEA_HD inline int bit_count(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __popcll(bits);
#else
  return __builtin_popcountll(bits);
#endif
}

// A set of lines. Rows are 0, 1, ..., and columns start at 32 * kWords.
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
  FOVEA_HD int size() const {
    int count = 0;
    for (int w = 0; w < kWords; ++w) count += bit_count(word[w]);
    return count;
  }
  // Returns the bits of the 32 * kWords lines from `line`, a multiple of 32, but at most 64 of
  // them.
  FOVEA_HD std::uint64_t from(int line) const {
    const std::uint64_t bits = word[line / 64] >> (line % 64);
    if constexpr (kWords == 1) return bits & 0xFFFFFFFFU;
    return line % 64 == 0 ? bits : bits | word[line / 64 + 1] << (64 - line % 64);
  }
  template <class Each>
  FOVEA_HD void for_each(const Each& each) const {
    for (int w = 0; w < kWords; ++w)
      for (std::uint64_t rest = word[w]; rest != 0; rest &= rest - 1)
        each(64 * w + lowest_bit(rest));
  }
};

// The parts of a CostPlan that the simplex reads. Row `rows` costs nothing; column `columns` costs
// nothing or as much as the auxiliary sink.
template <class Cost>
struct CostTable {
  const Cost* costs;
  int rows, columns, stride;
  const std::uint16_t* order;
  const std::uint64_t* line_cells;
  int max_pivots;
};

// A cell that would make the flow cheaper; row < 0 if there is none.
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
  // The potential of columns that take no part: none of their cells is ever cheap.
  static constexpr Cost kNever = sizeof(Cost) == 2   ? Cost(-32767)
                                 : sizeof(Cost) == 4 ? Cost(-(std::int64_t{1} << 30))
                                                     : Cost(-(std::int64_t{1} << 61));

  Cost potential[kLines];  // those of the row and the column of a cell in the tree add up to its
                           // cost
  Mass flow[kLines];       // between a line and its parent
  Set below[kLines];       // a line and all lines that hang from it
  std::uint8_t parent[kLines];
  std::uint8_t
      closed[kLines];  // lines in the order in which the start closed them; the root is last
  int lines;           // number of lines that take part
  Set active;
  Sum cost;
  int pivots;

  FOVEA_HD static bool is_row(int line) { return line < kColumn0; }
};

// Finds the next open cell of the sorted order by its bit, for plans with line_cells.
template <int kCellWords>
class OpenCells {
 public:
  template <class Cost, class Set>
  FOVEA_HD OpenCells(const CostTable<Cost>& table, const Set& active, int column0)
      : order_(table.order), cells_(table.line_cells), rows_(table.rows) {
    std::uint64_t rows[kCellWords] = {}, columns[kCellWords] = {};
    const auto gather = [&](std::uint64_t* into, std::uint64_t lines, const std::uint64_t* bits) {
      for (; lines != 0; lines &= lines - 1)
        for (int w = 0; w < kCellWords; ++w) into[w] |= bits[lowest_bit(lines) * kCellWords + w];
    };
    const auto below = [](int lines) { return (std::uint64_t{1} << lines) - 1; };
    gather(rows, active.from(0) & below(table.rows), cells_);
    gather(columns, active.from(column0) & below(table.columns), cells_ + rows_ * kCellWords);
    for (int w = 0; w < kCellWords; ++w) open_[w] = rows[w] & columns[w];
  }
  // Returns row * 256 + column, or -1 if there is none.
  FOVEA_HD int next() const {
    int word = kCellWords - 1;
    for (int w = kCellWords - 2; w >= 0; --w) word = open_[w] != 0 ? w : word;
    return open_[word] == 0 ? -1 : order_[64 * word + lowest_bit(open_[word])];
  }
  FOVEA_HD void close(bool row, int i, int j) {
    const std::uint64_t* bits = cells_ + (row ? i : rows_ + j) * kCellWords;
    for (int w = 0; w < kCellWords; ++w) open_[w] &= ~bits[w];
  }

 private:
  const std::uint16_t* order_;
  const std::uint64_t* cells_;
  int rows_;
  std::uint64_t open_[kCellWords];
};

// Does the same by looking at one cell after the other.
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
  FOVEA_HD void close(bool row, int i, int j) { open_.take(Set::of(row ? i : column0_ + j)); }

 private:
  const std::uint16_t* order_;
  int count_, column0_, at_ = 0;
  Set open_;
};

// Computes potentials from the root down, so that each cell of the tree costs the sum of those of
// its row and column.
template <class B>
FOVEA_HD void set_potentials(B& basis, const CostTable<typename B::Cost>& table) {
  if (basis.lines == 0) return;  // all mass stays in its bins
  basis.potential[basis.closed[basis.lines - 1]] = 0;
  for (int k = basis.lines - 2; k >= 0; --k) {
    const int line = basis.closed[k], parent = basis.parent[line];
    const bool row = B::is_row(line);
    const int i = row ? line : parent, j = (row ? parent : line) - B::kColumn0;
    basis.potential[line] =
        static_cast<typename B::Cost>(table.costs[i * table.stride + j] - basis.potential[parent]);
  }
}

// Fills the basis greedily. `first` and `second` are used up. If their totals differ, the lighter
// side has the difference behind its last bin. Lines without mass take no part. Choices that depend
// on numbers are made without branches, because no processor could predict them.
template <class B, class Cells>
FOVEA_HD void greedy_start(B& basis, const CostTable<typename B::Cost>& table,
                           typename B::Mass* first, typename B::Mass* second, Cells cells) {
  using Mass = typename B::Mass;
  using Set = typename B::Set;
  constexpr int kColumn0 = B::kColumn0;
  Set open = basis.active;
  int open_rows = bit_count(open.from(0)), open_columns = open.size() - open_rows, closed = 0;
  if constexpr (B::kWords > 1) {  // a word does not hold all rows
    open_rows = 0;
    for (int i = 0; i <= table.rows; ++i) open_rows += open.has(i) ? 1 : 0;
    open_columns = open.size() - open_rows;
  }
  basis.lines = open_rows + open_columns;
  basis.pivots = 0;
  typename B::Sum cost = 0;
  for (int cell = cells.next(); cell >= 0 && open_rows > 0; cell = cells.next()) {
    const int i = cell / 256, j = cell % 256;
    const Mass out = first[i], in = second[j];
    // Closes the row if it is used up. In a tie it closes the column if this is the last row and
    // several columns are open.
    const bool row = out < in || (out == in && (open_rows > 1 || open_columns == 1));
    const Mass flow = out < in ? out : in;
    const int child = row ? i : kColumn0 + j, parent = row ? kColumn0 + j : i;
    first[i] = out - flow;
    second[j] = in - flow;
    cost += static_cast<typename B::Sum>(flow) * table.costs[i * table.stride + j];
    basis.parent[child] = static_cast<std::uint8_t>(parent);
    basis.flow[child] = flow;
    basis.closed[closed++] = static_cast<std::uint8_t>(child);
    open.take(Set::of(child));
    open_rows -= row ? 1 : 0;
    open_columns -= row ? 0 : 1;
    cells.close(row, i, j);
  }
  basis.cost = cost;
  // The remaining mass goes to, or comes from, the line behind the last.
  const bool spare_row = basis.active.has(table.rows);
  const int spare = spare_row ? table.rows : kColumn0 + table.columns;
  if (basis.active.has(spare)) {
    open.take(Set::of(spare));
    open.for_each([&](int line) {
      basis.parent[line] = static_cast<std::uint8_t>(spare);
      basis.flow[line] = spare_row ? second[line - kColumn0] : first[line];
      basis.closed[closed++] = static_cast<std::uint8_t>(line);
    });
    open = Set::of(spare);
  }
  open.for_each([&](int root) { basis.closed[closed] = static_cast<std::uint8_t>(root); });
  set_potentials(basis, table);
}

// Sends all mass to an auxiliary sink, the column behind the last; all demand is met from the row
// behind the last, whose mass has to go to that sink in the end.
template <class B>
FOVEA_HD void auxiliary_start(B& basis, const CostTable<typename B::Cost>& table,
                              const typename B::Mass* first, const typename B::Mass* second) {
  const int source = table.rows, sink = B::kColumn0 + table.columns;
  basis.active.take(B::Set::of(source));
  basis.active.take(B::Set::of(sink));
  basis.lines = 0;
  basis.pivots = 0;
  basis.cost = 0;
  const auto hang = [&](int line, int parent, typename B::Mass flow) {
    basis.parent[line] = static_cast<std::uint8_t>(parent);
    basis.flow[line] = flow;
    basis.closed[basis.lines++] = static_cast<std::uint8_t>(line);
  };
  basis.active.for_each([&](int line) {
    if (!B::is_row(line)) return hang(line, source, second[line - B::kColumn0]);
    hang(line, sink, first[line]);
    basis.cost += static_cast<typename B::Sum>(first[line]) *
                  table.costs[line * table.stride + table.columns];
  });
  hang(source, sink, 0);
  basis.closed[basis.lines++] = static_cast<std::uint8_t>(sink);
  basis.active.add(source);
  basis.active.add(sink);
  set_potentials(basis, table);
}

// Computes the sets of lines below each line when a pivot first needs them: a line was closed after
// all lines below it.
template <class B>
FOVEA_HD void hang_lines(B& basis) {
  for (int k = 0; k < basis.lines; ++k) basis.below[basis.closed[k]] = B::Set::of(basis.closed[k]);
  for (int k = 0; k + 1 < basis.lines; ++k)
    basis.below[basis.parent[basis.closed[k]]].add(basis.below[basis.closed[k]]);
}

// Returns the cost of a cell minus the potentials of its row and column.
template <class B>
FOVEA_HD inline std::int64_t reduced_cost(const B& basis, const CostTable<typename B::Cost>& table,
                                          int i, int j) {
  return std::int64_t{table.costs[i * table.stride + j]} - basis.potential[i] -
         basis.potential[B::kColumn0 + j];
}

// Returns the first cell with a negative reduced cost (Bland, 1977: with the same rule for the
// leaving cell no basis occurs twice), or the cell with the least.
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

// Takes a cell into the tree and removes one from it. Returns how much mass moved around the cycle.
// With `by_index` the cell with the lowest index leaves if several could.
template <class B>
FOVEA_HD typename B::Mass pivot(B& basis, const CostTable<typename B::Cost>& table, Entering cell,
                                bool by_index) {
  using Mass = typename B::Mass;
  using Set = typename B::Set;
  const int row = cell.row, column = B::kColumn0 + cell.column;
  const auto gain = static_cast<typename B::Cost>(reduced_cost(basis, table, row, cell.column));
  // Mass is taken from every second cell of both branches of the cycle, starting with the first.
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

// Pivots until the flow is proved optimal. `pricing(basis)` returns the cell that enters. After as
// many pivots without gain as there are lines, Bland's rule is used until a pivot gains.
template <class B, class Pricing>
FOVEA_HD Status improve(B& basis, const CostTable<typename B::Cost>& table,
                        const Pricing& pricing) {
  int idle = 0;
  for (;;) {
    const bool bland = idle > basis.lines;
    const Entering cell = bland ? price(basis, table, true) : pricing(basis);
    if (cell.row < 0) return Status::kOptimal;
    if (basis.pivots >= table.max_pivots) return Status::kPivotLimit;
    if (basis.pivots++ == 0) hang_lines(basis);
    idle = pivot(basis, table, cell, bland) > 0 ? 0 : idle + 1;
  }
}

}  // namespace fovea::emd
