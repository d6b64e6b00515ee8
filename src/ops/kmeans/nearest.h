// Finds the nearest of many centers for points that are stored in planes. k-means, words and
// features share it on the CPU.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <vector>

namespace fovea::cpu {

// Centers in the layout that the loop reads.
struct PreparedCenters {
  int centers = 0;
  int dimensions = 0;
  Array<float> numbers;  // laid out for the loop
  Array<float> halves;   // |c|^2 / 2
};
PreparedCenters prepare_centers(ImageView<const float> centers);

// `count` points; number i of point p is planes[i * stride + p]. For each, the search finds the
// center with the least
//   halves[c] - p . c   (fma after fma, in the order of the numbers), the first among equals.
struct PlanarPoints {
  const float* planes = nullptr;
  std::ptrdiff_t stride = 0;
  int count = 0;
};
void nearest_centers(const PreparedCenters& centers, const PlanarPoints& points,
                     std::int32_t* labels);
// The same for points that are stored as rows.
void nearest_of_rows(const PreparedCenters& centers, ImageView<const float> points,
                     std::int32_t* labels);

// Some of the centers with their original numbers (`names`), for points whose nearest center is
// among them.
struct NamedCenters {
  PreparedCenters prepared;
  std::vector<std::int32_t> names;
};
NamedCenters pick_centers(ImageView<const float> centers, std::vector<std::int32_t> names);

// The points in rows order[0], order[1], ... of an image.
struct OrderedPoints {
  ImageView<const float> rows;
  const std::int32_t* order = nullptr;
  int count = 0;
  Array<float>* block = nullptr;  // memory for a block of points, enlarged where needed
};
// The number of points that are processed together.
int nearest_block();
// For at most nearest_block() points and the first `count` of the centers, sets labels[p] to the
// name of the nearest center. It is -1 where two are equally near, because the order of these
// centers is not the original one.
void nearest_named(const NamedCenters& centers, int count, const OrderedPoints& points,
                   std::int32_t* labels);

}  // namespace fovea::cpu
