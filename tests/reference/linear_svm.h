// The textbook's linear support vector machine with a free bias, in double: sequential minimal
// optimization of the pair of dual variables that violates the conditions most, kernel and all.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fovea::reference {

struct LinearSvm {
  std::vector<double> weights;
  double bias = 0;
};

inline double score(ImageView<const float> samples, int row, std::span<const double> weights,
                    double bias) {
  double sum = bias;
  for (int k = 0; k < samples.width; ++k) sum += weights[k] * samples.at(k, row);
  return sum;
}

inline double svm_objective(ImageView<const float> samples, std::span<const std::int8_t> labels,
                            std::span<const double> costs, const LinearSvm& svm) {
  double sum = 0;
  for (const double weight : svm.weights) sum += weight * weight / 2;
  for (int i = 0; i < samples.height; ++i)
    sum += costs[i] * std::max(0.0, 1 - labels[i] * score(samples, i, svm.weights, svm.bias));
  return sum;
}

inline LinearSvm linear_svm(ImageView<const float> samples, std::span<const std::int8_t> labels,
                            std::span<const double> costs, double tolerance) {
  const int count = samples.height;
  LinearSvm svm{std::vector<double>(samples.width), 0};
  std::vector<double> alpha(count);
  for (;;) {
    // Of those that may grow along their label the one with the largest target, and the opposite.
    int up = -1, down = -1;
    double most = -std::numeric_limits<double>::infinity(), least = -most;
    for (int i = 0; i < count; ++i) {
      const double target = labels[i] - score(samples, i, svm.weights, 0);
      const bool may_rise = labels[i] > 0 ? alpha[i] < costs[i] : alpha[i] > 0;
      const bool may_fall = labels[i] > 0 ? alpha[i] > 0 : alpha[i] < costs[i];
      if (may_rise && target > most) most = target, up = i;
      if (may_fall && target < least) least = target, down = i;
    }
    svm.bias = (most + least) / 2;
    if (most - least <= tolerance) return svm;
    double distance = 0;
    for (int k = 0; k < samples.width; ++k) {
      const double difference = samples.at(k, up) - samples.at(k, down);
      distance += difference * difference;
    }
    const double room_up = labels[up] > 0 ? costs[up] - alpha[up] : alpha[up];
    const double room_down = labels[down] > 0 ? alpha[down] : costs[down] - alpha[down];
    const double step = std::min({(most - least) / std::max(distance, 1e-12), room_up, room_down});
    alpha[up] += labels[up] * step;
    alpha[down] -= labels[down] * step;
    if (step == room_up) alpha[up] = labels[up] > 0 ? costs[up] : 0;
    if (step == room_down) alpha[down] = labels[down] > 0 ? 0 : costs[down];
    for (int k = 0; k < samples.width; ++k)
      svm.weights[k] += step * (samples.at(k, up) - samples.at(k, down));
  }
}

}  // namespace fovea::reference
