// Grey levels from 0 to 255, whatever the pixels' type and scale: images of any exposure and depth
// are compared alike.
#pragma once
#include <fovea/exec.h>
#include <fovea/image.h>

#include <cstdint>

#define FOVEA_FOR_EACH_FLOW_PIXEL(X) \
  X(std::uint8_t)                    \
  X(std::uint16_t)                   \
  X(float)

namespace fovea::flow {

// grey = (brightness - low) * scale, held within 0 to 255.
struct GreyRange {
  float low = 0;
  float scale = 0;
  bool operator==(const GreyRange&) const = default;
};

// A coarse level of an image, made a strip of the image at a time.
struct CoarseGrey {
  GreyRange range;
  int level;                           // 1: half the size
  ImageView<const std::uint8_t> mask;  // of the image, in host memory; may be empty
  ImageView<float> out;                // has the level's size
  ImageView<std::uint8_t> mask_out;    // 0 where nothing counts; written where there is a mask
};

namespace cpu {
// The range that all but a thousandth of the pixels at either end lie in, so that a few hot ones do
// not matter; a large image is sampled. What the mask, in host memory or empty, leaves out does not
// count.
template <class T>
GreyRange grey_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec);
template <class T>
void to_grey(ImageView<const T> image, GreyRange range, ImageView<float> out, const Exec& exec);
template <class T>
void coarse_grey(ImageView<const T> image, const CoarseGrey& request, const Exec& exec);
}  // namespace cpu
namespace cuda {
template <class T>
GreyRange grey_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec);
template <class T>
void to_grey(ImageView<const T> image, GreyRange range, ImageView<float> out, const Exec& exec);
template <class T>
void coarse_grey(ImageView<const T> image, const CoarseGrey& request, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::flow
