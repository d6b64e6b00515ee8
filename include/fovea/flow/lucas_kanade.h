#pragma once
#include <fovea/options.h>

#include <span>

namespace fovea::flow {

// How much work a field is worth. What each means is chosen by measuring.
enum class Quality : unsigned char { kFast, kDefault, kBest };
FOVEA_API std::span<const Choice> choices(Quality);

// The window under which a pixel's neighbours count.
enum class Window : unsigned char { kBox, kGaussian };
FOVEA_API std::span<const Choice> choices(Window);

// Dense Lucas-Kanade over a pyramid. A field that is left at its default is chosen by the quality.
struct LucasKanadeOptions {
  Quality quality = Quality::kDefault;
};
FOVEA_API void describe(OptionVisitor& visit, LucasKanadeOptions& options);

}  // namespace fovea::flow
