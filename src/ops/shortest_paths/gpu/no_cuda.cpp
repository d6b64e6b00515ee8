// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/shortest_paths/backend.h"

namespace fovea::cuda {

void floyd_warshall_tiles(const Graph&, const PathOptions&, int, std::span<float>) { absent(); }
void search_rows(const Graph&, std::span<const std::int32_t>, const PathOptions&, int,
                 ImageView<float>) {
  absent();
}
void search_nearest(const Graph&, std::span<const std::int32_t>, const PathOptions&,
                    NearestSource&) {
  absent();
}

}  // namespace fovea::cuda
