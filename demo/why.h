// The gallery's figures that answer why, for people, flow and the Earth Mover's Distance.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/report/page.h>

#include <vector>

#include "cli/flow/scene.h"

namespace fovea::cli {

// The window at a place of a street, by the shipped model of channels.
report::Figure why_person(ImageView<const std::uint8_t> street, const Exec& exec);
// A pixel at the edge of a disc that moves over the ground.
report::Figure why_flow(const FlowScene& scene, const Exec& exec);
// A pixel of the map of a scene's colors, and what moves between its signature and the target's.
report::Figure why_map(ImageView<const std::uint8_t> scene, const Rect<int>& target,
                       const Exec& exec);
// A target in the middle frame of a video.
report::Figure why_track(const std::vector<Image<std::uint8_t>>& frames, const Rect<double>& box,
                         const Exec& exec);

}  // namespace fovea::cli
