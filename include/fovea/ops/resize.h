#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea {

struct ResizeOptions {
  bool antialias = false;  // when shrinking, average over all pixels that an output pixel covers (a
                           // triangle as wide as two output pixels) instead of sampling the four
                           // nearest pixels; this reads every source pixel
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ResizeOptions& options);

// Resizes bilinearly to the size of `out`, up or down, each direction by its own ratio. Pixel
// centers lie at half-integers, so that output pixel x samples the source at (x + 0.5) * ratio -
// 0.5; beyond the border the border pixel is repeated. Both images have the same number of
// channels, 1 to 4, and must not overlap; `image` may be a crop of a larger one. Bytes are blended
// with weights of 15 bits and intermediates of 7 fractional bits, other types in single precision;
// integers are rounded to nearest, halves up. Where the source is exactly twice as wide and as
// high, every pixel is the mean of four, which is several times faster. A NaN or infinite pixel
// makes the outputs that use it NaN or infinite, also those that use it with weight 0. CPU and CUDA
// agree to the bit.
FOVEA_API void resize(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                      const ResizeOptions& options = {});
FOVEA_API void resize(ImageView<const std::uint16_t> image, ImageView<std::uint16_t> out,
                      const ResizeOptions& options = {});
FOVEA_API void resize(ImageView<const float> image, ImageView<float> out,
                      const ResizeOptions& options = {});

// Resizes every image of a stack, on a GPU in one launch. Both stacks have the same number of
// images.
FOVEA_API void resize(StackView<const std::uint8_t> images, StackView<std::uint8_t> out,
                      const ResizeOptions& options = {});
FOVEA_API void resize(StackView<const std::uint16_t> images, StackView<std::uint16_t> out,
                      const ResizeOptions& options = {});
FOVEA_API void resize(StackView<const float> images, StackView<float> out,
                      const ResizeOptions& options = {});

// How large a result is to be: a width and a height, one of them (the other keeps the proportions),
// or a factor on both sides. 0 stands for what is not given.
struct ResizeTarget {
  int width = 0;
  int height = 0;
  double scale = 0;
};
FOVEA_API void describe(OptionVisitor& visit, ResizeTarget& target);

// The size that an image of a size becomes, with sides of at least one pixel, rounded to nearest.
// Throws InvalidArgument where neither a side nor a factor is given, or both are.
FOVEA_API Extent target_size(Extent image, const ResizeTarget& target);

}  // namespace fovea
