// Scalar products between the rows of two matrices, from which kernels are computed.
#pragma once
#include <fovea/core/image.h>

namespace fovea::cpu {

constexpr int kProductTile = 64;  // rows of either matrix that a tile of products has at most

// products(x, y) becomes the scalar product of row y of `a` and row x of `b`. Neither matrix has
// more than kProductTile rows. A product depends on its two rows alone, and not on their order or
// their place in the tile.
void row_products(ImageView<const float> a, ImageView<const float> b, ImageView<float> products);

}  // namespace fovea::cpu
