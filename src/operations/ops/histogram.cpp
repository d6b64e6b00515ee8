// ops histogram: computes the histogram of the window around every pixel.
#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/ops/window_histogram.h>

#include <fmt/format.h>

#include "operations/ops/images.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_ops_histogram {
namespace {

constexpr int kMostLevels = 64;  // the limit of window_histogram()

struct HistogramRequest {
  io::Orientation orientation = io::Orientation::kIgnore;
  QuantizeOptions quantize{};
  WindowHistogramOptions window{};
};

void describe(OptionVisitor& visit, HistogramRequest& request) {
  describe_orientation(visit, request.orientation);
  describe(visit, request.quantize);
  describe(visit, request.window);
}

Image<std::uint8_t> levels_of(const io::AnyImage& image, const QuantizeOptions& options) {
  Image<std::uint8_t> bins(image.width(), image.height());
  std::visit(
      [&]<class T>(const ImageView<const T>& view) {
        if constexpr (requires { quantize(view, bins, options); }) quantize(view, bins, options);
        else quantize(io::to_float(image), bins, options);
      },
      image.view());
  return bins;
}

void check(const HistogramRequest& request) {
  if (request.quantize.levels > kMostLevels)
    throw InvalidArgument(fmt::format("--levels is {}; ops histogram counts at most {}",
                                      request.quantize.levels, kMostLevels));
}

void begin(HistogramRequest& request, const Exec& exec, const Plan&) {
  request.quantize.exec = exec;
  request.window.exec = exec;
}

void run(const HistogramRequest& request, NoWorker&, Filtered& item) {
  const auto bins = levels_of(io::to_gray(item.input), request.quantize);
  Image<std::uint16_t> counts(bins.width(), bins.height(), request.quantize.levels);
  window_histogram(bins, counts, request.window);
  make(item, {std::move(counts), {.white = 65535}});
}

// The image, its gray values, also as floats, its levels, and the counts.
std::uint64_t memory(const HistogramRequest& request, const io::ImageInfo& image) {
  constexpr std::uint64_t kGray = 8 + 4 + 1;
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height);
  return io::decoded_bytes(image) +
         (kGray + 2 * static_cast<std::uint64_t>(request.quantize.levels)) * pixels;
}

}  // namespace
}  // namespace of_ops_histogram

Operation ops_histogram() {
  using namespace of_ops_histogram;
  auto parts = image_parts<HistogramRequest>(
      {.system = "ops",
       .verb = "histogram",
       .summary = "compute the histogram of the window around every pixel",
       .text = "Divides gray values into levels and writes an array of height x width x levels "
               "counts (uint16) to .npy or .tif. The time does not depend on the size of the "
               "window. Results in a folder end in .npy.",
       .examples = {{"fovea ops histogram photo.png -o counts.npy --levels 8",
                     "count eight levels in windows of 15x15 pixels"},
                    {"fovea ops histogram photos -o counts --window-width 31 --window-height 31",
                     "count in larger windows, for every image of a folder"}}},
      ".npy", run);
  parts.check = check;
  parts.begin = begin;
  parts.image_memory = memory;
  return image_operation(std::move(parts));
}

}  // namespace fovea::operations
