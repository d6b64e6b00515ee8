// The simplex on a tableau of bits (Shaffer, 2011). Every source may send its mass to an auxiliary
// sink that costs more than any path, and at the start it sends all of it there: this is a feasible
// basis without a first phase. The entries of the tableau of a transportation problem are always
// -1, 0 or 1 (Nagler, 1962). A row therefore is one plane of bits for the ones and one for the
// minus ones, and a pivot adds rows by logic operations. The columns are the cells, row by row, and
// then the slacks of the sinks. Columns of the auxiliary sink never return to the basis once they
// have left it and are not stored. The sources are the lighter side, so that the heavier side keeps
// its surplus.
#pragma once
#include <cstdint>

#include "emd/solve/simplex_math.h"

namespace fovea::emd {

inline constexpr int kTableauBins = 16;
inline constexpr int kTableauWords = (kTableauBins * kTableauBins + kTableauBins + 63) / 64;

// Reduced costs need twice the range of the auxiliary sink's cost.
template <class MassT, class CostT = std::int64_t>
struct BitTableau {
  using Mass = MassT;
  using Cost = CostT;
  static constexpr int kRows = 2 * kTableauBins;
  static constexpr int kAuxiliary =
      64 * kTableauWords;  // in basic[]: the mass that a source sends to the auxiliary sink

  int sources, sinks, rows, columns, words;
  std::uint64_t plus[kRows][kTableauWords];   // where a row has a 1
  std::uint64_t minus[kRows][kTableauWords];  // where a row has a -1
  Mass value[kRows];                          // value of each row's basic variable
  std::uint16_t basic[kRows];                 // its column, or kAuxiliary
  Cost reduced[64 *
               kTableauWords];  // how much one unit of each column would cost or, if negative, save

  FOVEA_HD int entry(int row, int column) const {
    const int word = column / 64, bit = column % 64;
    return static_cast<int>(plus[row][word] >> bit & 1) -
           static_cast<int>(minus[row][word] >> bit & 1);
  }
};

// Sends all mass to the auxiliary sink. cost(source, sink) is in units.
template <class T, class CostOf>
FOVEA_HD void start_tableau(T& tableau, const typename T::Mass* out, const typename T::Mass* in,
                            typename T::Cost auxiliary, const CostOf& cost) {
  const int sources = tableau.sources, sinks = tableau.sinks;
  tableau.rows = sources + sinks;
  tableau.columns = sources * sinks + sinks;
  tableau.words = (tableau.columns + 63) / 64;
  for (int row = 0; row < tableau.rows; ++row)
    for (int word = 0; word < tableau.words; ++word)
      tableau.plus[row][word] = tableau.minus[row][word] = 0;
  const auto set = [&](int row, int column) {
    tableau.plus[row][column / 64] |= std::uint64_t{1} << (column % 64);
  };
  for (int i = 0; i < sources; ++i) {
    tableau.value[i] = out[i];
    tableau.basic[i] = static_cast<std::uint16_t>(T::kAuxiliary);
    for (int j = 0; j < sinks; ++j) {
      const int column = i * sinks + j;
      set(i, column);
      set(sources + j, column);
      tableau.reduced[column] = static_cast<typename T::Cost>(cost(i, j) - auxiliary);
    }
  }
  for (int j = 0; j < sinks; ++j) {
    const int column = sources * sinks + j;
    tableau.value[sources + j] = in[j];
    tableau.basic[sources + j] = static_cast<std::uint16_t>(column);
    set(sources + j, column);
    tableau.reduced[column] = 0;
  }
}

// Takes `column` into the basis in place of the variable of `row`, whose entry in that column is 1.
template <class T>
FOVEA_HD void pivot_tableau(T& tableau, int row, int column) {
  const std::uint64_t *row_plus = tableau.plus[row], *row_minus = tableau.minus[row];
  const typename T::Mass moved = tableau.value[row];
  for (int k = 0; k < tableau.rows; ++k) {
    const int entry = tableau.entry(k, column);
    if (k == row || entry == 0) continue;
    // Subtracts the row where the entry is 1 and adds it where the entry is -1. No result leaves
    // -1, 0, 1, so that two ones or two minus ones are never added.
    const std::uint64_t* taken = entry > 0 ? row_plus : row_minus;
    const std::uint64_t* given = entry > 0 ? row_minus : row_plus;
    for (int word = 0; word < tableau.words; ++word) {
      const std::uint64_t plus = tableau.plus[k][word], minus = tableau.minus[k][word];
      tableau.plus[k][word] = (plus & ~taken[word]) | (given[word] & ~minus);
      tableau.minus[k][word] = (minus & ~given[word]) | (taken[word] & ~plus);
    }
    tableau.value[k] += entry > 0 ? -moved : moved;
  }
  const typename T::Cost saved = tableau.reduced[column];
  for (int word = 0; word < tableau.words; ++word) {
    for (std::uint64_t bits = row_plus[word]; bits != 0; bits &= bits - 1)
      tableau.reduced[64 * word + lowest_bit(bits)] -= saved;
    for (std::uint64_t bits = row_minus[word]; bits != 0; bits &= bits - 1)
      tableau.reduced[64 * word + lowest_bit(bits)] += saved;
  }
  tableau.basic[row] = static_cast<std::uint16_t>(column);
}

// Returns the column that saves most, or the first that saves (Bland); -1 if none does.
template <class T>
FOVEA_HD int entering_column(const T& tableau, bool first) {
  typename T::Cost least = 0;
  for (int column = 0; column < tableau.columns; ++column)
    least = tableau.reduced[column] < least ? tableau.reduced[column] : least;
  if (least == 0) return -1;
  int column = 0;
  while (first ? tableau.reduced[column] >= 0 : tableau.reduced[column] != least) ++column;
  return column;
}

// Returns the row whose variable is the first to reach 0 as the column's grows. Of several rows it
// prefers an auxiliary variable, which never returns, and then the lowest number. There is always
// one, because mass is finite.
template <class T>
FOVEA_HD int leaving_row(const T& tableau, int column) {
  int best = -1;
  const auto number = [&](int row) {
    return tableau.basic[row] == T::kAuxiliary ? -1 : int{tableau.basic[row]};
  };
  for (int row = 0; row < tableau.rows; ++row) {
    if (tableau.entry(row, column) <= 0) continue;
    if (best < 0 || tableau.value[row] < tableau.value[best] ||
        (tableau.value[row] == tableau.value[best] && number(row) < number(best)))
      best = row;
  }
  return best;
}

// Pivots until no column saves. Uses Dantzig's rule, and Bland's after many pivots without gain.
template <class Mass, class Cost>
FOVEA_HD Status improve(BitTableau<Mass, Cost>& tableau, int max_pivots, int& pivots) {
  int idle = 0;
  for (pivots = 0;; ++pivots) {
    const int column = entering_column(tableau, idle > tableau.rows);
    if (column < 0) return Status::kOptimal;
    if (pivots >= max_pivots) return Status::kPivotLimit;
    const int row = leaving_row(tableau, column);
    idle = tableau.value[row] > 0 ? 0 : idle + 1;
    pivot_tableau(tableau, row, column);
  }
}

}  // namespace fovea::emd
