#pragma once
#include <fovea/options.h>
#include <fovea/people/detection.h>

#include <span>
#include <vector>

namespace fovea::people {

// smaller and union: greedy, by score; a box goes where it overlaps a better one by more than the
// limit, measured over the smaller of the two or over their union. mean-shift: modes of the density
// in (x, y, log scale). none: every window that passed.
enum class FuseMethod : unsigned char { kSmaller, kUnion, kMeanShift, kNone };
FOVEA_API std::span<const Choice> choices(FuseMethod);

struct FuseOptions {
  FuseMethod method = FuseMethod::kSmaller;
  double overlap = 0.65;        // of the greedy methods; 0 to 1
  double width_x = 8;           // of the mean shift's kernel, pixels of a level
  double width_y = 16;          //
  double width_scale = 1.3;     // a factor
  double weight_from = -0.5;    // mean shift: a window weighs its score above this
  bool binary_weights = false;  // mean shift: every window weighs 1
};
FOVEA_API void describe(OptionVisitor& visit, FuseOptions& options);

// Many windows of one person become one. The best come first; equal scores keep their order.
FOVEA_API std::vector<Detection> fuse(std::span<const Detection> detections,
                                      const FuseOptions& options = {});

}  // namespace fovea::people
