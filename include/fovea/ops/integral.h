#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea {

// Which pixels a sum covers. An exclusive integral image has one row and one column more than the
// image and begins with zeros: sums(x, y) covers the pixels left of x and above y. An inclusive one
// has the size of the image, and sums(x, y) covers the pixel (x, y) too.
enum class IntegralKind : unsigned char { kExclusive, kInclusive };
FOVEA_API std::span<const Choice> choices(IntegralKind);

struct IntegralOptions {
  IntegralKind kind = IntegralKind::kExclusive;  // rectangle_sum() reads exclusive ones
  bool squares = false;                          // sum the squares of the values instead
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, IntegralOptions& options);

// Integral images (summed-area tables: Crow, SIGGRAPH 1984; Viola and Jones, 2001) of every channel
// (1 to 4) of every image of a stack. Integer sums are exact modulo their range: the sum of a
// rectangle is correct if it fits, even where the table has wrapped around. Floating-point sums do
// not depend on the number of threads and are the same in every run on one device. A NaN or
// infinite pixel makes all sums NaN or infinite that include it, and the sums of all rectangles
// that are computed from them. Cost: one read and one write per pixel.
#define FOVEA_INTEGRAL(In, Out)                                            \
  FOVEA_API void integral(StackView<const In> images, StackView<Out> sums, \
                          const IntegralOptions& options = {});            \
  inline void integral(ImageView<const In> image, ImageView<Out> sums,     \
                       const IntegralOptions& options = {}) {              \
    integral(StackView<const In>(image), StackView<Out>(sums), options);   \
  }
FOVEA_INTEGRAL(std::uint8_t, std::uint32_t)
FOVEA_INTEGRAL(std::uint8_t, std::int32_t)
FOVEA_INTEGRAL(std::uint8_t, std::uint64_t)
FOVEA_INTEGRAL(std::uint8_t, float)
FOVEA_INTEGRAL(std::uint8_t, double)
FOVEA_INTEGRAL(std::uint16_t, std::uint64_t)
FOVEA_INTEGRAL(std::uint16_t, double)
FOVEA_INTEGRAL(std::uint32_t, std::uint32_t)
FOVEA_INTEGRAL(std::uint32_t, std::uint64_t)
FOVEA_INTEGRAL(float, float)
FOVEA_INTEGRAL(float, double)
FOVEA_INTEGRAL(double, double)
#undef FOVEA_INTEGRAL

// The sum over the w x h pixels that begin at (x, y), from an exclusive integral image.
template <class T>
FOVEA_HD std::remove_const_t<T> rectangle_sum(const ImageView<T>& sums, int x, int y, int w, int h,
                                              int channel = 0) {
  return (sums.at(x + w, y + h, channel) - sums.at(x, y + h, channel)) -
         (sums.at(x + w, y, channel) - sums.at(x, y, channel));
}

struct IntegralHistogramOptions {
  int fraction_bits =
      10;  // a weight counts as round(weight * 2^fraction_bits); 0 to 24. A rectangle
           // is exact while its weights add up to less than 2^(32 - fraction_bits):
           // at 10, any 64x128 window of an 8-bit image's gradient magnitudes
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, IntegralHistogramOptions& options);

// Integral histogram (Porikli, CVPR 2005): plane b of `sums` (one larger than the image each way)
// is the exclusive integral image of the weights of the pixels whose bin is b, in fixed point; bins
// beyond the planes are left out. The sums may wrap around, so that rectangle_sum() of a plane,
// divided by 2^fraction_bits, is exact and the same on every device. Weights are rounded half up
// and clamped to what 32 signed bits hold; NaN counts as 0.
FOVEA_API void integral_histogram(ImageView<const std::uint8_t> bin, ImageView<const float> weight,
                                  StackView<std::uint32_t> sums,
                                  const IntegralHistogramOptions& options = {});
// The same for counts: every pixel has the weight 1, whatever fraction_bits says.
FOVEA_API void integral_histogram(ImageView<const std::uint8_t> bin, StackView<std::uint32_t> sums,
                                  const IntegralHistogramOptions& options = {});

}  // namespace fovea
