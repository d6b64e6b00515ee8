#include "scenes/words/place_terms.h"

#include <algorithm>
#include <cmath>

namespace fovea::scenes::cpu {
namespace {

// A sum whose terms cancel up to rounding is divided by weights instead of by terms.
constexpr double kCancelled = 1e-9;

}  // namespace

PlaceTerms::PlaceTerms(const CodePlan& plan, int pyramid)
    : plan_(plan),
      pyramid_(pyramid),
      length_(static_cast<std::size_t>(plan.shape.sums())),
      tables_(length_ << (2 * pyramid), 0.0),
      cell_(length_) {}

void PlaceTerms::add_soft(std::span<const std::int64_t> sums, std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (sums[k] != 0) cell_[k] += values[k] / static_cast<double>(sums[k]);
}

// The terms are those of code_value().
void PlaceTerms::add_moments(std::span<const std::int64_t> sums, std::span<const double> values) {
  const CodeShape& shape = plan_.shape;
  const CodeFactors factors = plan_.factors();
  const auto moments = static_cast<std::size_t>(shape.moments());
  const auto words = static_cast<std::size_t>(shape.words);
  const auto sum = [&](std::int64_t at) { return sums[static_cast<std::size_t>(at)]; };
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at] == 0) continue;
    const bool squares = at >= moments;
    const std::size_t i = squares ? at - moments : at;
    const std::size_t k = i / static_cast<std::size_t>(shape.components);
    const double mean = factors.means[i];
    double scale = 1, constant = -mean, linear = 1, square = 0;
    if (shape.coding == Coding::kFisher) scale = squares ? factors.second[i] : factors.first[i];
    if (squares) {
      square = 1;
      linear = -2 * mean;
      constant = mean * mean - factors.spreads[i];
    }
    const double value = code_value(shape, factors, static_cast<std::int64_t>(at), sum);
    const auto weight = static_cast<double>(sums[k]);
    const double size = std::fabs(weight * constant) +
                        std::fabs(static_cast<double>(sums[words + i]) * linear) +
                        (squares ? static_cast<double>(sums[words + moments + i]) : 0);
    if (!(std::fabs(value) > kCancelled * std::fabs(scale) * size)) {
      if (weight > 0) cell_[k] += values[at] / weight;
      continue;
    }
    const double factor = values[at] * scale / value;
    cell_[k] += factor * constant;
    cell_[words + i] += factor * linear;
    if (squares) cell_[words + moments + i] += factor * square;
  }
}

void PlaceTerms::add(int level, int cell, std::span<const std::int64_t> sums,
                     std::span<const double> values) {
  std::ranges::fill(cell_, 0.0);
  if (plan_.shape.coding == Coding::kSoft) add_soft(sums, values);
  else add_moments(sums, values);
  const int parts = 1 << (pyramid_ - level), across = 1 << level;
  for (int part = 0; part < parts * parts; ++part) {
    const int x = cell % across * parts + part % parts;
    const int y = cell / across * parts + part / parts;
    double* to = tables_.data() + static_cast<std::size_t>((y << pyramid_) + x) * length_;
    for (std::size_t i = 0; i < length_; ++i) to[i] += cell_[i];
  }
}

double PlaceTerms::of_place(std::size_t finest, const CodedPlace& place) const {
  const CodeShape& shape = plan_.shape;
  const double* constant = tables_.data() + finest * length_;
  const double* linear = constant + shape.words;
  const double* square = linear + shape.moments();
  double sum = 0;
  for (int k = 0; k < shape.words; ++k) {
    const float weight = place.weights[std::ptrdiff_t{k} * kCodeBlock];
    if (weight == 0) continue;
    double of_word = constant[k];
    const std::ptrdiff_t first = std::ptrdiff_t{k} * shape.components;
    if (shape.coding != Coding::kSoft)
      for (int j = 0; j < shape.components; ++j) {
        const double u = place.units[j];
        of_word += linear[first + j] * u;
        if (shape.coding == Coding::kFisher) of_word += square[first + j] * (u * u);
      }
    sum += static_cast<double>(weight) * of_word;
  }
  return sum;
}

}  // namespace fovea::scenes::cpu
