// k-means as textbooks have it: every distance, in double.
#pragma once
#include <fovea/core/image.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fovea::reference {

// |c|^2 / 2 - p . c, in single precision, fma after fma.
inline float score(const float* point, const float* center, int dimensions) {
  double square = 0;
  for (int i = 0; i < dimensions; ++i)
    square += static_cast<double>(center[i]) * static_cast<double>(center[i]);
  auto sum = static_cast<float>(square / 2);
  for (int i = 0; i < dimensions; ++i) sum = std::fma(-point[i], center[i], sum);
  return sum;
}

// The least score, the first among equals.
inline std::vector<std::int32_t> nearest(ImageView<const float> points,
                                         ImageView<const float> centers) {
  std::vector<std::int32_t> labels;
  for (int p = 0; p < points.height; ++p) {
    std::int32_t best = 0;
    float least = std::numeric_limits<float>::infinity();
    for (int c = 0; c < centers.height; ++c) {
      const float s = score(points.row(p), centers.row(c), points.width);
      if (s < least) {
        least = s;
        best = c;
      }
    }
    labels.push_back(best);
  }
  return labels;
}

inline double squared_distance(const float* a, const double* b, int dimensions) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

struct Kmeans {
  std::vector<std::vector<double>> centers;
  std::vector<std::int32_t> labels;
  double inertia = 0;
  int iterations = 0;
};

// From every (points / clusters)-th point until no label changes; clusters never run empty.
inline Kmeans kmeans(ImageView<const float> points, int clusters) {
  const int dimensions = points.width;
  Kmeans result;
  for (int c = 0; c < clusters; ++c) {
    const float* row = points.row(c * (points.height / clusters));
    result.centers.emplace_back(row, row + dimensions);
  }
  result.labels.assign(static_cast<std::size_t>(points.height), -1);
  for (bool changed = true; changed; ++result.iterations) {
    changed = false;
    result.inertia = 0;
    std::vector<std::vector<double>> sums(
        static_cast<std::size_t>(clusters),
        std::vector<double>(static_cast<std::size_t>(dimensions)));
    std::vector<int> counts(static_cast<std::size_t>(clusters));
    for (int p = 0; p < points.height; ++p) {
      std::int32_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (int c = 0; c < clusters; ++c) {
        const double distance = squared_distance(
            points.row(p), result.centers[static_cast<std::size_t>(c)].data(), dimensions);
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      result.inertia += least;
      changed |= result.labels[static_cast<std::size_t>(p)] != best;
      result.labels[static_cast<std::size_t>(p)] = best;
      ++counts[static_cast<std::size_t>(best)];
      for (int i = 0; i < dimensions; ++i)
        sums[static_cast<std::size_t>(best)][static_cast<std::size_t>(i)] += points.row(p)[i];
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      for (std::size_t i = 0; i < sums[c].size(); ++i)
        result.centers[c][i] = sums[c][i] / counts[c];
  }
  return result;
}

}  // namespace fovea::reference
