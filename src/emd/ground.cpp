// Ground distances as whole numbers, and what their form allows the solver to do.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/emd/ground.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emd/solve/value_math.h"

namespace fovea::emd {
namespace {

constexpr int kMostBins = 64;

std::size_t square(int bins) {
  if (bins < 1 || bins > kMostBins)
    throw InvalidArgument(
        fmt::format("ground distance: {} bins, expected 1 to {}", bins, kMostBins));
  return static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins);
}

template <class Cost>
GroundDistance on_line(int bins, const Cost& cost) {
  std::vector<double> costs;
  costs.reserve(square(bins));
  for (int i = 0; i < bins; ++i)
    for (int j = 0; j < bins; ++j) costs.push_back(cost(std::abs(i - j)));
  return {bins, bins, costs};
}

// Returns the greatest power of two that divides all costs, or 0 if all costs are 0.
double common_unit(std::span<const double> costs) {
  int least = std::numeric_limits<int>::max();
  for (double cost : costs) {
    if (cost == 0) continue;
    int exponent = 0;
    const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(cost, &exponent), 53));
    least = std::min(least, exponent - 53 + __builtin_ctzll(digits));
  }
  return least == std::numeric_limits<int>::max() ? 0 : std::ldexp(1.0, least);
}

// Costs in units, read as a table.
struct Table {
  int rows, columns;
  const std::int64_t* units;
  std::int64_t at(int i, int j) const {
    return units[static_cast<std::ptrdiff_t>(i) * columns + j];
  }
  bool is_square() const { return rows == columns; }

  template <class Holds>
  bool all(const Holds& holds) const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (!holds(i, j)) return false;
    return true;
  }
};

bool is_metric(const Table& table) {
  if (!table.is_square()) return false;
  return table.all([&](int i, int j) {
    if (i == j) return table.at(i, i) == 0;
    for (int k = 0; k < table.rows; ++k)
      if (table.at(i, k) + table.at(k, j) < table.at(i, j)) return false;
    return true;
  });
}

bool is_discrete(const Table& table) {
  if (!table.is_square()) return false;
  const std::int64_t constant = table.rows > 1 ? table.at(0, 1) : 0;
  return table.all([&](int i, int j) { return table.at(i, j) == (i == j ? 0 : constant); });
}

bool is_line(const Table& table) {
  if (!table.is_square()) return false;
  return table.all([&](int i, int j) {
    const std::int64_t apart = table.at(0, j) - table.at(0, i);
    return table.at(i, j) == std::abs(apart) && (i > j || apart >= 0);
  });
}

// It is enough to check adjacent cells: the condition for all other cells is a sum of these.
bool is_monge(const Table& table) {
  return table.all([&](int i, int j) {
    return i + 1 == table.rows || j + 1 == table.columns ||
           table.at(i, j) + table.at(i + 1, j + 1) <= table.at(i, j + 1) + table.at(i + 1, j);
  });
}

bool is_circle(const Table& table) {
  if (!table.is_square() || table.rows < 2) return false;
  const std::int64_t step = table.at(0, 1);
  return table.all([&](int i, int j) {
    const int apart = std::abs(i - j);
    return table.at(i, j) == step * std::min(apart, table.rows - apart);
  });
}

GroundForm form_of(const Table& table) {
  if (is_discrete(table)) return GroundForm::kDiscrete;
  if (is_line(table)) return GroundForm::kLine;
  if (is_monge(table)) return GroundForm::kMonge;
  return is_circle(table) ? GroundForm::kCircle : GroundForm::kGeneral;
}

}  // namespace

const char* to_string(GroundForm form) {
  switch (form) {
    case GroundForm::kDiscrete: return "discrete";
    case GroundForm::kLine: return "line";
    case GroundForm::kMonge: return "monge";
    case GroundForm::kCircle: return "circle";
    case GroundForm::kGeneral: break;
  }
  return "general";
}

