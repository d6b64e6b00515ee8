// Gray levels from 0 to 255 for pixels of any type and scale, so that images of any exposure and
// bit depth are compared in the same way.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <array>
#include <cstdint>

#include "flow/flow_gray_math.h"

#define FOVEA_FOR_EACH_FLOW_PIXEL(X) \
  X(std::uint8_t)                    \
  X(std::uint16_t)                   \
  X(float)

// What the CUDA twin, and its stand-in, instantiates for a type of pixels.
#define FOVEA_FLOW_GRAY_CUDA(T)                                                                   \
  template GrayRange gray_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&);  \
  template GrayRange color_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&); \
  template void to_colors(ImageView<const T>, GrayRange, const std::array<ImageView<float>, 3>&,  \
                          const Exec&);                                                           \
  template void to_gray(ImageView<const T>, GrayRange, ImageView<float>, const Exec&);            \
  template void to_gray(ImageView<const T>, ImageView<float>, const Exec&);                       \
  template void coarse_gray(ImageView<const T>, const CoarseGray&, const Exec&);

namespace fovea::flow {

// A coarse level of an image, computed strip by strip.
struct CoarseGray {
  GrayRange range;
  int level;                           // 1 is half the size
  ImageView<const std::uint8_t> mask;  // mask of the image, in host memory; may be empty
  ImageView<float> out;                // has the level's size
  ImageView<std::uint8_t> mask_out;    // 0 where no pixel counts; written only if there is a mask
  int channel = -1;                    // channel of the image; -1: its brightness
};

namespace cpu {
// Returns the range of gray values without the lowest and the highest thousandth, so that a few hot
// pixels do not matter. A large image is sampled. Pixels that the mask (in host memory, or empty)
// leaves out and values that are not finite do not count.
template <class T>
GrayRange gray_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec);
// The same over the values of all three channels.
template <class T>
GrayRange color_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                      const Exec& exec);
template <class T>
void to_gray(ImageView<const T> image, GrayRange range, ImageView<float> out, const Exec& exec);
// Converts one channel, or the only one.
template <class T>
void channel_to_gray(ImageView<const T> image, int channel, GrayRange range, ImageView<float> out,
                     const Exec& exec);
template <class T>
void coarse_gray(ImageView<const T> image, const CoarseGray& request, const Exec& exec);
}  // namespace cpu
namespace cuda {
template <class T>
GrayRange gray_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec);
template <class T>
GrayRange color_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                      const Exec& exec);
// Converts all three channels, or the only one three times.
template <class T>
void to_colors(ImageView<const T> image, GrayRange range,
               const std::array<ImageView<float>, 3>& out, const Exec& exec);
template <class T>
void to_gray(ImageView<const T> image, GrayRange range, ImageView<float> out, const Exec& exec);
// Uses the image's own range, which stays on the device.
template <class T>
void to_gray(ImageView<const T> image, ImageView<float> out, const Exec& exec);
template <class T>
void coarse_gray(ImageView<const T> image, const CoarseGray& request, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::flow
