// The signature of every pixel of a cube as signature.h describes it, with the functions of the C
// library and one plain loop per step. Pixels without a signature have no mass.
#pragma once
#include <fovea/emd/signature.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/eigen/symmetric_eigen.h"

namespace fovea::reference {

using Spectrum = std::vector<double>;

// The sums of adjacent bands, averaged over windows; empty where a value is not finite.
inline std::vector<Spectrum> grouped(StackView<const float> cube, int groups, int window) {
  std::vector<Spectrum> all;
  for (int y = 0; y < cube.height; ++y)
    for (int x = 0; x < cube.width; ++x) {
      Spectrum sums(static_cast<std::size_t>(groups));
      for (int b = 0; b < cube.count; ++b) {
        double sum = 0;
        for (int dy = -(window / 2); dy <= window / 2; ++dy)
          for (int dx = -(window / 2); dx <= window / 2; ++dx)
            sum += static_cast<double>(cube.plane(b).at(std::clamp(x + dx, 0, cube.width - 1),
                                                        std::clamp(y + dy, 0, cube.height - 1)));
        const double mean = sum / (window * window);
        sums[static_cast<std::size_t>(b * groups / cube.count)] +=
            std::isfinite(mean) ? std::max(mean, 0.0) : mean;
      }
      const bool finite =
          std::all_of(sums.begin(), sums.end(), [](double sum) { return std::isfinite(sum); });
      all.push_back(finite ? sums : Spectrum());
    }
  return all;
}

// Contrasts as masses, not scaled.
inline std::vector<Spectrum> contrasts(StackView<const float> cube,
                                       const emd::SignatureOptions& options) {
  const int groups = std::min((options.bins - 1) / 2, cube.count);
  const auto n = static_cast<std::size_t>(groups);
  std::vector<Spectrum> all = grouped(cube, groups, options.window);
  Spectrum dark(n), mean(n), covariance(n * n);
  double count = 0;
  for (const Spectrum& one : all) count += one.empty() ? 0 : 1;
  const auto add = [&](Spectrum& sums) {
    for (const Spectrum& one : all)
      for (std::size_t i = 0; i < one.size(); ++i) sums[i] += one[i] / count;
  };
  add(dark);
  for (Spectrum& one : all)
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = std::log1p(one[i] / (0.01 * dark[i]));
  add(mean);
  for (const Spectrum& one : all)
    for (std::size_t i = 0; i < one.size(); ++i)
      for (std::size_t j = 0; j < n; ++j)
        covariance[i * n + j] += (one[i] - mean[i]) * (one[j] - mean[j]) / count;
  const Spectrum white = fovea::detail::inverse_square_root(covariance, groups, options.floor);
  double total = 0;
  for (Spectrum& one : all) {
    if (one.empty()) continue;
    Spectrum masses(2 * n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += white[i * n + j] * (one[j] - mean[j]);
      masses[sum > 0 ? i : n + i] = std::pow(std::abs(sum), options.power);
      total += std::pow(std::abs(sum), options.power);
    }
    one = masses;
  }
  for (Spectrum& one : all)
    if (!one.empty()) one.back() = options.plain * total / count;
  return all;
}

}  // namespace fovea::reference
