// ops blur: smooths images by a Gaussian.
#include <fovea/io/samples.h>
#include <fovea/ops/convolve.h>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_blur {
namespace {

struct BlurRequest {
  io::Orientation orientation = io::Orientation::kIgnore;
  double sigma = 2;  // standard deviation in pixels
  Border border = Border::kReflect101;
  float border_value = 0;
  ConvolveOptions convolve{};  // follows from the others
};

void describe(OptionVisitor& visit, BlurRequest& request) {
  describe_orientation(visit, request.orientation);
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
  const RowReach reach{static_cast<int>(gaussian_kernel(sigma).size() / 2), options.border};
  return through_float(image, reach, [&](ImageView<const float> in, ImageView<float> out) {
    gaussian_blur(in, out, sigma, options);
  });
}

std::uint64_t memory(const BlurRequest&, const io::ImageInfo& image) {
  return 2 * io::decoded_bytes(image) + strips_memory(io::sample_count(image));
}

void begin(BlurRequest& request, const Exec& exec, const Plan&) {
  request.convolve = {.border = request.border, .border_value = request.border_value, .exec = exec};
}

void run(const BlurRequest& request, NoWorker&, Filtered& item) {
  make(item, {blurred(item.input, request.sigma, request.convolve), item.input.facts});
}

}  // namespace
}  // namespace of_ops_blur

Operation ops_blur() {
  using namespace of_ops_blur;
  auto parts = image_parts<BlurRequest>(
      {.system = "ops",
       .verb = "blur",
       .summary = "smooth images by a Gaussian",
       .text =
           "Blurs every channel by a Gaussian of the given standard deviation. The sample type, "
           "alpha and the orientation tag stay as they are. For a sigma over 31, shrink the "
           "image first.",
       .examples = {{"fovea ops blur photo.jpg -o soft.jpg --sigma 3", "blur one image"},
                    {"fovea ops blur photos -o soft --border reflect",
                     "blur every image of a folder, mirrored at its borders"}}},
      "", run);
  parts.begin = begin;
  parts.image_memory = memory;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
