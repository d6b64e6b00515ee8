// The nearest of many centers, for points that lie as planes: what k-means, words and features
// share on the CPU.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <vector>

namespace fovea::cpu {

// Centers as the loop reads them.
struct PreparedCenters {
  int centers = 0;
  int dimensions = 0;
  Array<float> numbers;  // laid out for the loop
  Array<float> halves;   // |c|^2 / 2
};
PreparedCenters prepare_centers(ImageView<const float> centers);

// `count` points; number i of point p is planes[i * stride + p]. For each it finds the center with
// the least
//   halves[c] - p . c   (fma after fma, in the order of the numbers), the first among equals.
struct PlanarPoints {
  const float* planes = nullptr;
  std::ptrdiff_t stride = 0;
  int count = 0;
};
void nearest_centers(const PreparedCenters& centers, const PlanarPoints& points,
                     std::int32_t* labels);
// The same for points that are rows.
void nearest_of_rows(const PreparedCenters& centers, ImageView<const float> points,
                     std::int32_t* labels);

// Some of the centers under their old names, for points that can have no other nearest.
struct NamedCenters {
  PreparedCenters prepared;
  std::vector<std::int32_t> names;
};
NamedCenters pick_centers(ImageView<const float> centers, std::vector<std::int32_t> names);

// Points that are rows order[0], order[1], ... of an image.
struct OrderedPoints {
  ImageView<const float> rows;
  const std::int32_t* order = nullptr;
  int count = 0;
  Array<float>* block = nullptr;  // room for a block's numbers, made where it is too small
};
// How many points are looked at side by side.
int nearest_block();
// At most nearest_block() points and the first `count` of the centers: labels[p] is the name of the
// nearest, or -1 where two are equally near, since the first among equals may not come first here.
void nearest_named(const NamedCenters& centers, int count, const OrderedPoints& points,
                   std::int32_t* labels);

}  // namespace fovea::cpu
