// Principal axes by the eigenvectors of the covariance. Sums are in a fixed order, so that the
// number of threads does not matter.
#include "scenes/words/principal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "core/parallel.h"
#include "ops/eigen/symmetric_eigen.h"

namespace fovea::scenes {
namespace {

// As models were trained, to the bit.
constexpr fovea::detail::JacobiOptions kRotations{
    .most_sweeps = 30, .done = 1e-20, .hypot = false, .below = true};

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

}  // namespace

PrincipalAxes principal_axes(ImageView<const float> samples, const Exec& exec) {
  PrincipalAxes result;
  result.mean = mean_of(samples);
  const int size = samples.width;
  const auto count = static_cast<std::size_t>(size);
  const Image<double> covariance = covariance_of(samples, result.mean, exec);
  std::vector<double> matrix;
  matrix.reserve(count * count);
  for (int i = 0; i < size; ++i)
    matrix.insert(matrix.end(), covariance.row(i), covariance.row(i) + size);
  const fovea::detail::SymmetricEigen eigen =
      fovea::detail::symmetric_eigen(matrix, size, kRotations);

  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return eigen.values[a] > eigen.values[b]; });
  result.axes = Image<double>(size, size);
  result.variances.reserve(order.size());
  std::vector<double> vector(count);
  for (int j = 0; j < size; ++j) {
    const std::size_t from = order[static_cast<std::size_t>(j)];
    result.variances.push_back(std::max(eigen.values[from], 0.0));
    for (std::size_t k = 0; k < count; ++k) vector[k] = eigen.vectors[k * count + from];
    const double greatest = *std::ranges::max_element(
        vector, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    for (std::size_t k = 0; k < count; ++k)
      result.axes.at(static_cast<int>(k), j) = greatest < 0 ? -vector[k] : vector[k];
  }
  return result;
}

}  // namespace fovea::scenes
