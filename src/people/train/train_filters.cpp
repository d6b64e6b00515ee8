// The autocovariance is taken as stationary: it depends only on how far two cells of a window are
// apart, and is estimated from all pairs at that distance. Sums are integers, so that their order
// does not matter.
#include "people/train/train_filters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "ops/eigen/symmetric_eigen.h"
#include "people/filtered/filter_cells.h"

namespace fovea::people {
namespace {

constexpr int kSide = FilterBank::kSide, kTaps = FilterBank::kTaps;
constexpr int kFar = kSide - 1;           // the greatest distance of two taps, across or down
constexpr int kDistances = 2 * kFar + 1;  // across, from -kFar to kFar
constexpr double kDeviations = 3.5;

using Matrix = std::array<double, static_cast<std::size_t>(kTaps) * kTaps>;  // row by row

// As models were trained, to the bit.
constexpr fovea::detail::JacobiOptions kRotations{.most_sweeps = 30, .done = -1, .hypot = false};

// One channel of all windows.
struct ChannelPlanes {
  const std::uint8_t* first;  // of the first window
  std::size_t count;          // number of windows
  std::size_t stride;         // bytes from window to window
  Extent cells;

  int at(std::size_t window, int x, int y) const {
    return first[window * stride + static_cast<std::size_t>(y) * cells.width + x];
  }
};

// The mean product of two cells dx and dy apart, dy not negative, less that of their means.
double covariance(const ChannelPlanes& planes, int dx, int dy) {
  const int left = std::max(0, -dx), right = std::min(planes.cells.width, planes.cells.width - dx);
  std::int64_t products = 0, here = 0, there = 0, pairs = 0;
  for (std::size_t w = 0; w < planes.count; ++w)
    for (int y = 0; y + dy < planes.cells.height; ++y)
      for (int x = left; x < right; ++x) {
        const int a = planes.at(w, x, y), b = planes.at(w, x + dx, y + dy);
        products += std::int64_t{a} * b;
        here += a;
        there += b;
        ++pairs;
      }
  if (pairs == 0) return 0;
  const auto n = static_cast<double>(pairs);
  return static_cast<double>(products) / n -
         static_cast<double>(here) / n * (static_cast<double>(there) / n);
}

Matrix autocovariance(const ChannelPlanes& planes) {
  std::array<std::array<double, kDistances>, kSide> by_distance{};
  for (int dy = 0; dy <= kFar; ++dy)
    for (int dx = dy == 0 ? 0 : -kFar; dx <= kFar; ++dx)
      by_distance[dy][dx + kFar] = covariance(planes, dx, dy);
  Matrix matrix{};
  for (int i = 0; i < kTaps; ++i)
    for (int j = 0; j < kTaps; ++j) {
      int dx = j % kSide - i % kSide, dy = j / kSide - i / kSide;
      if (dy < 0 || (dy == 0 && dx < 0)) {
        dx = -dx;
        dy = -dy;
      }
      matrix[static_cast<std::size_t>(i) * kTaps + j] = by_distance[dy][dx + kFar];
    }
  return matrix;
}

// An eigenvector as integers, the largest weight positive, with absolute weights that add up to
// kMostWeight at most.
std::array<std::int8_t, kTaps> quantized(const std::vector<double>& vectors, std::size_t column) {
  const auto vector = [&](int i) { return vectors[static_cast<std::size_t>(i) * kTaps + column]; };
  double sum = 0, largest = 0;
  for (int i = 0; i < kTaps; ++i) {
    sum += std::abs(vector(i));
    if (std::abs(vector(i)) > std::abs(largest) * (1 + 1e-9)) largest = vector(i);
  }
  constexpr int kRounding = kTaps / 2;  // what rounding adds to the sum of weights at most
  const double scale = std::min((filtered::kMostWeight - kRounding) / sum, 127 / std::abs(largest));
  std::array<std::int8_t, kTaps> weights{};
  for (int i = 0; i < kTaps; ++i)
    weights[i] = static_cast<std::int8_t>(std::lround(vector(i) * (largest < 0 ? -scale : scale)));
  return weights;
}

// Adds the gain and the offset of a filter.
void fit_range(const ChannelPlanes& planes, const std::array<std::int8_t, kTaps>& weights,
               FilterBank& bank) {
  std::int64_t sum = 0, squares = 0, count = 0;
  for (std::size_t w = 0; w < planes.count; ++w)
    for (int y = 0; y + kSide <= planes.cells.height; ++y)
      for (int x = 0; x + kSide <= planes.cells.width; ++x) {
        int response = 0;
        for (int t = 0; t < kTaps; ++t)
          response += weights[t] * (planes.at(w, x + t % kSide, y + t / kSide) - filtered::kMiddle);
        sum += response;
        squares += std::int64_t{response} * response;
        ++count;
      }
  const double n = std::max(1.0, static_cast<double>(count));
  const double mean = static_cast<double>(sum) / n,
               variance = static_cast<double>(squares) / n - mean * mean;
  const double gain = 255 * 65536.0 / (2 * kDeviations * std::sqrt(std::max(variance, 1.0)));
  bank.gain.push_back(static_cast<std::int16_t>(std::clamp(std::lround(gain), 1L, 32767L)));
  const double offset = 128 - mean * bank.gain.back() / 65536;
  bank.offset.push_back(
      static_cast<std::int16_t>(std::clamp(std::lround(offset), -32768L, 32767L)));
}

}  // namespace

FilterBank learn_filters(std::span<const std::uint8_t> windows, Extent cells, int filters) {
  const auto plane = static_cast<std::size_t>(cells.width) * cells.height;
  const std::size_t stride = plane * channels::kChannels;
  FilterBank bank;
  bank.filters = filters;
  for (std::size_t k = 0; k < channels::kChannels; ++k) {
    const ChannelPlanes planes{windows.data() + k * plane, windows.size() / stride, stride, cells};
    const fovea::detail::SymmetricEigen eigen =
        fovea::detail::symmetric_eigen(autocovariance(planes), kTaps, kRotations);
    std::array<std::size_t, kTaps> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return eigen.values[a] > eigen.values[b];
    });
    for (int f = 0; f < filters; ++f) {
      const auto weights = quantized(eigen.vectors, order[static_cast<std::size_t>(f)]);
      bank.weights.insert(bank.weights.end(), weights.begin(), weights.end());
      fit_range(planes, weights, bank);
    }
  }
  return bank;
}

}  // namespace fovea::people
