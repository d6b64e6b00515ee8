// Gray levels from 0 to 255, whatever the pixels' type and scale: images of any exposure and depth
// are compared alike.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

#include "flow/flow_gray_math.h"

#define FOVEA_FOR_EACH_FLOW_PIXEL(X) \
  X(std::uint8_t)                    \
  X(std::uint16_t)                   \
  X(float)

namespace fovea::flow {

// A coarse level of an image, made from one strip of the image after another.
struct CoarseGray {
  GrayRange range;
  int level;                           // 1: half the size
  ImageView<const std::uint8_t> mask;  // of the image, in host memory; may be empty
  ImageView<float> out;                // has the level's size
  ImageView<std::uint8_t> mask_out;    // 0 where nothing counts; written where there is a mask
};

namespace cpu {
// The range of gray values without the lowest and the highest thousandth, so that a few hot pixels
// do not matter. A large image is sampled. Pixels that the mask (in host memory, or empty) leaves
// out and values that are not finite do not count.
template <class T>
GrayRange gray_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec);
template <class T>
void to_gray(ImageView<const T> image, GrayRange range, ImageView<float> out, const Exec& exec);
template <class T>
void coarse_gray(ImageView<const T> image, const CoarseGray& request, const Exec& exec);
}  // namespace cpu
namespace cuda {
template <class T>
GrayRange gray_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec);
template <class T>
void to_gray(ImageView<const T> image, GrayRange range, ImageView<float> out, const Exec& exec);
// By the image's own range, which stays on the device.
template <class T>
void to_gray(ImageView<const T> image, ImageView<float> out, const Exec& exec);
template <class T>
void coarse_gray(ImageView<const T> image, const CoarseGray& request, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::flow
