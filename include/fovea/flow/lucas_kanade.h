#pragma once
#include <fovea/core/options.h>

#include <span>

namespace fovea::flow {

// How much work a field is worth. What each means is chosen by measuring.
enum class Quality : unsigned char { kFast, kDefault, kBest };
FOVEA_API std::span<const Choice> choices(Quality);

// The window under which a pixel's neighbors count.
enum class Window : unsigned char { kBox, kGaussian };
FOVEA_API std::span<const Choice> choices(Window);

// Dense Lucas-Kanade over a pyramid. A field that is left at its default is chosen by the quality.
struct LucasKanadeOptions {
  Quality quality = Quality::kDefault;
  int levels = 0;         // of the pyramid, at most; 0: down to 8 pixels
  int finest_level = -1;  // where the work ends: 0 whole size, 1 half, ...; -1: by quality
  int iterations = 0;     // a window and level; 0: by quality
  int radius = 0;         // of the last window, pixels; the one before is nearly twice as large.
                          // 0: by quality
  Window window = Window::kGaussian;
  bool rank = true;      // compare ranks among neighbors instead of gray levels: brightness may
                         // change
  int median = 2;        // radius of the median filter after each step; 0: none
  int propagation = -1;  // rounds a level in which pixels try their neighbors' flow; -1: by quality
  double damping = 80;   // added to the 2x2 system's diagonal: flat ground stays with the coarser
                         // level's flow
  double min_eigenvalue = 1.0;  // of the 2x2 system; below, a pixel keeps the coarser level's flow
                                // with confidence 0
  bool forward_backward = false;  // follow each pixel there and back: better confidence, more work
};
FOVEA_API void describe(OptionVisitor& visit, LucasKanadeOptions& options);

}  // namespace fovea::flow
