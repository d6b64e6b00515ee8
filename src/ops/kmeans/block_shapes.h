// The search for nearest centers with blocks of several shapes, to be measured against each other
// (figure 4 of Chen). All of them find the same centers; kmeans() and NearestCenter use the best.
#pragma once
#include <memory>
#include <span>

#include "ops/kmeans/backend.h"

namespace fovea::cuda {

// How a kernel is divided into blocks.
struct BlockShape {
  int threads = 0;
  int width = 1, height = 1;  // points, or pixels, that a block has
  bool used = false;          // whether this is the shape that the library uses
};

// Shapes for points of up to 32 numbers; none in a build without CUDA.
std::span<const BlockShape> nearest_shapes();
// An engine that searches with the shape of this number, for centers of 17 to 32 numbers.
std::unique_ptr<detail::NearestEngine> make_shaped_engine(ImageView<const float> centers,
                                                          const Exec& exec, std::size_t shape);

}  // namespace fovea::cuda
