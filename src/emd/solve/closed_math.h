// Least costs for special ground distances, found without a search. Masses are whole and have equal
// totals; costs are in units. Sum must be able to hold total * greatest cost.
#pragma once
#include <cstdint>

#include "emd/solve/value_math.h"

namespace fovea::emd {

template <class Sum>
FOVEA_HD inline Sum magnitude(Sum value) {
  return value < 0 ? -value : value;
}

// Bins on a line, with gaps[i] between bin i and the next: the mass that crosses a gap is the
// difference of the cumulative sums there.
template <class Sum, class Mass>
FOVEA_HD inline Sum line_cost(const Mass* first, const Mass* second, const std::int64_t* gaps,
                              int bins) {
  Sum cost = 0;
  std::int64_t crosses = 0;
  for (int i = 0; i + 1 < bins; ++i) {
    crosses += static_cast<std::int64_t>(first[i]) - static_cast<std::int64_t>(second[i]);
    cost += static_cast<Sum>(magnitude(crosses)) * gaps[i];
  }
  return cost;
}

// Equal steps on a circle (Werman et al., 1986; Rabin et al., 2009): as on a line, but any constant
// mass may go around and is subtracted at every step; the median makes the cost least.
template <class Sum, class Mass>
FOVEA_HD inline Sum circle_cost(const Mass* first, const Mass* second, std::int64_t step,
                                int bins) {
  std::int64_t sorted[64];
  std::int64_t crosses = 0;
  for (int i = 0; i < bins; ++i) {
    crosses += static_cast<std::int64_t>(first[i]) - static_cast<std::int64_t>(second[i]);
    int at = i;
    for (; at > 0 && sorted[at - 1] > crosses; --at) sorted[at] = sorted[at - 1];
    sorted[at] = crosses;
  }
  // Sums the distances to the median: the sum of the upper half minus that of the lower half.
  std::int64_t sum = 0;
  for (int low = 0, high = bins - 1; low < high; ++low, --high) sum += sorted[high] - sorted[low];
  return static_cast<Sum>(sum) * step;
}

// Any two different bins have the same distance. If the totals differ, the lighter side is moved.
template <class Sum, class Mass>
FOVEA_HD inline Sum discrete_cost(const Mass* first, const Mass* second, std::int64_t constant,
                                  int bins) {
  std::int64_t first_more = 0, second_more = 0;
  for (int i = 0; i < bins; ++i) {
    const std::int64_t more =
        static_cast<std::int64_t>(first[i]) - static_cast<std::int64_t>(second[i]);
    first_more += more > 0 ? more : 0;
    second_more -= more < 0 ? more : 0;
  }
  return static_cast<Sum>(first_more < second_more ? first_more : second_more) * constant;
}

// For Monge costs (Hoffman, 1963): bins are taken in order, and each is filled before the next.
// Calls moves(i, j, mass) for every move, even if the mass is 0. Both histograms have one readable
// element behind the last. Which side advances is chosen without a branch, because no processor
// could predict it.
template <class Mass, class Moves>
FOVEA_HD inline void walk(const Mass* first, const Mass* second, int rows, int columns,
                          const Moves& moves) {
  Mass out = first[0], in = second[0];
  for (int i = 0, j = 0; i < rows && j < columns;) {
    const Mass mass = out < in ? out : in;
    moves(i, j, mass);
    const bool row = out <= in;
    i += row ? 1 : 0;
    j += row ? 0 : 1;
    const Mass next = row ? first[i] : second[j], rest = row ? in - mass : out - mass;
    out = row ? next : rest;
    in = row ? rest : next;
  }
}

}  // namespace fovea::emd
