// fovea ops gradient: magnitude, orientation or differences of images, as images to look at.
#include <fovea/core/error.h>
#include <fovea/ops/gradient.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

enum class GradientShow : unsigned char { kMagnitude, kOrientation, kDx, kDy };

std::span<const Choice> choices(GradientShow) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"magnitude", static_cast<int>(GradientShow::kMagnitude)},
       {"orientation", static_cast<int>(GradientShow::kOrientation)},
       {"dx", static_cast<int>(GradientShow::kDx)},
       {"dy", static_cast<int>(GradientShow::kDy)}}};
  return kChoices;
}

struct GradientRequest {
  ImageFiles files{};
  GradientShow show = GradientShow::kMagnitude;
  float gain = 1;  // factor on what is shown, before it is cut to 0..255
  GradientOptions differences{};
  PolarGradientOptions polar{};
};

void describe(OptionVisitor& visit, GradientRequest& request) {
  describe(visit, request.files);
  visit("show", request.show, "what to write of the gradient");
  visit("gain", request.gain, "factor on magnitudes and differences, before they are cut to 0..255",
        0, 1000);
  describe(visit, request.differences);
  describe(visit, request.polar);
}

bool shows_differences(const GradientRequest& request) {
  return request.show == GradientShow::kDx || request.show == GradientShow::kDy;
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

// Gray is no difference; black and white are the largest ones at gain 1.
Image<std::uint8_t> difference_image(const Image<std::uint8_t>& image,
                                     const GradientRequest& request) {
  Image<std::int16_t> dx(image.width(), image.height(), image.channels());
  Image<std::int16_t> dy(image.width(), image.height(), image.channels());
  gradient(image, dx, dy, request.differences);
  const GradientKernel kernel = request.differences.kernel;
  const float weight = kernel == GradientKernel::kScharr  ? 16
                       : kernel == GradientKernel::kSobel ? 4
                                                          : 1;
  const Image<std::int16_t>& shown = request.show == GradientShow::kDx ? dx : dy;
  Image<std::uint8_t> result(image.width(), image.height(), image.channels());
  for (int y = 0; y < image.height(); ++y) {
    for (int i = 0; i < image.width() * image.channels(); ++i)
      result.row(y)[i] = to_byte(128 + request.gain * shown.row(y)[i] / (2 * weight));
  }
  return result;
}

Image<std::uint8_t> polar_image(const Image<std::uint8_t>& image, const GradientRequest& request) {
  Image<float> magnitude(image.width(), image.height());
  Image<std::uint8_t> result(image.width(), image.height());
  polar_gradient(image, magnitude, result, request.polar);
  const int last_bin = std::max(1, request.polar.bins - 1);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      std::uint8_t& pixel = result.at(x, y);
      pixel = request.show == GradientShow::kMagnitude
                  ? to_byte(request.gain * magnitude.at(x, y))
                  : static_cast<std::uint8_t>(pixel * 255 / last_bin);
    }
  }
  return result;
}

int run_gradient(GradientRequest& request, Context& context) {
  if (!shows_differences(request) && request.differences.kernel != GradientKernel::kCentered)
    throw InvalidArgument(
        "--kernel goes with --show dx or dy; magnitude and orientation take the centered "
        "difference");
  return run_on_images(
      context, request.files, "", [&](io::AnyImage& input, const std::string& output) {
        request.differences.exec = request.polar.exec = exec_of_image(context);
        const auto image = io::to_bytes(io::drop_alpha(input));
        io::write_image(output,
                        io::AnyImage{shows_differences(request) ? difference_image(image, request)
                                                                : polar_image(image, request),
                                     facts_of_bytes(input.facts)});
        return ImageResult{};
      });
}

}  // namespace

Command ops_gradient_command() {
  return {.system = "ops",
          .verb = "gradient",
          .summary = "edges of images: gradient magnitude, orientation or differences",
          .text =
              "Writes an image of each input's gradient. Magnitude is that of the centered "
              "difference, of the strongest channel; orientation is its bin, spread over 0 to 255. "
              "dx and dy show differences of the chosen kernel divided by its weight, around 128. "
              "An input that fails is named, and the others are still done.",
          .arguments = {image_inputs()},
          .examples = {{"fovea ops gradient photo.jpg -o edges.png", "magnitude of one image"},
                       {"fovea ops gradient photos -o edges --gain 2",
                        "every image of a folder, brightened"},
                       {"fovea ops gradient photo.png -o dx.png --show dx --kernel sobel",
                        "horizontal differences by Sobel's kernel"}},
          .request = make_request<GradientRequest, run_gradient>};
}

}  // namespace fovea::cli
