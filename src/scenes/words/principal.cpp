// Principal axes by the eigenvectors of the covariance, which cyclic Jacobi rotations find. Sums
// are in a fixed order, so that the number of threads does not matter.
#include "scenes/words/principal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "core/parallel.h"

namespace fovea::scenes {
namespace {

constexpr int kSweeps = 30;
constexpr double kDone = 1e-20;  // of the diagonal's squares

std::vector<double> mean_of(ImageView<const float> samples) {
  std::vector<double> mean(static_cast<std::size_t>(samples.width), 0.0);
  for (int y = 0; y < samples.height; ++y)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += samples.row(y)[i];
  for (double& number : mean) number /= samples.height;
  return mean;
}

// Each row of the matrix is one piece of work, which reads all samples.
Image<double> covariance_of(ImageView<const float> samples, const std::vector<double>& mean,
                            const Exec& exec) {
  constexpr int kRows = 16;
  Image<double> covariance(samples.width, samples.width);
  parallel_for(exec, samples.width, kRows, [&](std::int64_t begin, std::int64_t end) {
    const int first = static_cast<int>(begin), last = static_cast<int>(end);
    for (int i = first; i < last; ++i) std::fill_n(covariance.row(i), samples.width, 0.0);
    std::vector<double> away(mean.size());
    for (int y = 0; y < samples.height; ++y) {
      for (std::size_t k = 0; k < away.size(); ++k) away[k] = samples.row(y)[k] - mean[k];
      for (int i = first; i < last; ++i) {
        double* row = covariance.row(i);
        const double factor = away[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < away.size(); ++k) row[k] += factor * away[k];
      }
    }
    for (int i = first; i < last; ++i)
      for (int k = 0; k < samples.width; ++k) covariance.at(k, i) /= samples.height;
  });
  return covariance;
}

// Rotates the rows and columns p and q so that their common element becomes 0; the rows of
// `vectors` turn along.
void rotate(Image<double>& matrix, Image<double>& vectors, int p, int q) {
  const double off = matrix.at(q, p);
  if (off == 0) return;
  const double angle = (matrix.at(q, q) - matrix.at(p, p)) / (2 * off);
  const double t = (angle < 0 ? -1 : 1) / (std::fabs(angle) + std::sqrt(angle * angle + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  const auto turn = [&](double& a, double& b) {
    const double old = a;
    a = c * old - s * b;
    b = s * old + c * b;
  };
  double *row_p = matrix.row(p), *row_q = matrix.row(q);
  for (int k = 0; k < matrix.width(); ++k) turn(row_p[k], row_q[k]);
  for (int k = 0; k < matrix.height(); ++k) turn(matrix.at(p, k), matrix.at(q, k));
  double *vector_p = vectors.row(p), *vector_q = vectors.row(q);
  for (int k = 0; k < vectors.width(); ++k) turn(vector_p[k], vector_q[k]);
}

// Returns whether the elements off the diagonal are small.
bool is_diagonal(const Image<double>& matrix) {
  double on = 0, off = 0;
  for (int i = 0; i < matrix.height(); ++i)
    for (int k = 0; k < matrix.width(); ++k)
      (i == k ? on : off) += matrix.at(k, i) * matrix.at(k, i);
  return !(off > kDone * on);
}

}  // namespace

PrincipalAxes principal_axes(ImageView<const float> samples, const Exec& exec) {
  PrincipalAxes result;
  result.mean = mean_of(samples);
  const int size = samples.width;
  Image<double> matrix = covariance_of(samples, result.mean, exec);
  Image<double> vectors(size, size);
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < size; ++k) vectors.at(k, i) = i == k ? 1 : 0;
  for (int sweep = 0; sweep < kSweeps && !is_diagonal(matrix); ++sweep)
    for (int p = 0; p < size; ++p)
      for (int q = p + 1; q < size; ++q) rotate(matrix, vectors, p, q);

  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return matrix.at(a, a) > matrix.at(b, b); });
  result.axes = Image<double>(size, size);
  result.variances.reserve(order.size());
  for (int j = 0; j < size; ++j) {
    const int from = order[static_cast<std::size_t>(j)];
    result.variances.push_back(std::max(matrix.at(from, from), 0.0));
    const double* vector = vectors.row(from);
    const double greatest = *std::max_element(
        vector, vector + size, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    for (int k = 0; k < size; ++k) result.axes.at(k, j) = greatest < 0 ? -vector[k] : vector[k];
  }
  return result;
}

}  // namespace fovea::scenes
