#pragma once
#include <fovea/core/options.h>
#include <fovea/people/detection.h>

#include <span>
#include <vector>

namespace fovea::people {

// smaller and union: greedy, by score; a box goes where it overlaps a better one that stays by more
// than the limit, measured over the smaller of the two or over their union. mean-shift: modes of
// the density in (x, y, log scale) of the windows (Dalal's thesis, chapter 5). none: every window.
enum class FuseMethod : unsigned char { kSmaller, kUnion, kMeanShift, kNone };
FOVEA_API std::span<const Choice> choices(FuseMethod);

struct FuseOptions {
  FuseMethod method = FuseMethod::kSmaller;
  double overlap = 0.65;        // of the greedy methods; 0 to 1
  double width_x = 8;           // of the mean shift's kernel, pixels of a level: a window found at
                                // scale s has one s times as wide
  double width_y = 16;          // likewise, down
  double width_scale = 1.3;     // a factor, above 1
  double weight_from = -0.5;    // mean shift: a window weighs its score above this; one that does
                                // not reach it is dropped
  bool binary_weights = false;  // mean shift: every window weighs 1, for cascades
};
FOVEA_API void describe(OptionVisitor& visit, FuseOptions& options);

// Many windows of one person become one. The best come first; equal scores keep their order. What
// stays of a person has the score of its best window: of the greedy methods it is that window, of
// the mean shift the mode's place and scale with that window's shape. Throws InvalidArgument where
// a score, box or scale is not finite, or a box or scale is not finite or not positive.
FOVEA_API std::vector<Detection> fuse(std::span<const Detection> detections,
                                      const FuseOptions& options = {});

}  // namespace fovea::people
