// Assignments of least cost by shortest augmenting paths (Jonker and Volgenant, Computing 1987; the
// order of Dijkstra's search follows Crouse, IEEE TAES 2016).
//
// Every row has a column of its own besides those of the matrix, which means that it stays alone.
// To stay alone costs more than any sum of costs. Instead of a large number, which would swallow
// the digits of the costs, a length has two parts that are compared one after the other: rows that
// stay alone, and cost. Such pairs are added and ordered like numbers, which is all that the method
// asks.
#include <fovea/core/error.h>
#include <fovea/ops/assignment.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dispatch.h"

namespace fovea {
namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();

void check(const char* operation, ImageView<const double> costs) {
  detail::require_host(operation, "the matrix of costs", costs.memory);
  if (costs.channels != 1)
    throw InvalidArgument(
        fmt::format("{}: the costs have {} channels; expected 1", operation, costs.channels));
  for (int row = 0; row < costs.height; ++row) {
    for (int column = 0; column < costs.width; ++column) {
      const double cost = costs.at(column, row);
      if (std::isnan(cost) || cost == -kForbidden)
        throw InvalidArgument(
            fmt::format("{}: the cost in row {}, column {} is {}; expected a number, or infinity "
                        "for a forbidden pair",
                        operation, row, column, cost));
    }
  }
}

struct Length {
  int alone = 0;
  double cost = 0;

  friend Length operator+(Length a, Length b) { return {a.alone + b.alone, a.cost + b.cost}; }
  friend Length operator-(Length a, Length b) { return {a.alone - b.alone, a.cost - b.cost}; }
  friend bool operator<(Length a, Length b) {
    return a.alone != b.alone ? a.alone < b.alone : a.cost < b.cost;
  }
};
constexpr Length kUnreached{std::numeric_limits<int>::max() / 4, 0};

class ShortestPaths {
 public:
  explicit ShortestPaths(ImageView<const double> costs)
      : costs_(costs),
        row_price_(static_cast<std::size_t>(costs.height)),
        column_price_(static_cast<std::size_t>(costs.width)),
        row_of_(static_cast<std::size_t>(costs.width), -1),
        column_of_(static_cast<std::size_t>(costs.height), -1) {}

  std::vector<int> solve() {
    for (int row = 0; row < costs_.height; ++row) add(row);
    return column_of_;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  // Searches from a new row for the nearest column that is free, or row that had better stay alone,
  // and moves all rows on the way.
  void add(int row) {
    length_.assign(column_price_.size(), kUnreached);
    from_.assign(column_price_.size(), -1);
    open_.resize(column_price_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) open_[i] = static_cast<int>(i);
    closed_.clear();
    Length alone = kUnreached;
    int alone_row = -1, end = -1;
    Length here{};
    for (int visited = row;;) {
      if (const Length stay = here + Length{1, 0} - row_price_[at(visited)]; stay < alone) {
        alone = stay;
        alone_row = visited;
      }
      const int nearest = relax(visited, here);
      if (nearest < 0 || alone < length_[at(open_[at(nearest)])]) {
        here = alone;
        break;
      }
      const int column = open_[at(nearest)];
      here = length_[at(column)];
      open_.erase(open_.begin() + nearest);
      if (row_of_[at(column)] < 0) {
        end = column;
        break;
      }
      closed_.push_back(column);
      visited = row_of_[at(column)];
    }
    reprice(row, here);
    if (end < 0) {  // alone_row gives its column to the path
      if (alone_row == row) return;
      end = std::exchange(column_of_[at(alone_row)], -1);
    }
    shift(row, end);
  }

  // Shortens the ways to open columns by one over `row`, and returns where in open_ the nearest one
  // stands, or -1 where none is reached.
  int relax(int row, Length here) {
    const double* const costs = costs_.row(row);
    int nearest = -1;
    const Length base = here - row_price_[at(row)];
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const int column = open_[i];
      Length& length = length_[at(column)];
      if (costs[column] != kForbidden) {
        const Length way = base + Length{0, costs[column]} - column_price_[at(column)];
        if (way < length) {
          length = way;
          from_[at(column)] = row;
        }
      }
      if (from_[at(column)] >= 0 && (nearest < 0 || length < length_[at(open_[at(nearest)])]))
        nearest = static_cast<int>(i);
    }
    return nearest;
  }

  void reprice(int row, Length whole) {
    row_price_[at(row)] = row_price_[at(row)] + whole;
    for (const int column : closed_) {
      const Length change = whole - length_[at(column)];
      column_price_[at(column)] = column_price_[at(column)] - change;
      row_price_[at(row_of_[at(column)])] = row_price_[at(row_of_[at(column)])] + change;
    }
  }

  void shift(int row, int column) {
    while (true) {
      const int before = from_[at(column)];
      row_of_[at(column)] = before;
      const int left = std::exchange(column_of_[at(before)], column);
      if (before == row) return;
      column = left;
    }
  }

  ImageView<const double> costs_;
  std::vector<Length> row_price_, column_price_;
  std::vector<int> row_of_, column_of_;
  std::vector<Length> length_{};  // of the shortest way to each column, in the search at hand
  std::vector<int> from_{};       // the row before each column on that way
  std::vector<int> open_{}, closed_{};
};

Assignment with_cost(std::vector<int> column_of, ImageView<const double> costs) {
  Assignment result{std::move(column_of)};
  for (int row = 0; row < costs.height; ++row) {
    const int column = result.column_of[static_cast<std::size_t>(row)];
    if (column < 0) continue;
    ++result.pairs;
    result.cost += costs.at(column, row);
  }
  return result;
}

}  // namespace

Assignment assign(ImageView<const double> costs) {
  check("assign", costs);
  return with_cost(ShortestPaths(costs).solve(), costs);
}

Assignment assign_greedily(ImageView<const double> costs) {
  check("assign_greedily", costs);
  struct Pair {
    double cost;
    int row, column;
  };
  std::vector<Pair> pairs;
  for (int row = 0; row < costs.height; ++row)
    for (int column = 0; column < costs.width; ++column)
      if (costs.at(column, row) != kForbidden)
        pairs.push_back({costs.at(column, row), row, column});
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.cost < b.cost; });
  std::vector<int> column_of(static_cast<std::size_t>(costs.height), -1);
  std::vector<bool> taken(static_cast<std::size_t>(costs.width), false);
  for (const Pair& pair : pairs) {
    int& column = column_of[static_cast<std::size_t>(pair.row)];
    if (column >= 0 || taken[static_cast<std::size_t>(pair.column)]) continue;
    column = pair.column;
    taken[static_cast<std::size_t>(pair.column)] = true;
  }
  return with_cost(std::move(column_of), costs);
}

}  // namespace fovea
