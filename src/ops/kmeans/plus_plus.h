// Chooses the first centers: the farther a point is from those so far, the likelier it is chosen
// (k-means++: Arthur and Vassilvitskii, SODA 2007).
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>

#include <vector>

namespace fovea::cpu {

// The points at which KmeansEngine::start_plus_plus() begins.
std::vector<std::int32_t> draw_plus_plus(ImageView<const float> points, int clusters,
                                         double distance_scale, Random random, const Exec& exec);

}  // namespace fovea::cpu
