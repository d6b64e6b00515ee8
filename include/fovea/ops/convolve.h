#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// Which values are used beyond the border of a row a b c d: repeat a a | a b c d | d d, reflect b a
// | a b c d | d c, reflect-101 c b | a b c d | c b, wrap c d | a b c d | a b, constant v v | a b c
// d | v v.
enum class Border : unsigned char { kRepeat, kReflect, kReflect101, kWrap, kConstant };
FOVEA_API std::span<const Choice> choices(Border);

struct ConvolveOptions {
  Border border = Border::kReflect101;  // values that are used for pixels beyond the border
  float border_value = 0;               // value of those pixels with Border::kConstant
  int anchor_x = -1;  // column of the kernel that lies on the output pixel; -1 means width / 2
  int anchor_y = -1;  // row of the kernel that lies on the output pixel; -1 means height / 2
  bool flip = false;  // rotate the kernel and its anchor by 180 degrees: convolution in the
                      // mathematical sense instead of correlation
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ConvolveOptions& options);

// Correlates every channel with a kernel, which image processing calls convolution: each output is
// the sum of kernel(i, j) * image(x + i - anchor_x, y + j - anchor_y). `out` has the shape of the
// image and must not overlap it; there are 1 to 4 channels. A kernel has 1 to 255 taps in each
// direction, odd or even. Sums are computed in single precision; bytes are rounded to nearest
// (halves to even) and clipped to [0, 255]. A NaN or infinite pixel makes every output NaN or
// infinite whose kernel covers it, also where the weight is 0. On machines with fused multiply-add
// CPU and CUDA agree to the bit.
//
// A separable kernel takes width + height multiplications per pixel.
FOVEA_API void convolve_separable(ImageView<const std::uint8_t> image, ImageView<float> out,
                                  std::span<const float> row_kernel,
                                  std::span<const float> column_kernel,
                                  const ConvolveOptions& options = {});
FOVEA_API void convolve_separable(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                                  std::span<const float> row_kernel,
                                  std::span<const float> column_kernel,
                                  const ConvolveOptions& options = {});
FOVEA_API void convolve_separable(ImageView<const float> image, ImageView<float> out,
                                  std::span<const float> row_kernel,
                                  std::span<const float> column_kernel,
                                  const ConvolveOptions& options = {});

// A general kernel is an image of one channel in host memory. It takes width * height
// multiplications per pixel.
FOVEA_API void convolve(ImageView<const std::uint8_t> image, ImageView<float> out,
                        ImageView<const float> kernel, const ConvolveOptions& options = {});
FOVEA_API void convolve(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                        ImageView<const float> kernel, const ConvolveOptions& options = {});
FOVEA_API void convolve(ImageView<const float> image, ImageView<float> out,
                        ImageView<const float> kernel, const ConvolveOptions& options = {});

// What may be done to results before they are rounded: they are multiplied by a gain, and an offset
// is added.
struct GainOptions {
  double gain = 1;
  double offset = 0;
};
FOVEA_API void describe(OptionVisitor& visit, GainOptions& options);
FOVEA_API void apply_gain(ImageView<float> values, const GainOptions& options);

// Blurs by a Gaussian with a standard deviation of `sigma` pixels. The anchor of the options is not
// used.
FOVEA_API void gaussian_blur(ImageView<const std::uint8_t> image, ImageView<float> out,
                             double sigma, const ConvolveOptions& options = {});
FOVEA_API void gaussian_blur(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                             double sigma, const ConvolveOptions& options = {});
FOVEA_API void gaussian_blur(ImageView<const float> image, ImageView<float> out, double sigma,
                             const ConvolveOptions& options = {});

// The taps of a Gaussian, which add up to 1. `size` is odd; 0 takes all taps within four sigma
// (less than 1e-4 of the whole lies beyond). More than 255 taps are refused: shrink the image
// first.
FOVEA_API std::vector<float> gaussian_kernel(double sigma, int size = 0);
// The taps of the first or second derivative of a Gaussian. The first turns a ramp of slope 1 into
// 1, the second turns x^2 into 2, and both turn a constant into 0.
FOVEA_API std::vector<float> gaussian_derivative_kernel(double sigma, int order = 1, int size = 0);
// The Laplacian of a Gaussian, which turns x^2 + y^2 into 4 and a constant into 0. It is not
// separable, but the sum of two separable kernels.
FOVEA_API Image<float> laplacian_of_gaussian_kernel(double sigma, int size = 0);
// The taps that compute the mean of `size` pixels, an odd or even number.
FOVEA_API std::vector<float> box_kernel(int size);

}  // namespace fovea
