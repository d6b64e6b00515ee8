// A case of fovea bench people: people with identities, beside detection.
#pragma once
#include <fovea/core/geometry.h>

#include <memory>

#include "bench/bench.h"

namespace fovea::cli {

// One frame with 200 detections that all move, in an image that both sides share.
BenchCase people_track_case(Extent size, const std::shared_ptr<const Image<std::uint8_t>>& image);

}  // namespace fovea::cli
