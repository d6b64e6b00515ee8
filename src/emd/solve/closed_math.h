// Least costs of special ground distances without a search, of whole masses with one total, in
// units of cost. Sum holds total * greatest cost.
#pragma once
#include <cstdint>

#include "emd/solve/value_math.h"

namespace fovea::emd {

template <class Sum>
FOVEA_HD inline Sum magnitude(Sum value) {
  return value < 0 ? -value : value;
}

// Bins on a line, gaps[i] from bin i to the next: what crosses a gap is the difference of the
// cumulative sums there.
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

// Equal steps on a closed line (Werman et al., 1986; Rabin et al., 2009): as on a line, after what
// goes round is taken away from every step, and the median takes away most.
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
  // Distances to the median: the upper half's sum less the lower half's.
  std::int64_t sum = 0;
  for (int low = 0, high = bins - 1; low < high; ++low, --high) sum += sorted[high] - sorted[low];
  return static_cast<Sum>(sum) * step;
}

// One constant between different bins. Of masses without one total the lighter is moved.
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

// Of Monge costs (Hoffman, 1963): bins in order, each filled before the next. Calls
// moves(i, j, mass) for every move, of no mass too; both histograms have an element behind the last
// that may be read. Which side steps is chosen without a branch, which no machine could foretell.
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
