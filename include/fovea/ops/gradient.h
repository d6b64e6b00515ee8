#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea {

// Weights across the direction of the difference: centered 0 1 0, Sobel 1 2 1, Scharr 3 10 3.
enum class GradientKernel : unsigned char { kCentered, kSobel, kScharr };
FOVEA_API std::span<const Choice> choices(GradientKernel);

struct GradientOptions {
  GradientKernel kernel =
      GradientKernel::kCentered;  // centered is the sharpest, Scharr the most isotropic
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, GradientOptions& options);

// Differences right minus left (dx) and below minus above (dy) of every channel (1 to 4), not
// divided by the kernel's weight; borders repeat. All images have one size. One read and two writes
// a pixel.
FOVEA_API void gradient(ImageView<const std::uint8_t> image, ImageView<std::int16_t> dx,
                        ImageView<std::int16_t> dy, const GradientOptions& options = {});
FOVEA_API void gradient(ImageView<const float> image, ImageView<float> dx, ImageView<float> dy,
                        const GradientOptions& options = {});

struct PolarGradientOptions {
  int bins = 9;  // orientation bins over the half circle (the whole one if signed_angle); 1 to 32
  bool signed_angle = false;  // keep bright-to-dark and dark-to-bright edges apart
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PolarGradientOptions& options);

// Magnitude and orientation bin of every pixel by the centered difference [-1 0 1]; borders repeat.
// With several channels (2 to 4) the one with the largest magnitude counts, the first among equals.
// Bin k holds angles from k/bins of the circle up to (k+1)/bins; a zero gradient has bin 0.
// magnitude and bin have one channel.
FOVEA_API void polar_gradient(ImageView<const std::uint8_t> image, ImageView<float> magnitude,
                              ImageView<std::uint8_t> bin,
                              const PolarGradientOptions& options = {});
FOVEA_API void polar_gradient(ImageView<const float> image, ImageView<float> magnitude,
                              ImageView<std::uint8_t> bin,
                              const PolarGradientOptions& options = {});

}  // namespace fovea
