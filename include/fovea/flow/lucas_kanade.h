#pragma once
#include <fovea/core/options_fwd.h>

#include <optional>
#include <span>

namespace fovea::flow {

// How the neighbors of a pixel are weighted in its least squares: all alike, or less with distance.
enum class Window : unsigned char { kBox, kGaussian };
FOVEA_API std::span<const Choice> choices(Window);

// Dense Lucas-Kanade, coarse to fine over an image pyramid (Lucas and Kanade, IJCAI 1981; Bouguet,
// 2000). An option without a value is chosen by FlowOptions::quality.
struct LucasKanadeOptions {
  std::optional<int> levels{};        // levels of the pyramid, at most 32; without a value it ends
                                      // where a side has 8 pixels
  std::optional<int> finest_level{};  // the level at which the estimation ends: 0 is the whole
                                      // size, 1 is half of it; finer levels are interpolated
  std::optional<int> iterations{};    // steps per window and level; 1 to 1000
  std::optional<int> radius{};        // radius in pixels of the last window, 1 to 15; the window
                                      // before it is nearly twice as large
  Window window = Window::kGaussian;
  bool wide = true;  // begin coarse levels with a window that is nearly twice as large
  bool rank = true;  // compare ranks among neighbors instead of gray levels, so that the
                     // brightness may change between the images
  int median = 2;    // radius in pixels of the median filter after each step; 0 turns it off
  std::optional<int> propagation{};  // rounds per level in which pixels try the flow of their
                                     // neighbors; 0 to 100
  double robust = 40;  // difference between the images, in their unit, that halves the weight of a
                       // pixel in the windows of its neighbors; 0 weights all pixels alike
  double greatest_step = 1;  // pixels of a level by which a step moves a vector along an axis at
                             // most
  double damping = 80;  // added to the diagonal of the 2x2 system, so that pixels without texture
                        // keep the flow of the coarser level
  double min_eigenvalue = 1.0;    // where the smaller eigenvalue of the 2x2 system lies below this,
                                  // a pixel keeps the flow of the coarser level with confidence 0
  bool forward_backward = false;  // also follow each pixel back and trust those that return: a
                                  // better confidence for about twice the work
};
FOVEA_API void describe(OptionVisitor& visit, LucasKanadeOptions& options);

}  // namespace fovea::flow
