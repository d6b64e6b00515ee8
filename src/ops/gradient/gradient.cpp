// Checks a gradient request and passes it to the twin of the requested device.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/gradient.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/dispatch.h"
#include "ops/gradient/backend.h"

namespace fovea {
namespace detail {

PolarParams polar_params(const PolarGradientOptions& options) {
  PolarParams params{};
  params.bins = options.bins;
  params.signed_angle = options.signed_angle ? 1 : 0;
  const double range = (options.signed_angle ? 2 : 1) * std::numbers::pi;
  for (int k = 0; k < options.bins; ++k) {
    const double angle = range * k / options.bins;
    params.cosine[k] = static_cast<float>(std::cos(angle));
    params.sine[k] = static_cast<float>(std::sin(angle));
  }
  // Borders that are mirrored or opposite become exactly so, to the bit, and those at a right angle
  // and at pi become exact, without a rounding error.
  const int half = half_circle_bins(params);
  for (int k = half / 2 + 1; k < half; ++k) {
    params.cosine[k] = -params.cosine[half - k];
    params.sine[k] = params.sine[half - k];
  }
  if (half > 0 && half % 2 == 0) params.cosine[half / 2] = 0;
  for (int k = half; half > 0 && k < options.bins; ++k) {
    params.cosine[k] = -params.cosine[k - half];
    params.sine[k] = k == half ? 0 : -params.sine[k - half];
  }
  return params;
}

}  // namespace detail

namespace {

void require_channels(const char* operation, int channels, const std::string& shape) {
  if (channels < 1 || channels > 4)
    detail::throw_wrong_shape(operation, "image", shape, "1 to 4 channels");
}

template <class T, class Difference>
void run_gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
                  const GradientOptions& options) {
  check_options(options);
  require_channels("gradient", image.channels, detail::shape_text(image));
  detail::require_shape("gradient", "dx", dx, image.width, image.height, image.channels);
  detail::require_shape("gradient", "dy", dy, image.width, image.height, image.channels);
  if (image.empty()) return;
  const Exec exec = detail::resolve_exec("gradient", options.exec, {image, dx, dy});
  if (detail::on_cuda(exec)) return cuda::gradient(image, dx, dy, options.kernel, exec);
  return cpu::gradient(image, dx, dy, options.kernel, exec);
}

template <class T>
void run_polar(ImageView<const T> image, ImageView<float> magnitude, ImageView<std::uint8_t> bin,
               const PolarGradientOptions& options) {
  check_options(options);
  require_channels("polar_gradient", image.channels, detail::shape_text(image));
  detail::require_shape("polar_gradient", "magnitude", magnitude, image.width, image.height, 1);
  detail::require_shape("polar_gradient", "bin", bin, image.width, image.height, 1);
  if (image.empty()) return;
  const Exec exec = detail::resolve_exec("polar_gradient", options.exec, {image, magnitude, bin});
  const detail::PolarParams params = detail::polar_params(options);
  if (detail::on_cuda(exec)) return cuda::polar_gradient(image, magnitude, bin, params, exec);
  return cpu::polar_gradient(image, magnitude, bin, params, exec);
}

}  // namespace

std::span<const Choice> choices(GradientKernel) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"centered", static_cast<int>(GradientKernel::kCentered)},
       {"sobel", static_cast<int>(GradientKernel::kSobel)},
       {"scharr", static_cast<int>(GradientKernel::kScharr)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, GradientOptions& options) {
  visit("kernel", options.kernel,
        "weights across the difference: centered 0 1 0, sobel 1 2 1, scharr 3 10 3");
}

void describe(OptionVisitor& visit, PolarGradientOptions& options) {
  visit("bins", options.bins,
        "number of orientation bins over 180 degrees, or over 360 with --signed-angle", 1, 32);
  visit("signed-angle", options.signed_angle,
        "distinguish edges from light to dark from edges from dark to light");
}

void gradient(ImageView<const std::uint8_t> image, ImageView<std::int16_t> dx,
              ImageView<std::int16_t> dy, const GradientOptions& options) {
  run_gradient(image, dx, dy, options);
}
void gradient(ImageView<const float> image, ImageView<float> dx, ImageView<float> dy,
              const GradientOptions& options) {
  run_gradient(image, dx, dy, options);
}
void polar_gradient(ImageView<const std::uint8_t> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const PolarGradientOptions& options) {
  run_polar(image, magnitude, bin, options);
}
void polar_gradient(ImageView<const float> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const PolarGradientOptions& options) {
  run_polar(image, magnitude, bin, options);
}

}  // namespace fovea
