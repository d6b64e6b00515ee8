// ops integral: writes summed-area tables as files.
#include <fovea/io/samples.h>
#include <fovea/ops/integral.h>

#include <array>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_integral {
namespace {

enum class SumType : unsigned char { kFloat, kDouble };

std::span<const Choice> choices(SumType) {
  static constexpr std::array<Choice, 2> kChoices{{{"float", static_cast<int>(SumType::kFloat)},
                                                   {"double", static_cast<int>(SumType::kDouble)}}};
  return kChoices;
}

struct IntegralRequest {
  io::Orientation orientation = io::Orientation::kIgnore;
  SumType type = SumType::kDouble;
  IntegralOptions integral{};
};

void describe(OptionVisitor& visit, IntegralRequest& request) {
  describe_orientation(visit, request.orientation);
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

// The image, its samples as sums are, and the sums.
std::uint64_t memory(const IntegralRequest& request, const io::ImageInfo& image) {
  const std::uint64_t sum = request.type == SumType::kFloat ? sizeof(float) : sizeof(double);
  return io::decoded_bytes(image) + 2 * sum * io::sample_count(image);
}

void run(const IntegralRequest& request, NoWorker&, Filtered& item) {
  if (request.type == SumType::kFloat) make(item, {summed<float>(item.input, request.integral)});
  else make(item, {summed<double>(item.input, request.integral)});
}

}  // namespace
}  // namespace of_ops_integral

Operation ops_integral() {
  using namespace of_ops_integral;
  auto parts = image_parts<IntegralRequest>(
      {.system = "ops",
       .verb = "integral",
       .summary = "compute integral images (summed-area tables)",
       .text =
           "Writes the integral image of every channel to .npy or .tif, from which the sum over "
           "any rectangle takes four look-ups. An exclusive table has one row and one column "
           "more than the image and starts with zeros. Samples count as they are stored. "
           "Results in a folder end in .npy.",
       .examples = {{"fovea ops integral photo.png -o sums.npy", "write exact sums of one image"},
                    {"fovea ops integral photo.png -o squares.tif --squares",
                     "write sums of squares, for variances"}}},
      ".npy", run);
  parts.begin = [](IntegralRequest& request, const Exec& exec, const Plan&) {
    request.integral.exec = exec;
  };
  parts.image_memory = memory;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
