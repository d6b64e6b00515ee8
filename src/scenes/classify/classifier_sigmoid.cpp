// Converts margins to probabilities.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "scenes/classify/classifier_parts.h"

namespace fovea::scenes {
namespace {

// Computes log(1 + exp(x)) without overflow.
double log_one_plus_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// The fewer samples there are, the farther the targets are from 0 and 1 (Platt's eq. 1).
struct Fit {
  std::span<const float> margins;
  std::vector<double> targets;

  double loss(const Sigmoid& s) const {
    double sum = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      const double x = s.slope * margins[i] + s.offset;
      sum += log_one_plus_exp(x) - (1 - targets[i]) * x;
    }
    return sum;
  }
};

}  // namespace

double Sigmoid::operator()(double margin) const {
  const double x = slope * margin + offset;
  return x > 0 ? std::exp(-x) / (1 + std::exp(-x)) : 1 / (1 + std::exp(x));
}

Sigmoid fit_sigmoid(std::span<const float> margins, std::span<const std::int8_t> belongs) {
  constexpr int kMostSteps = 100;
  constexpr double kLeastStep = 1e-10, kRidge = 1e-12, kFlat = 1e-5, kArmijo = 1e-4;
  const auto inside = static_cast<double>(std::ranges::count(belongs, std::int8_t{1}));
  const double outside = static_cast<double>(belongs.size()) - inside;
  Fit fit{margins, std::vector<double>(margins.size())};
  for (std::size_t i = 0; i < belongs.size(); ++i)
    fit.targets[i] = belongs[i] == 1 ? (inside + 1) / (inside + 2) : 1 / (outside + 2);

  Sigmoid now{0, std::log((outside + 1) / (inside + 1))};
  double loss = fit.loss(now);
  for (int step = 0; step < kMostSteps; ++step) {
    double h11 = kRidge, h22 = kRidge, h21 = 0, g1 = 0, g2 = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      const double p = now(margins[i]), m = margins[i];
      const double curvature = p * (1 - p), slope = fit.targets[i] - p;
      h11 += m * m * curvature;
      h21 += m * curvature;
      h22 += curvature;
      g1 += m * slope;
      g2 += slope;
    }
    if (std::abs(g1) < kFlat && std::abs(g2) < kFlat) break;
    const double determinant = h11 * h22 - h21 * h21;
    const double d_slope = -(h22 * g1 - h21 * g2) / determinant;
    const double d_offset = -(h11 * g2 - h21 * g1) / determinant;
    const double descent = g1 * d_slope + g2 * d_offset;
    double size = 1;
    for (; size >= kLeastStep; size /= 2) {
      const Sigmoid next{now.slope + size * d_slope, now.offset + size * d_offset};
      const double next_loss = fit.loss(next);
      if (next_loss < loss + kArmijo * size * descent) {
        now = next;
        loss = next_loss;
        break;
      }
    }
    if (size < kLeastStep) break;
  }
  return now;
}

}  // namespace fovea::scenes
