// Moves centers to the means of their points.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "ops/kmeans/backend.h"

namespace fovea::detail {

// What the points of each cluster add up to.
struct ClusterSums {
  std::span<const std::int64_t> sums;  // cluster after cluster
  std::span<const std::int64_t> counts;
};

// Sets each center to mean_of() its points, or to the one before where it has none. Returns
// squared_move() of the center that moved most.
inline double move_to_means(const ClusterSums& clusters, const KmeansScales& scales,
                            ImageView<const float> before, ImageView<float> centers) {
  double farthest = 0;
  for (int c = 0; c < centers.height; ++c) {
    const std::int64_t count = clusters.counts[static_cast<std::size_t>(c)];
    const std::int64_t* sums = clusters.sums.data() + std::ptrdiff_t{c} * centers.width;
    if (count == 0) std::copy_n(before.row(c), centers.width, centers.row(c));
    else
      for (int i = 0; i < centers.width; ++i)
        centers.row(c)[i] = mean_of(sums[i], count, scales.values[static_cast<std::size_t>(i)]);
    farthest = std::max(farthest, squared_move(before.row(c), centers.row(c), centers.width));
  }
  return farthest;
}

}  // namespace fovea::detail