GroundDistance::GroundDistance(int rows, int columns, std::span<const double> costs)
    : rows_(rows), columns_(columns) {
  if (rows < 1 || rows > kMostBins || columns < 1 || columns > kMostBins)
    throw InvalidArgument(fmt::format("ground distance: {} rows and {} columns, expected 1 to {}",
                                      rows, columns, kMostBins));
  if (costs.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))
    throw InvalidArgument(fmt::format("ground distance: {} costs for {} rows and {} columns",
                                      costs.size(), rows, columns));
  double greatest = 0;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    if (!std::isfinite(costs[k]) || costs[k] < 0)
      throw InvalidArgument(fmt::format(
          "ground distance: the cost from bin {} to bin {} is {}, expected a number "
          "of at least 0",
          k / static_cast<std::size_t>(columns), k % static_cast<std::size_t>(columns), costs[k]));
    greatest = std::max(greatest, costs[k]);
  }
  if (greatest > 0) {
    unit_ = common_unit(costs);
    exact_ = unit_ > 0 && greatest / unit_ <= std::ldexp(1.0, kCostBits);
    if (!exact_) unit_ = std::ldexp(1.0, std::ilogb(greatest) + 1 - kCostBits);
    if (!(unit_ >= std::numeric_limits<double>::min()))
      throw InvalidArgument(
          fmt::format("ground distance: the greatest cost is {}, too near to 0", greatest));
  }
  units_.reserve(costs.size());
  for (const double cost : costs)
    units_.push_back(static_cast<std::int64_t>(std::ceil(cost / unit_)));
  analyze();
}

void GroundDistance::analyze() {
  const Table table{rows_, columns_, units_.data()};
  metric_ = is_metric(table);
  form_ = form_of(table);
  if (form_ == GroundForm::kLine) positions_.assign(units_.begin(), units_.begin() + columns_);
}

GroundDistance GroundDistance::l1(int bins) {
  return on_line(bins, [](int apart) { return apart; });
}
GroundDistance GroundDistance::l2(int bins) { return l1(bins); }
GroundDistance GroundDistance::squared(int bins) {
  return on_line(bins, [](int apart) { return apart * apart; });
}
GroundDistance GroundDistance::thresholded(int bins, double greatest) {
  if (!(greatest >= 0))
    throw InvalidArgument(
        fmt::format("ground distance: a greatest cost of {}, expected at least 0", greatest));
  return on_line(bins, [&](int apart) { return std::min(static_cast<double>(apart), greatest); });
}
GroundDistance GroundDistance::circular(int bins) {
  return on_line(bins, [&](int apart) { return std::min(apart, bins - apart); });
}
GroundDistance GroundDistance::discrete(int bins) {
  return on_line(bins, [](int apart) { return apart == 0 ? 0 : 1; });
}

GroundDistance GroundDistance::between(std::span<const float> first, std::span<const float> second,
                                       int dimensions, double greatest) {
  if (dimensions < 1 || first.size() % static_cast<std::size_t>(dimensions) != 0 ||
      second.size() % static_cast<std::size_t>(dimensions) != 0)
    throw InvalidArgument(
        fmt::format("ground distance: {} and {} coordinates are no points of {} dimensions",
                    first.size(), second.size(), dimensions));
  const auto size = static_cast<std::size_t>(dimensions);
  std::vector<double> costs;
  for (std::size_t i = 0; i < first.size(); i += size)
    for (std::size_t j = 0; j < second.size(); j += size) {
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k) {
        const double apart = static_cast<double>(first[i + k]) - static_cast<double>(second[j + k]);
        sum += apart * apart;
      }
      costs.push_back(std::min(std::sqrt(sum), greatest));
    }
  const auto count = [&](std::span<const float> points) {
    return static_cast<int>(std::min<std::size_t>(points.size() / size, kMostBins + 1));
  };
  return {count(first), count(second), costs};
}

double GroundDistance::cost(int row, int column) const {
  return static_cast<double>(
             units_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(column)]) *
         unit_;
}
double GroundDistance::greatest() const {
  return static_cast<double>(*std::max_element(units_.begin(), units_.end())) * unit_;
}

}  // namespace fovea::emd
