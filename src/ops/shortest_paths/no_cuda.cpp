// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/min_plus.h"

namespace fovea::cuda {

void floyd_warshall(const Graph&, const PathOptions&, ImageView<float>) { absent(); }
void floyd_warshall_half(const Graph&, const PathOptions&, std::span<float>) { absent(); }
void floyd_warshall_half_rows(const Graph&, const PathOptions&, detail::TakeRows) { absent(); }
void partitioned(const detail::PathPlan&, const PathOptions&, ImageView<float>) { absent(); }
void partitioned_rows(const detail::PathPlan&, const PathOptions&, detail::TakeRows) { absent(); }
void square_rows(ImageView<const float>, const Exec&, detail::TakeRows) { absent(); }
void square_lower(ImageView<const float>, const Exec&, std::span<float>) { absent(); }
double min_plus_steps(std::int64_t, const Exec&) { absent(); }

}  // namespace fovea::cuda
