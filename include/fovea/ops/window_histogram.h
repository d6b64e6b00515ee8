#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea {

// What a window that reaches beyond the border counts: only the pixels inside the image (clip), or
// the border pixels again, so that every histogram counts as many pixels as a window has (repeat).
enum class WindowBorder : unsigned char { kClip, kRepeat };
FOVEA_API std::span<const Choice> choices(WindowBorder);

struct WindowHistogramOptions {
  Extent window{15, 15};                      // pixels; both sides odd, 1 to 255
  WindowBorder border = WindowBorder::kClip;  // what a window beyond the border counts
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, WindowHistogramOptions& options);

// Computes the histogram of the window around every pixel: counts(x, y, b) is the number of pixels
// of the window with the value b. `bin` has one channel; `counts` has the same size and one channel
// per bin (1 to 64). Values without a channel are left out. The work per pixel does not depend on
// the size of the window (Perreault and Hebert, "Median filtering in constant time", 2007).
FOVEA_API void window_histogram(ImageView<const std::uint8_t> bin, ImageView<std::uint16_t> counts,
                                const WindowHistogramOptions& options = {});
// The same with counts of 8 bits, for windows of at most 255 pixels.
FOVEA_API void window_histogram(ImageView<const std::uint8_t> bin, ImageView<std::uint8_t> counts,
                                const WindowHistogramOptions& options = {});

struct QuantizeOptions {
  int levels = 16;  // 1 to 255
  float low = 0;    // the value where level 0 starts
  float high = 0;   // the value where the last level ends. If it equals low, the levels cover 0 to
                    // 256 for bytes, 0 to 65536 for 16 bits and 0 to 1 for float
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, QuantizeOptions& options);

// Divides gray values into equal levels: floor((value - low) * levels / (high - low)). Values
// outside get the nearest level, and so do infinities. NaN becomes 255, which no histogram counts.
FOVEA_API void quantize(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> bin,
                        const QuantizeOptions& options = {});
FOVEA_API void quantize(ImageView<const std::uint16_t> image, ImageView<std::uint8_t> bin,
                        const QuantizeOptions& options = {});
FOVEA_API void quantize(ImageView<const float> image, ImageView<std::uint8_t> bin,
                        const QuantizeOptions& options = {});

}  // namespace fovea
