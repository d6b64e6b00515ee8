// Modes of the density of detections in (x, y, log scale).
#pragma once
#include <fovea/people/fuse.h>

#include <span>
#include <vector>

namespace fovea::people {

// Fuses `detections`, which are valid and sorted from the best down. Detections without weight are
// left out and counted in `zero_weight_windows`, which may be null.
std::vector<Detection> fuse_by_mean_shift(std::span<const Detection> detections,
                                          const FuseOptions& options,
                                          std::int64_t* zero_weight_windows);

}  // namespace fovea::people
