// The names, ranges and help texts of the options of Lucas-Kanade.
#include <fovea/core/options.h>
#include <fovea/flow/lucas_kanade.h>

#include "flow/lk/lucas_kanade_plan.h"

namespace fovea::flow {
namespace {

constexpr Choice kWindows[] = {{"box", static_cast<int>(Window::kBox)},
                               {"gaussian", static_cast<int>(Window::kGaussian)}};
constexpr std::string_view kByQuality = "chosen by the quality";

}  // namespace

std::span<const Choice> choices(Window) { return kWindows; }

void describe(OptionVisitor& visit, LucasKanadeOptions& options) {
  visit("levels", options.levels, "levels of the pyramid at most", 1, 32,
        {.absent = "down to a side of 8 pixels"});
  visit("finest-level", options.finest_level,
        "level at which the estimation ends: 0 is the whole size, 1 is half of it", 0, 31,
        {.absent = kByQuality});
  visit("iterations", options.iterations, "steps per window and level", 1, 1000,
        {.absent = kByQuality});
  visit("radius", options.radius, "radius of the last window in pixels", 1, lk::kMostRadius,
        {.absent = kByQuality});
  visit("window", options.window, "how the neighbors of a pixel are weighted");
  visit("wide", options.wide, "begin coarse levels with a window that is nearly twice as large",
        {.off_help = "use windows of one size on each level"});
  visit("rank", options.rank,
        "compare ranks among neighbors, so that the brightness may change between the images",
        {.off_help = "compare gray levels, which is faster, instead of ranks among neighbors"});
  visit("median", options.median,
        "radius of the median filter after each step in pixels; 0 turns it off", 0, 2);
  visit("propagation", options.propagation,
        "rounds per level in which pixels try the flow of their neighbors", 0, 100,
        {.absent = kByQuality});
  visit("robust", options.robust,
        "difference between the images that halves the weight of a pixel; 0 weights all alike", 0,
        1e6);
  visit("greatest-step", options.greatest_step,
        "pixels of a level by which a step moves a vector along an axis at most", 0.01, 64);
  visit("damping", options.damping,
        "added to the 2x2 system, so that pixels without texture keep the flow of the coarser "
        "level",
        0, 1e6);
  visit("min-eigenvalue", options.min_eigenvalue,
        "smallest eigenvalue of the 2x2 system; a pixel below it keeps the flow of the coarser "
        "level with confidence 0",
        0, 1e6);
  visit("forward-backward", options.forward_backward,
        "also follow each pixel back, for a better confidence and about twice the work");
}

}  // namespace fovea::flow
