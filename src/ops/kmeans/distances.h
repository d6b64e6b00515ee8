// Vector loops of k-means besides the search for the nearest center. They give exactly the results
// of kmeans_math.h, for many points.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea::cpu {

// The squared distance of each row of points from its center, labels[row]; where labels is null,
// from the first center.
void squared_distances(ImageView<const float> points, ImageView<const float> centers,
                       const std::int32_t* labels, float* distances);
// The distances of rows order[0], order[1], ... from one center.
void squared_distances_of(ImageView<const float> points, const std::int32_t* order, int count,
                          const float* center, float* distances);

// The sum of whole(value, scale) over the values.
std::int64_t sum_whole(const float* values, int count, double scale);

// sums[i] += sign * whole(point[i], scales[i]).
void add_whole(const float* point, const double* scales, int dimensions, std::int64_t sign,
               std::int64_t* sums);

}  // namespace fovea::cpu
