// Least cost of moving one histogram into another by successive shortest paths (Jewell, 1958),
// Bellman-Ford each: slow, and with nothing in common with the simplex.
#pragma once
#include <fovea/emd/ground.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace fovea::reference {

// In units of the ground distance, of whole masses in numbers that hold the cost. Where they do not
// weigh the same the lighter one is moved.
template <class Whole>
Whole least_cost(const emd::GroundDistance& ground, std::vector<Whole> first,
                 std::vector<Whole> second) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
  const int rows = ground.rows(), columns = ground.columns();
  std::vector<Whole> flow(static_cast<std::size_t>(rows * columns));
  Whole total = 0;
  for (;;) {
    // Lengths of paths from any row with mass left.
    std::vector<std::int64_t> to_row(static_cast<std::size_t>(rows), kFar);
    std::vector<std::int64_t> to_column(static_cast<std::size_t>(columns), kFar);
    std::vector<int> row_from(static_cast<std::size_t>(rows), -1);
    std::vector<int> column_from(static_cast<std::size_t>(columns), -1);
    for (int i = 0; i < rows; ++i)
      if (first[static_cast<std::size_t>(i)] > 0) to_row[static_cast<std::size_t>(i)] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          const auto cell = static_cast<std::size_t>(i * columns + j);
          const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
          const std::int64_t cost = ground.units()[cell];
          if (to_row[r] < kFar && to_row[r] + cost < to_column[c]) {
            to_column[c] = to_row[r] + cost;
            column_from[c] = i;
            changed = true;
          }
          if (flow[cell] > 0 && to_column[c] < kFar && to_column[c] - cost < to_row[r]) {
            to_row[r] = to_column[c] - cost;
            row_from[r] = j;
            changed = true;
          }
        }
    }
    int target = -1;
    for (int j = 0; j < columns; ++j)
      if (second[static_cast<std::size_t>(j)] > 0 &&
          to_column[static_cast<std::size_t>(j)] < kFar &&
          (target < 0 ||
           to_column[static_cast<std::size_t>(j)] < to_column[static_cast<std::size_t>(target)]))
        target = j;
    if (target < 0) return total;
    Whole mass = second[static_cast<std::size_t>(target)];
    int j = target, start = -1;
    for (;;) {
      const int i = column_from[static_cast<std::size_t>(j)];
      start = i;
      if (row_from[static_cast<std::size_t>(i)] < 0) break;
      j = row_from[static_cast<std::size_t>(i)];
      mass = std::min(mass, flow[static_cast<std::size_t>(i * columns + j)]);
    }
    mass = std::min(mass, first[static_cast<std::size_t>(start)]);
    for (j = target;;) {
      const int i = column_from[static_cast<std::size_t>(j)];
      flow[static_cast<std::size_t>(i * columns + j)] += mass;
      if (row_from[static_cast<std::size_t>(i)] < 0) break;
      j = row_from[static_cast<std::size_t>(i)];
      flow[static_cast<std::size_t>(i * columns + j)] -= mass;
    }
    first[static_cast<std::size_t>(start)] -= mass;
    second[static_cast<std::size_t>(target)] -= mass;
    total += mass * to_column[static_cast<std::size_t>(target)];
  }
}

}  // namespace fovea::reference
