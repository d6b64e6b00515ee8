// fovea ops blur: smooths images by a Gaussian.
#include <fovea/ops/convolve.h>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

struct BlurRequest {
  ImageFiles files{};
  double sigma = 2;  // standard deviation in pixels
  Border border = Border::kReflect101;
  float border_value = 0;
};

void describe(OptionVisitor& visit, BlurRequest& request) {
  describe(visit, request.files);
  visit("sigma", request.sigma, "standard deviation of the Gaussian in pixels", 0.05, 31);
  visit("border", request.border, "which values stand in for pixels beyond the image");
  visit("border-value", request.border_value,
        "the value of pixels beyond the image with --border constant", -1e9, 1e9);
}

io::AnyPixels blurred(const io::AnyImage& image, double sigma, const ConvolveOptions& options) {
  if (const auto* bytes = std::get_if<Image<std::uint8_t>>(&image.pixels)) {
    Image<std::uint8_t> result(image.width(), image.height(), image.channels());
    gaussian_blur(*bytes, result, sigma, options);
    return result;
  }
  return through_float(image, [&](ImageView<const float> in, ImageView<float> out) {
    gaussian_blur(in, out, sigma, options);
  });
}

int run_blur(BlurRequest& request, Context& context) {
  ConvolveOptions options{.border = request.border, .border_value = request.border_value};
  return run_on_images(
      context, request.files, "", {&options.exec},
      [&](io::AnyImage& input, const std::string& output) {
        return one_file(output, {blurred(input, request.sigma, options), input.facts});
      });
}

}  // namespace

Command ops_blur_command() {
  return {.system = "ops",
          .verb = "blur",
          .summary = "smooth images by a Gaussian",
          .text =
              "Blurs every channel by a Gaussian of the given standard deviation. The sample type, "
              "alpha and the orientation tag stay as they are. For a sigma over 31, shrink the "
              "image first.",
          .arguments = {image_inputs()},
          .examples = {{"fovea ops blur photo.jpg -o soft.jpg --sigma 3", "blur one image"},
                       {"fovea ops blur photos -o soft --border reflect",
                        "blur every image of a folder, mirrored at its borders"}},
          .request = make_request<BlurRequest, run_blur>,
          .result = {sample_record<ImageNumbers>, true},
          .reads_images = true,
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
