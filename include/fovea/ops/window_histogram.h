#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea {

// What a window that reaches over the image's border counts: only the pixels inside (clip), or the
// border's pixels again, so that every histogram counts window_width * window_height (repeat).
enum class WindowBorder : unsigned char { kClip, kRepeat };
FOVEA_API std::span<const Choice> choices(WindowBorder);

struct WindowHistogramOptions {
  int window_width = 15;                      // pixels, odd, 1 to 255
  int window_height = 15;                     // pixels, odd, 1 to 255
  WindowBorder border = WindowBorder::kClip;  // what a window beyond the border counts
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, WindowHistogramOptions& options);

// For every pixel the histogram of the window around it: counts(x, y, b) is how many pixels of the
// window hold b. `bin` has one channel, `counts` the same size and one channel per bin (1 to 64);
// values without a channel are left out. Work a pixel does not depend on the window's size
// (Perreault and Hebert, "Median filtering in constant time", 2007).
FOVEA_API void window_histogram(ImageView<const std::uint8_t> bin, ImageView<std::uint16_t> counts,
                                const WindowHistogramOptions& options = {});
// Windows of at most 255 pixels fit in bytes.
FOVEA_API void window_histogram(ImageView<const std::uint8_t> bin, ImageView<std::uint8_t> counts,
                                const WindowHistogramOptions& options = {});

struct QuantizeOptions {
  int levels = 16;  // 1 to 255
  float low = 0;    // the value where level 0 starts
  float high = 0;   // the value where the last level ends; equal to low: the whole range of the
                    // type, 256, 65536 or, for float, 1
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, QuantizeOptions& options);

// Divides gray values into equal levels: floor((value - low) * levels / (high - low)), values
// outside taking the nearest level. Not-a-number becomes 255, which no histogram counts.
FOVEA_API void quantize(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> bin,
                        const QuantizeOptions& options = {});
FOVEA_API void quantize(ImageView<const std::uint16_t> image, ImageView<std::uint8_t> bin,
                        const QuantizeOptions& options = {});
FOVEA_API void quantize(ImageView<const float> image, ImageView<std::uint8_t> bin,
                        const QuantizeOptions& options = {});

}  // namespace fovea
