// Filter responses by blocks of several shapes, to be measured against each other (figure 3 of
// Chen). All of them give the same numbers; descriptors() and features use the best.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <span>

#include "ops/kmeans/block_shapes.h"

namespace fovea::scenes::cuda {

// Shapes for gray images; none in a build without CUDA.
std::span<const fovea::cuda::BlockShape> filter_shapes();
// The descriptors of every pixel of an image by the default bank, with the shape of this number.
// The image and the rows of `out` lie on the device of `exec`.
void shaped_descriptors(ImageView<const std::uint8_t> image, ImageView<float> out, const Exec& exec,
                        std::size_t shape);

}  // namespace fovea::scenes::cuda
