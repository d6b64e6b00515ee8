#pragma once
#include <fovea/core/options_fwd.h>
#include <fovea/people/detection.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fovea::people {

// How the windows of one person become one detection.
enum class FuseMethod : unsigned char {
  kSmaller,    // greedy: drop a box that overlaps a better one, relative to the smaller of the two
  kUnion,      // greedy: the same, relative to the union of the two
  kMeanShift,  // modes of the windows' density in (x, y, log scale): Dalal's thesis, chapter 5
  kNone        // keep every window
};
FOVEA_API std::span<const Choice> choices(FuseMethod);

// How much a window counts in mean shift. A window with a weight of 0 is left out.
enum class FuseWeights : unsigned char {
  kScore,   // t(w) = max(w, 0) of its score w; a Detector gives windows of cascades that vote by
            // sign and have no ranking the weight 1, because these only pass or fail
  kMargin,  // the same of w minus the threshold of the Detector, so that no window is left out
  kOne      // 1
};
FOVEA_API std::span<const Choice> choices(FuseWeights);

struct FuseOptions {
  FuseMethod method = FuseMethod::kSmaller;
  double overlap = 0.65;     // greedy methods: a box that overlaps a better one by more than this
                             // share is dropped; 0 to 1
  double width_x = 8;        // mean shift: width of the kernel across, in pixels of a level. A
                             // window found at scale s has a kernel s times as wide
  double width_y = 16;       // mean shift: the same, down
  double width_scale = 1.3;  // mean shift: width of the kernel in scale, a factor above 1
  FuseWeights weights = FuseWeights::kScore;  // mean shift
  std::optional<double> weight_from{};        // mean shift: subtracted from scores to make weights;
                                              // absent: 0, and the threshold for margins
};
FOVEA_API void describe(OptionVisitor& visit, FuseOptions& options);

// Makes one detection of the windows that show the same person. The result is sorted by score;
// equal scores keep their order. A detection has the score of its best window. Its place is that of
// the best window (greedy methods), or the mode's place and scale with the best window's shape
// (mean shift). `zero_weight_windows`, if given, is set to the number of windows that mean shift
// left out. Throws InvalidArgument where a score is not finite, where a box, window or scale is not
// finite and positive, and where weights are margins without weight_from.
FOVEA_API std::vector<Detection> fuse(std::span<const Detection> detections,
                                      const FuseOptions& options = {},
                                      std::int64_t* zero_weight_windows = nullptr);

// The people with their boxes cut at the borders of the image. Boxes entirely outside are dropped.
FOVEA_API std::vector<Detection> clip_people(std::vector<Detection> people, Extent image);

}  // namespace fovea::people
