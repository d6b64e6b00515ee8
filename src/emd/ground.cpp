// Ground distances as whole numbers, and what their form allows the solver to do.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/emd/ground.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "emd/solve/value_math.h"

namespace fovea::emd {
namespace {

constexpr int kMost = GroundDistance::kMostTableBins;
// In a larger table nobody looks for detours, which takes the third power of its size.
constexpr int kMostExamined = 64;

void require_bins(int bins, int most) {
  if (bins < 1 || bins > most)
    throw InvalidArgument(fmt::format("ground distance: {} bins, expected 1 to {}", bins, most));
}

// What bins cost that are so far apart in a form with one unit between neighbors.
std::int64_t units_apart(GroundForm form, std::int64_t apart, int bins) {
  switch (form) {
    case GroundForm::kDiscrete: return apart == 0 ? 0 : 1;
    case GroundForm::kMonge: return apart * apart;
    case GroundForm::kCircle: return std::min(apart, bins - apart);
    case GroundForm::kLine:
    case GroundForm::kGeneral: break;
  }
  return apart;
}

template <class Cost>
GroundDistance on_line(int bins, const Cost& cost) {
  require_bins(bins, kMost);
  std::vector<double> costs;
  costs.reserve(static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins));
  for (int i = 0; i < bins; ++i)
    for (int j = 0; j < bins; ++j) costs.push_back(static_cast<double>(cost(std::abs(i - j))));
  return {bins, bins, costs};
}

// Returns the greatest power of two that divides all costs, or one that is too small for kCostBits
// where it is smaller still; 0 if all costs are 0.
double common_unit(std::span<const double> costs, double greatest) {
  constexpr int kFractionBits = 52, kLeastExponent = -1074;
  const int enough = std::ilogb(greatest) - kCostBits - 1;
  int least = std::numeric_limits<int>::max();
  for (const double cost : costs) {
    const auto bits = std::bit_cast<std::uint64_t>(cost);
    const auto exponent = static_cast<int>(bits >> kFractionBits & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
    const std::uint64_t digits =
        exponent > 0 ? fraction | std::uint64_t{1} << kFractionBits : fraction;
    if (digits == 0) continue;
    least = std::min(least, kLeastExponent + std::max(exponent, 1) - 1 + std::countr_zero(digits));
    if (least < enough) break;
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
  if (rows < 1 || rows > kMost || columns < 1 || columns > kMost)
    throw InvalidArgument(fmt::format("ground distance: {} rows and {} columns, expected 1 to {}",
                                      rows, columns, kMost));
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
    unit_ = common_unit(costs, greatest);
    exact_ = unit_ > 0 && greatest / unit_ <= std::ldexp(1.0, kCostBits);
    if (!exact_) unit_ = std::ldexp(1.0, std::ilogb(greatest) + 1 - kCostBits);
    if (!(unit_ >= std::numeric_limits<double>::min()))
      throw InvalidArgument(
          fmt::format("ground distance: the greatest cost is {}, too near to 0", greatest));
  }
  units_.resize(costs.size());
  const double units_per_cost = 1 / unit_;  // a power of two as well
  for (std::size_t k = 0; k < costs.size(); ++k)
    units_[k] = static_cast<std::int64_t>(std::ceil(costs[k] * units_per_cost));
  analyze();
}

void GroundDistance::analyze() {
  const Table table{rows_, columns_, units_.data()};
  metric_ = std::max(rows_, columns_) <= kMostExamined && is_metric(table);
  form_ = form_of(table);
  if (form_ == GroundForm::kLine) positions_.assign(units_.begin(), units_.begin() + columns_);
}

// The forms that are named by a word, with one unit between neighbors.
GroundDistance GroundDistance::closed(GroundForm form, int bins) {
  const auto cost = [&](int apart) { return units_apart(form, apart, bins); };
  const bool metric = form != GroundForm::kMonge;
  if (bins <= kMostTableBins) {
    GroundDistance made = on_line(bins, cost);
    made.metric_ = made.metric_ || metric;
    return made;
  }
  require_bins(bins, kMostBins);
  GroundDistance made;
  made.rows_ = made.columns_ = bins;
  made.metric_ = metric;
  made.form_ = form;
  if (form == GroundForm::kLine) {
    made.positions_.resize(static_cast<std::size_t>(bins));
    std::iota(made.positions_.begin(), made.positions_.end(), std::int64_t{0});
  }
  return made;
}
GroundDistance GroundDistance::l1(int bins) { return closed(GroundForm::kLine, bins); }
GroundDistance GroundDistance::l2(int bins) { return l1(bins); }
GroundDistance GroundDistance::squared(int bins) { return closed(GroundForm::kMonge, bins); }
GroundDistance GroundDistance::circular(int bins) { return closed(GroundForm::kCircle, bins); }
GroundDistance GroundDistance::discrete(int bins) { return closed(GroundForm::kDiscrete, bins); }
GroundDistance GroundDistance::thresholded(int bins, double greatest) {
  if (!(greatest >= 0))
    throw InvalidArgument(
        fmt::format("ground distance: a greatest cost of {}, expected at least 0", greatest));
  GroundDistance made =
      on_line(bins, [&](int apart) { return std::min(static_cast<double>(apart), greatest); });
  made.metric_ = true;
  return made;
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
    return static_cast<int>(std::min<std::size_t>(points.size() / size, kMost + 1));
  };
  return {count(first), count(second), costs};
}

std::int64_t GroundDistance::units(int row, int column) const {
  if (!units_.empty())
    return units_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
  return units_apart(form_, std::abs(row - column), columns_);
}
double GroundDistance::cost(int row, int column) const {
  return static_cast<double>(units(row, column)) * unit_;
}
double GroundDistance::greatest() const {
  if (units_.empty()) return cost(0, form_ == GroundForm::kCircle ? columns_ / 2 : columns_ - 1);
  return static_cast<double>(*std::max_element(units_.begin(), units_.end())) * unit_;
}

}  // namespace fovea::emd
