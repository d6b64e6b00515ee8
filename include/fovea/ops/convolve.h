#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// What lies beyond an image a b c d: repeat a a | a b c d | d d, reflect b a | a b c d | d c,
// reflect-101 c b | a b c d | c b, wrap c d | a b c d | a b, constant v v | a b c d | v v.
enum class Border : unsigned char { kRepeat, kReflect, kReflect101, kWrap, kConstant };
FOVEA_API std::span<const Choice> choices(Border);

struct ConvolveOptions {
  Border border = Border::kReflect101;  // what stands in for pixels beyond the image
  float border_value = 0;               // that value, for the constant border
  int anchor_x = -1;  // column of the kernel that lies on the pixel computed; -1: width / 2
  int anchor_y = -1;  // its row; -1: height / 2
  bool flip = false;  // turn the kernel (and its anchor) by half a turn: convolution as mathematics
                      // has it, not correlation
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ConvolveOptions& options);

// Correlation of every channel with a kernel, as image processing calls convolution: each output is
// the sum of kernel(i, j) * image(x + i - anchor_x, y + j - anchor_y). `out` has the image's shape
// and must not overlap it; 1 to 4 channels. A kernel has 1 to 255 taps each way, odd or even. Sums
// are made in single precision; bytes are rounded to nearest (halves to even) and limited to [0,
// 255]. On machines with fused multiply-add CPU and CUDA agree to the bit.
//
// By columns and rows: width + height multiplications a pixel.
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

// By any kernel, given as an image of one channel in host memory: width * height multiplications a
// pixel.
FOVEA_API void convolve(ImageView<const std::uint8_t> image, ImageView<float> out,
                        ImageView<const float> kernel, const ConvolveOptions& options = {});
FOVEA_API void convolve(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                        ImageView<const float> kernel, const ConvolveOptions& options = {});
FOVEA_API void convolve(ImageView<const float> image, ImageView<float> out,
                        ImageView<const float> kernel, const ConvolveOptions& options = {});

// By a Gaussian of standard deviation `sigma` pixels. The anchor of the options is not used.
FOVEA_API void gaussian_blur(ImageView<const std::uint8_t> image, ImageView<float> out,
                             double sigma, const ConvolveOptions& options = {});
FOVEA_API void gaussian_blur(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                             double sigma, const ConvolveOptions& options = {});
FOVEA_API void gaussian_blur(ImageView<const float> image, ImageView<float> out, double sigma,
                             const ConvolveOptions& options = {});

// Kernels. `size` is odd; 0 takes all that lies within four sigma (beyond it is less than 1e-4 of
// the whole). More than 255 taps are refused: shrink the image first. Sums to 1.
FOVEA_API std::vector<float> gaussian_kernel(double sigma, int size = 0);
// First or second derivative of a Gaussian: a ramp of slope 1 gives 1, a parabola x^2 gives 2, a
// constant 0.
FOVEA_API std::vector<float> gaussian_derivative_kernel(double sigma, int order = 1, int size = 0);
// Laplacian of a Gaussian: x^2 + y^2 gives 4, a constant 0. Not separable, but the sum of two that
// are.
FOVEA_API Image<float> laplacian_of_gaussian_kernel(double sigma, int size = 0);
// The mean of `size` pixels; odd or even.
FOVEA_API std::vector<float> box_kernel(int size);

}  // namespace fovea
