// Sampled Gaussians and their derivatives, each corrected so that its moments are exact. Without
// the correction, a sampled and truncated derivative would not be 0 on a constant, and on a ramp it
// would be a little less than the slope.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/ops/convolve.h>

#include <cmath>

#include "ops/convolve/convolve_math.h"

namespace fovea {
namespace {

constexpr double kReach = 4;  // in units of sigma

// The number of taps on each side of the middle.
int radius_for(const char* operation, double sigma, int size) {
  if (!(sigma > 0) || !std::isfinite(sigma))
    throw InvalidArgument(fmt::format("{}: sigma is {}, expected more than 0", operation, sigma));
  if (size < 0 || size > detail::kMostTaps || (size > 0 && size % 2 == 0))
    throw InvalidArgument(
        fmt::format("{}: size is {}, expected an odd number up to {}, or 0 for one "
                    "that fits sigma",
                    operation, size, detail::kMostTaps));
  if (size > 0) return size / 2;
  const double reach = std::ceil(kReach * sigma);
  constexpr int kMostReach = detail::kMostTaps / 2;
  if (reach > kMostReach)
    throw InvalidArgument(
        fmt::format("{}: sigma {} needs more than {} taps; shrink the image first", operation,
                    sigma, detail::kMostTaps));
  return static_cast<int>(reach);
}

// Throws where this moment, which is a divisor, is 0: a Gaussian may be so narrow that only its
// middle sample is not 0.
void require_moment(const char* operation, double sigma, double moment) {
  if (moment > 0) return;
  throw InvalidArgument(fmt::format(
      "{}: sigma {} is too small for a derivative, expected 0.1 or more", operation, sigma));
}

std::vector<double> gaussian_samples(double sigma, int radius) {
  std::vector<double> samples;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    samples.push_back(std::exp(-0.5 * (i / sigma) * (i / sigma)));
    sum += samples.back();
  }
  for (double& sample : samples) sample /= sum;
  return samples;
}

}  // namespace

std::vector<float> gaussian_kernel(double sigma, int size) {
  const auto samples = gaussian_samples(sigma, radius_for("gaussian_kernel", sigma, size));
  return {samples.begin(), samples.end()};
}

std::vector<float> gaussian_derivative_kernel(double sigma, int order, int size) {
  if (order != 1 && order != 2)
    throw InvalidArgument(
        fmt::format("gaussian_derivative_kernel: order is {}, expected 1 or 2", order));
  const int radius = radius_for("gaussian_derivative_kernel", sigma, size);
  if (radius == 0)
    throw InvalidArgument("gaussian_derivative_kernel: size is 1, expected 3 or more");
  std::vector<double> samples = gaussian_samples(sigma, radius);
  double variance = 0;  // variance of the sampled Gaussian
  for (int i = -radius; i <= radius; ++i) variance += samples[i + radius] * i * i;
  double moment = 0;  // the response to a ramp x, or to a parabola x^2 / 2
  for (int i = -radius; i <= radius; ++i) {
    double& sample = samples[i + radius];
    sample *= order == 1 ? i : i * i - variance;
    moment += sample * (order == 1 ? i : 0.5 * i * i);
  }
  require_moment("gaussian_derivative_kernel", sigma, moment);
  for (double& sample : samples) sample /= moment;
  return {samples.begin(), samples.end()};
}

Image<float> laplacian_of_gaussian_kernel(double sigma, int size) {
  const int radius = radius_for("laplacian_of_gaussian_kernel", sigma, size);
  if (radius == 0)
    throw InvalidArgument("laplacian_of_gaussian_kernel: size is 1, expected 3 or more");
  // Both factors are double, because the taps near the zero crossing are differences of nearly
  // equal numbers.
  const std::vector<double> gaussian = gaussian_samples(sigma, radius);
  double variance = 0, fourth = 0;
  for (int i = -radius; i <= radius; ++i) {
    variance += gaussian[i + radius] * i * i;
    fourth += gaussian[i + radius] * i * i * i * i;
  }
  const double moment = 0.5 * (fourth - variance * variance);
  require_moment("laplacian_of_gaussian_kernel", sigma, moment);
  Image<float> kernel(2 * radius + 1, 2 * radius + 1);
  for (int y = -radius; y <= radius; ++y)
    for (int x = -radius; x <= radius; ++x)
      kernel.at(x + radius, y + radius) = static_cast<float>(
          gaussian[x + radius] * gaussian[y + radius] * (x * x + y * y - 2 * variance) / moment);
  return kernel;
}

std::vector<float> box_kernel(int size) {
  if (size < 1 || size > detail::kMostTaps)
    throw InvalidArgument(
        fmt::format("box_kernel: size is {}, expected 1 to {}", size, detail::kMostTaps));
  return std::vector<float>(static_cast<std::size_t>(size), 1.0F / static_cast<float>(size));
}

}  // namespace fovea
