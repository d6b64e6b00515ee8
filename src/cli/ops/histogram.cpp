// fovea ops histogram: computes the histogram of the window around every pixel.
#include <fovea/core/error.h>
#include <fovea/ops/window_histogram.h>

#include <fmt/format.h>

#include "cli/ops/images.h"

namespace fovea::cli {
namespace {

constexpr int kMostLevels = 64;  // the limit of window_histogram()

struct HistogramRequest {
  ImageFiles files{};
  QuantizeOptions quantize{};
  WindowHistogramOptions window{};
};

void describe(OptionVisitor& visit, HistogramRequest& request) {
  describe(visit, request.files);
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

int run_histogram(HistogramRequest& request, Context& context) {
  if (request.quantize.levels > kMostLevels)
    throw InvalidArgument(fmt::format("--levels is {}; ops histogram counts at most {}",
                                      request.quantize.levels, kMostLevels));
  return run_on_images(
      context, request.files, ".npy", {&request.quantize.exec, &request.window.exec},
      [&](io::AnyImage& input, const std::string& output) {
        const auto bins = levels_of(io::to_gray(input), request.quantize);
        Image<std::uint16_t> counts(bins.width(), bins.height(), request.quantize.levels);
        window_histogram(bins, counts, request.window);
        return one_file(output, {std::move(counts), {.white = 65535}});
      },
      2 * static_cast<std::uint64_t>(request.quantize.levels) + 8);
}

}  // namespace

Command ops_histogram_command() {
  return {.system = "ops",
          .verb = "histogram",
          .summary = "compute the histogram of the window around every pixel",
          .text =
              "Divides gray values into levels and writes an array of height x width x levels "
              "counts (uint16) to .npy or .tif. The time does not depend on the size of the "
              "window. Results in a folder end in .npy.",
          .arguments = {image_inputs()},
          .examples = {{"fovea ops histogram photo.png -o counts.npy --levels 8",
                        "count eight levels in windows of 15x15 pixels"},
                       {"fovea ops histogram photos -o counts --window-width 31 --window-height 31",
                        "count in larger windows, for every image of a folder"}},
          .request = make_request<HistogramRequest, run_histogram>,
          .result = {sample_record<ImageNumbers>, true},
          .reads_images = true,
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
