// What users write for the options of Lucas-Kanade.
#include <fovea/flow/lucas_kanade.h>

#include "flow/lk/lucas_kanade_plan.h"

namespace fovea::flow {
namespace {

constexpr Choice kQualities[] = {{"fast", static_cast<int>(Quality::kFast)},
                                 {"default", static_cast<int>(Quality::kDefault)},
                                 {"best", static_cast<int>(Quality::kBest)}};
constexpr Choice kWindows[] = {{"box", static_cast<int>(Window::kBox)},
                               {"gaussian", static_cast<int>(Window::kGaussian)}};

}  // namespace

std::span<const Choice> choices(Quality) { return kQualities; }
std::span<const Choice> choices(Window) { return kWindows; }

void describe(OptionVisitor& visit, LucasKanadeOptions& options) {
  visit("quality", options.quality, "how much work a field is worth");
  visit("levels", options.levels, "levels of the pyramid at most; 0: down to 8 pixels", 0, 32);
  visit("finest-level", options.finest_level,
        "where the work ends: 0 whole size, 1 half, ...; -1: by quality", -1, 31);
  visit("iterations", options.iterations, "steps a window and level; 0: by quality", 0, 1000);
  visit("radius", options.radius, "radius of the last window in pixels; 0: by quality", 0,
        lk::kMostRadius);
  visit("window", options.window, "how neighbors are weighed");
  visit("rank", options.rank, "compare ranks among neighbors instead of gray levels");
  visit("median", options.median, "radius of the median filter after each step; 0: none", 0, 2);
  visit("propagation", options.propagation,
        "rounds a level in which pixels try their neighbors' flow; -1: by quality", -1, 100);
  visit("damping", options.damping, "added to the 2x2 system: keeps flat ground where it was", 0,
        1e6);
  visit("min-eigenvalue", options.min_eigenvalue,
        "of the 2x2 system; below it a pixel keeps the coarser level's flow", 0, 1e6);
  visit("forward-backward", options.forward_backward,
        "follow each pixel there and back: better confidence, more work");
}

}  // namespace fovea::flow
