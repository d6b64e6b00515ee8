// ops gradient: writes the magnitude, orientation or differences of images, as bytes to look
// at or as float values to compute with.
#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/ops/gradient.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_gradient {
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
  io::Orientation orientation = io::Orientation::kIgnore;
  GradientShow show = GradientShow::kMagnitude;
  float gain = 1;  // factor applied to magnitudes and differences before they are clipped to 0..255
  GradientOptions differences{};
  PolarGradientOptions polar{};
};

void describe(OptionVisitor& visit, GradientRequest& request) {
  describe_orientation(visit, request.orientation);
  visit("show", request.show, "which part of the gradient to write");
  visit("gain", request.gain,
        "factor on magnitudes and differences; images of bytes are clipped to 0..255 after it", 0,
        1000);
  describe(visit, request.differences);
  describe(visit, request.polar);
}

bool shows_differences(const GradientRequest& request) {
  return request.show == GradientShow::kDx || request.show == GradientShow::kDy;
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

bool writes_float(const std::string& output) {
  return output.ends_with(".npy") || output.ends_with(".pfm") || output.ends_with(".tif") ||
         output.ends_with(".tiff");
}

// Differences of the kernel, divided by its weight and multiplied by the gain.
Image<float> differences_of(const Image<std::uint8_t>& image, const GradientRequest& request) {
  Image<std::int16_t> dx(image.width(), image.height(), image.channels());
  Image<std::int16_t> dy(image.width(), image.height(), image.channels());
  gradient(image, dx, dy, request.differences);
  const GradientKernel kernel = request.differences.kernel;
  const float weight = kernel == GradientKernel::kScharr  ? 16
                       : kernel == GradientKernel::kSobel ? 4
                                                          : 1;
  const Image<std::int16_t>& shown = request.show == GradientShow::kDx ? dx : dy;
  Image<float> result(image.width(), image.height(), image.channels());
  for (int y = 0; y < image.height(); ++y) {
    for (int i = 0; i < image.width() * image.channels(); ++i)
      result.row(y)[i] = request.gain * shown.row(y)[i] / weight;
  }
  return result;
}

// Magnitudes multiplied by the gain, or the numbers of bins.
Image<float> polar_values(const Image<std::uint8_t>& image, const GradientRequest& request) {
  Image<float> values(image.width(), image.height());
  Image<std::uint8_t> bins(image.width(), image.height());
  polar_gradient(image, values, bins, request.polar);
  const bool magnitude = request.show == GradientShow::kMagnitude;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      float& value = values.at(x, y);
      value = magnitude ? request.gain * value : static_cast<float>(bins.at(x, y));
    }
  }
  return values;
}

// Converts values to an image to look at. For differences, gray is 0, and black and white are the
// largest ones at gain 1; bins are spread over all bytes.
Image<std::uint8_t> picture_of(ImageView<const float> values, const GradientRequest& request) {
  const int last_bin = std::max(1, request.polar.bins - 1);
  Image<std::uint8_t> picture(values.width, values.height, values.channels);
  for (int y = 0; y < values.height; ++y) {
    for (int i = 0; i < values.row_elements(); ++i) {
      const float value = values.row(y)[i];
      picture.row(y)[i] = shows_differences(request) ? to_byte(128 + value / 2)
                          : request.show == GradientShow::kMagnitude
                              ? to_byte(value)
                              : static_cast<std::uint8_t>(static_cast<int>(value) * 255 / last_bin);
    }
  }
  return picture;
}

void check(const GradientRequest& request) {
  if (!shows_differences(request) && request.differences.kernel != GradientKernel::kCentered)
    throw InvalidArgument(
        "--kernel goes with --show dx or dy; magnitude and orientation take the centered "
        "difference");
}

void begin(GradientRequest& request, const Exec& exec, const Plan&) {
  request.differences.exec = exec;
  request.polar.exec = exec;
}

void run(const GradientRequest& request, NoWorker&, Filtered& item) {
  const auto image = io::to_bytes(io::drop_alpha(item.input));
  io::ImageFacts facts = facts_of_bytes(item.input.facts);
  facts.white = 1;
  make(item,
       {shows_differences(request) ? differences_of(image, request) : polar_values(image, request),
        facts});
}

// The image with its bytes; then two differences, or a magnitude and its bin; values and a picture.
std::uint64_t memory(const GradientRequest& request, const io::ImageInfo& image) {
  constexpr std::uint64_t kDifferences = 11, kPolar = 7;
  return io::decoded_bytes(image) +
         (shows_differences(request) ? kDifferences : kPolar) * io::sample_count(image);
}

// Values to compute with, or a picture to look at, as the name of the file says.
void write(const GradientRequest& request, const Filtered& item, const std::string& path) {
  const io::AnyImage& values = item.made[0];
  if (writes_float(path)) return io::write_image(path, values);
  io::write_image(path, io::AnyImage{picture_of(std::get<Image<float>>(values.pixels), request),
                                     facts_of_bytes(item.input.facts)});
}

}  // namespace
}  // namespace of_ops_gradient

Operation ops_gradient() {
  using namespace of_ops_gradient;
  auto parts = image_parts<GradientRequest>(
      {.system = "ops",
       .verb = "gradient",
       .summary = "find edges: gradient magnitude, orientation or differences",
       .text =
           "Writes the gradient of each input. Magnitude and orientation belong to the centered "
           "difference of the channel in which it is greatest; the orientation is written as "
           "the number of its bin, stretched to 0 to 255. dx and dy are the differences by the "
           "chosen kernel, divided by the sum of its weights, plus 128. Outputs that end in "
           ".npy, .pfm or .tif hold float values instead: nothing is added to or clipped from "
           "magnitudes and differences, and orientations are numbers of bins.",
       .examples = {{"fovea ops gradient photo.jpg -o edges.png",
                     "write the magnitude of one image"},
                    {"fovea ops gradient photos -o edges --gain 2",
                     "write brighter magnitudes for a folder of images"},
                    {"fovea ops gradient photo.jpg -o edges.npy",
                     "write the magnitude as float values"},
                    {"fovea ops gradient photo.png -o dx.png --show dx --kernel sobel",
                     "write horizontal differences by Sobel's kernel"}}},
      "", run);
  parts.check = check;
  parts.begin = begin;
  parts.image_memory = memory;
  parts.outputs[0].write = write;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
