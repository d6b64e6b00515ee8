// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/block_shapes.h"

namespace fovea::cuda {

std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float>, const Exec&) {
  absent();
}
std::unique_ptr<detail::NearestEngine> make_nearest_engine(ImageView<const float>, const Exec&) {
  absent();
}
std::span<const BlockShape> nearest_shapes() { return {}; }
std::unique_ptr<detail::NearestEngine> make_shaped_engine(ImageView<const float>, const Exec&,
                                                          std::size_t) {
  absent();
}

}  // namespace fovea::cuda
