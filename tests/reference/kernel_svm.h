// The textbook's support vector machine with an RBF kernel, in double: sequential minimal
// optimization of the pair of dual variables that violates the conditions most.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fovea::reference {

inline double rbf_kernel(ImageView<const float> a, int y, ImageView<const float> b, int x,
                         double gamma) {
  double distance = 0;
  for (int k = 0; k < a.width; ++k) {
    const double difference = static_cast<double>(a.at(k, y)) - b.at(k, x);
    distance += difference * difference;
  }
  return std::exp(-gamma * distance);
}

struct RbfSvm {
  std::vector<double> alpha;
  double bias = 0;
  double objective = 0;  // of the dual
};

inline RbfSvm rbf_svm(ImageView<const float> samples, std::span<const std::int8_t> labels,
                      std::span<const double> costs, double gamma, double tolerance) {
  const int count = samples.height;
  RbfSvm svm{std::vector<double>(static_cast<std::size_t>(count)), 0, 0};
  const auto sum_at = [&](int i) {
    double sum = 0;
    for (int k = 0; k < count; ++k)
      if (svm.alpha[k] != 0)
        sum += svm.alpha[k] * labels[k] * rbf_kernel(samples, k, samples, i, gamma);
    return sum;
  };
  for (;;) {
    int up = -1, down = -1;
    double most = -std::numeric_limits<double>::infinity(), least = -most;
    for (int i = 0; i < count; ++i) {
      const double target = labels[i] - sum_at(i);
      const bool may_rise = labels[i] > 0 ? svm.alpha[i] < costs[i] : svm.alpha[i] > 0;
      const bool may_fall = labels[i] > 0 ? svm.alpha[i] > 0 : svm.alpha[i] < costs[i];
      if (may_rise && target > most) most = target, up = i;
      if (may_fall && target < least) least = target, down = i;
    }
    svm.bias = (most + least) / 2;
    if (most - least <= tolerance) break;
    const double curvature = 2 - 2 * rbf_kernel(samples, up, samples, down, gamma);
    const double room_up = labels[up] > 0 ? costs[up] - svm.alpha[up] : svm.alpha[up];
    const double room_down = labels[down] > 0 ? svm.alpha[down] : costs[down] - svm.alpha[down];
    const double step = std::min({(most - least) / std::max(curvature, 1e-12), room_up, room_down});
    svm.alpha[up] += labels[up] * step;
    svm.alpha[down] -= labels[down] * step;
    if (step == room_up) svm.alpha[up] = labels[up] > 0 ? costs[up] : 0;
    if (step == room_down) svm.alpha[down] = labels[down] > 0 ? 0 : costs[down];
  }
  for (int i = 0; i < count; ++i)
    svm.objective += svm.alpha[i] - 0.5 * svm.alpha[i] * labels[i] * sum_at(i);
  return svm;
}

}  // namespace fovea::reference
