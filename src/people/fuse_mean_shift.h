// Modes of the density of detections in (x, y, log scale).
#pragma once
#include <fovea/people/fuse.h>

#include <span>
#include <vector>

namespace fovea::people {

// Fuses `detections`, which are valid and sorted from the best down. A detection without weight is
// dropped.
std::vector<Detection> fuse_by_mean_shift(std::span<const Detection> detections,
                                          const FuseOptions& options);

}  // namespace fovea::people
