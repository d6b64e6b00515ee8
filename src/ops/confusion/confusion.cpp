// Confusion matrices, rates that follow from them, and confidence intervals of measured shares.
#include <fovea/core/error.h>
#include <fovea/ops/confusion.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea {

Interval wilson_interval(std::int64_t right, std::int64_t all) {
  if (all < 1 || right < 0 || right > all)
    throw InvalidArgument(
        fmt::format("wilson_interval: {} of {} are right, expected at least one sample and no more "
                    "right than there are",
                    right, all));
  constexpr double kZ = 1.959963984540054;  // 97.5 % of the normal distribution lie below it
  const auto count = static_cast<double>(all);
  const double share = static_cast<double>(right) / count;
  const double center = share + kZ * kZ / (2 * count);
  const double half = kZ * std::sqrt(share * (1 - share) / count + kZ * kZ / (4 * count * count));
  const double scale = 1 + kZ * kZ / count;
  return {std::max(0.0, (center - half) / scale), std::min(1.0, (center + half) / scale)};
}

Confusion::Confusion(int class_count) : classes(class_count) {
  if (classes < 0)
    throw InvalidArgument(fmt::format("Confusion: {} classes, expected 0 or more", classes));
  counts.resize(static_cast<std::size_t>(classes) * static_cast<std::size_t>(classes));
}

std::int64_t Confusion::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t Confusion::right() const {
  std::int64_t sum = 0;
  for (int c = 0; c < classes; ++c) sum += at(c, c);
  return sum;
}

double Confusion::accuracy() const {
  const std::int64_t all = total();
  return all > 0 ? static_cast<double>(right()) / static_cast<double>(all) : 0;
}

Interval Confusion::interval() const {
  const std::int64_t all = total();
  return all > 0 ? wilson_interval(right(), all) : Interval{0, 1};
}

std::vector<double> Confusion::recall() const {
  std::vector<double> result;
  for (int c = 0; c < classes; ++c) {
    std::int64_t all = 0;
    for (int predicted = 0; predicted < classes; ++predicted) all += at(c, predicted);
    result.push_back(all > 0 ? static_cast<double>(at(c, c)) / static_cast<double>(all) : 0);
  }
  return result;
}

Confusion& Confusion::operator+=(const Confusion& other) {
  if (counts.empty()) return *this = other;
  if (classes != other.classes)
    throw InvalidArgument(
        fmt::format("Confusion: a matrix of {} classes cannot be added to one of {}; give both the "
                    "same classes",
                    other.classes, classes));
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  return *this;
}

Confusion count_confusion(std::span<const std::int32_t> truth,
                          std::span<const std::int32_t> predicted, int classes) {
  if (truth.size() != predicted.size())
    throw InvalidArgument(fmt::format(
        "count_confusion: {} true labels and {} predictions, expected one prediction per label",
        truth.size(), predicted.size()));
  Confusion result(classes);
  const auto inside = [&](std::int32_t label) { return label >= 0 && label < classes; };
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!inside(truth[i]) || !inside(predicted[i]))
      throw InvalidArgument(
          fmt::format("count_confusion: sample {} has label {} and prediction {}, expected 0 to {}",
                      i, truth[i], predicted[i], classes - 1));
    ++result.at(truth[i], predicted[i]);
  }
  return result;
}

}  // namespace fovea
