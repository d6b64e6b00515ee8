#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea {

// The weights of the three lines along which differences are taken: centered 0 1 0, Sobel 1 2 1,
// Scharr 3 10 3.
enum class GradientKernel : unsigned char { kCentered, kSobel, kScharr };
FOVEA_API std::span<const Choice> choices(GradientKernel);

struct GradientOptions {
  GradientKernel kernel =
      GradientKernel::kCentered;  // centered is the sharpest, Scharr the most isotropic
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, GradientOptions& options);

// Differences right minus left (dx) and below minus above (dy) of every channel (1 to 4), not
// divided by the sum of the weights. Border pixels are repeated. All images have the same size. A
// NaN or infinite pixel makes the differences that use it NaN or infinite. Cost: one read and two
// writes per pixel.
FOVEA_API void gradient(ImageView<const std::uint8_t> image, ImageView<std::int16_t> dx,
                        ImageView<std::int16_t> dy, const GradientOptions& options = {});
FOVEA_API void gradient(ImageView<const float> image, ImageView<float> dx, ImageView<float> dy,
                        const GradientOptions& options = {});

struct PolarGradientOptions {
  int bins = 9;  // orientation bins over 180 degrees, or over 360 with signed_angle; 1 to 32
  bool signed_angle = false;  // distinguish edges from light to dark from edges from dark to light
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PolarGradientOptions& options);

// Magnitude and orientation bin of every pixel by the centered difference [-1 0 1]; border pixels
// are repeated. With several channels (2 to 4) the one with the largest magnitude counts, the first
// among equals. Bin k holds angles from k/bins up to (k+1)/bins of the half or whole circle; a zero
// gradient has bin 0. `magnitude` and `bin` have one channel. A channel whose difference is NaN is
// left out; a pixel without another channel has magnitude 0 and bin 0.
FOVEA_API void polar_gradient(ImageView<const std::uint8_t> image, ImageView<float> magnitude,
                              ImageView<std::uint8_t> bin,
                              const PolarGradientOptions& options = {});
FOVEA_API void polar_gradient(ImageView<const float> image, ImageView<float> magnitude,
                              ImageView<std::uint8_t> bin,
                              const PolarGradientOptions& options = {});

}  // namespace fovea
