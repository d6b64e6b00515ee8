// fovea ops integral: writes summed-area tables as files.
#include <fovea/io/samples.h>
#include <fovea/ops/integral.h>

#include <array>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

enum class SumType : unsigned char { kFloat, kDouble };

std::span<const Choice> choices(SumType) {
  static constexpr std::array<Choice, 2> kChoices{{{"float", static_cast<int>(SumType::kFloat)},
                                                   {"double", static_cast<int>(SumType::kDouble)}}};
  return kChoices;
}

struct IntegralRequest {
  ImageFiles files{};
  SumType type = SumType::kDouble;
  IntegralOptions integral{};
};

void describe(OptionVisitor& visit, IntegralRequest& request) {
  describe(visit, request.files);
  visit("type", request.type, "type of the sums; double is exact for images of bytes");
  describe(visit, request.integral);
}

template <class Sum>
Image<Sum> summed(const io::AnyImage& image, const IntegralOptions& options) {
  const int border = options.kind == IntegralKind::kExclusive ? 1 : 0;
  Image<Sum> sums(image.width() + border, image.height() + border, image.channels());
  if (const auto* bytes = std::get_if<Image<std::uint8_t>>(&image.pixels)) {
    integral(bytes->view(), sums.view(), options);
  } else {
    const Image<Sum> samples = io::samples_as<Sum>(image.view());
    integral(samples.view(), sums.view(), options);
  }
  return sums;
}

int run_integral(IntegralRequest& request, Context& context) {
  return run_on_images(context, request.files, ".npy", {&request.integral.exec},
                       [&](io::AnyImage& input, const std::string& output) {
                         if (request.type == SumType::kFloat)
                           return one_file(output, {summed<float>(input, request.integral)});
                         return one_file(output, {summed<double>(input, request.integral)});
                       });
}

}  // namespace

Command ops_integral_command() {
  return {
      .system = "ops",
      .verb = "integral",
      .summary = "compute integral images (summed-area tables)",
      .text =
          "Writes the integral image of every channel to .npy or .tif, from which the sum over "
          "any rectangle takes four look-ups. An exclusive table has one row and one column "
          "more than the image and starts with zeros. Samples count as they are stored. "
          "Results in a folder end in .npy.",
      .arguments = {image_inputs()},
      .examples = {{"fovea ops integral photo.png -o sums.npy", "write exact sums of one image"},
                   {"fovea ops integral photo.png -o squares.tif --squares",
                    "write sums of squares, for variances"}},
      .request = make_request<IntegralRequest, run_integral>,
      .result = {sample_record<ImageNumbers>, true},
      .reads_images = true,
      .batches = true,
      .shards = true};
}

}  // namespace fovea::cli
