// The options that a paper has, and which options a GPU lacks.
#include <fovea/core/options.h>
#include <fovea/flow/flow.h>

namespace fovea::flow {
namespace {

// Section 3.3: weighted least squares over a window, without damping or robust weights, on gray
// values, repeated on the warped image over a pyramid. The paper names no numbers. A plain box of
// weights makes repeated steps diverge (docs/flow.md), so that the weights are those of a Gaussian,
// over 21x21 pixels, and a level has two steps. Where the system is ill-posed, the flow of the
// coarser level is kept.
LucasKanadeOptions paper_lucas_kanade() {
  LucasKanadeOptions options;
  options.finest_level = 0;
  options.iterations = 2;
  options.radius = 10;
  options.window = Window::kGaussian;
  options.wide = false;
  options.rank = false;
  options.median = 0;
  options.propagation = 0;
  options.robust = 0;
  options.greatest_step = 64;
  options.damping = 0;
  return options;
}

// Section 3.2: square blocks side by side, each coupled with the whole shift of the greatest
// normalized cross correlation, which is also its quality; over a pyramid, whose coarser result
// starts the search. The paper names no numbers; blocks have 16x16 pixels.
BlockMatchingOptions paper_block_matching() {
  BlockMatchingOptions options;
  options.cost = BlockCost::kNcc;
  options.block = 16;
  options.step = 16;
  options.range = 4;
  options.refine = 2;
  options.subpixel = false;
  options.least_texture = 0;
  options.interpolate = false;
  options.neighbors = false;
  options.trust = BlockTrust::kScore;
  options.passes = 0;
  return options;
}

}  // namespace

std::span<const Choice> choices(Preset) {
  static constexpr Choice kPresets[] = {{"none", static_cast<int>(Preset::kNone)},
                                        {"paper", static_cast<int>(Preset::kPaper)}};
  return kPresets;
}

void use_preset(FlowOptions& options, Preset preset) {
  options.preset = preset;
  const bool paper = preset == Preset::kPaper;
  options.warps = paper ? std::optional(0) : std::nullopt;
  options.fuse = paper ? Fuse::kOff : Fuse::kAuto;
  options.lk = paper ? paper_lucas_kanade() : LucasKanadeOptions{};
  options.bm = paper ? paper_block_matching() : BlockMatchingOptions{};
}

std::string_view cpu_only(const FlowOptions& options) {
  if (options.method == Method::kBlockMatching && options.channels == Channels::kColor)
    return "blocks of colors are compared";
  return {};
}

}  // namespace fovea::flow
