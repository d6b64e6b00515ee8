// The matrix of all products of samples, its Cholesky factor, and samples as points of their span.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"

namespace fovea::scenes {
namespace {

using cpu::kTileRows;

// If the part of a sample that is orthogonal to the samples before it has less than this share of
// its square, the sample lies in their span, up to rounding.
constexpr double kSpanned = 1e-7;

// With more samples than this, the matrix of all products costs more than it saves.
constexpr int kMostBasis = 6000;

struct TileAt {
  int row, column;
};

void products(ImageView<const float> samples, Image<double>& all, const Exec& exec) {
  std::vector<TileAt> tiles;
  for (int row = 0; row < samples.height; row += kTileRows)
    for (int column = 0; column <= row; column += kTileRows) tiles.push_back({row, column});
  const auto count = static_cast<std::int64_t>(tiles.size());
  parallel_for(exec, count, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(static_cast<std::size_t>(kTileRows) * kTileRows);
    for (std::int64_t i = begin; i < end; ++i) {
      const TileAt at = tiles[static_cast<std::size_t>(i)];
      const int rows = std::min(kTileRows, samples.height - at.row);
      const int columns = std::min(kTileRows, samples.height - at.column);
      std::ranges::fill(sums, 0);
      cpu::add_products({samples, at.row, rows, at.column, columns}, sums);
      for (int y = 0; y < rows; ++y)
        std::copy_n(sums.data() + static_cast<std::ptrdiff_t>(y) * kTileRows, columns,
                    all.row(at.row + y) + at.column);
    }
  });
}

// Four independent sums hide the latency of additions.
double dot(const double* a, const double* b, int count) {
  double sums[4] = {};
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Works in place and in blocks of columns: the rows below a block do not depend on each other.
void factorize(Image<double>& matrix, const Exec& exec) {
  constexpr int kBlock = 64;
  const int size = matrix.height();
  const auto advance = [&](int row, int first, int last) {
    double* mine = matrix.row(row);
    for (int column = first; column < std::min(last, row); ++column) {
      const double pivot = matrix.at(column, column);
      mine[column] =
          pivot > 0 ? (mine[column] - dot(mine, matrix.row(column), column)) / pivot : 0.0;
    }
    if (row < last) {
      const double left = mine[row] - dot(mine, mine, row);
      mine[row] = left > kSpanned * mine[row] ? std::sqrt(left) : 0.0;
    }
  };
  for (int first = 0; first < size; first += kBlock) {
    const int last = std::min(first + kBlock, size);
    for (int row = first; row < last; ++row) advance(row, first, last);
    parallel_for(exec, size - last, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) advance(last + static_cast<int>(i), first, last);
    });
  }
}

}  // namespace

ProductBasis::ProductBasis(ImageView<const float> samples, const Exec& exec)
    : factor_(samples.height, samples.height), rows_(samples.height, samples.height) {
  products(samples, factor_, exec);
  factorize(factor_, exec);
  for (int y = 0; y < samples.height; ++y) {
    std::fill_n(rows_.row(y), samples.height, 0.F);
    for (int x = 0; x <= y; ++x) rows_.at(x, y) = static_cast<float>(factor_.at(x, y));
  }
}

// Solves weights = L' factors from the last row to the first. Errors do not grow: |L' e| is the
// length of the sum of samples with factors e.
std::vector<double> ProductBasis::factors(std::span<const float> weights) const {
  std::vector<double> left(weights.begin(), weights.end());
  std::vector<double> result(weights.size(), 0.0);
  for (std::size_t i = weights.size(); i-- > 0;) {
    const double* row = factor_.row(static_cast<int>(i));
    if (!(row[i] > 0)) continue;
    result[i] = left[i] / row[i];
    for (std::size_t k = 0; k < i; ++k) left[k] -= result[i] * row[k];
  }
  return result;
}

MappedSamples::MappedSamples(Kernel kernel, ImageView<const float> histograms, const Exec& exec)
    : mapped_(mapped_rows(KernelMap(kernel), histograms, exec)) {
  if (mapped_.width() > mapped_.height() && mapped_.height() <= kMostBasis)
    basis_.emplace(mapped_, exec);
}

std::vector<float> MappedSamples::weights(std::span<const float> of_rows) const {
  if (!basis_) return {of_rows.begin(), of_rows.end()};
  const std::vector<double> factors = basis_->factors(of_rows);
  std::vector<double> sums(static_cast<std::size_t>(mapped_.width()), 0.0);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0) continue;
    const float* row = mapped_.row(static_cast<int>(i));
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += factors[i] * row[k];
  }
  return {sums.begin(), sums.end()};
}

}  // namespace fovea::scenes
