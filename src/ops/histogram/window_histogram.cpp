// Checks requests for window histograms and passes them to the twin of the requested device.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/window_histogram.h>

#include <array>
#include <limits>

#include "core/dispatch.h"
#include "ops/histogram/backend.h"

namespace fovea {
namespace {

constexpr int kMostBins = 64;

template <class Count>
void run_window_histogram(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                          const WindowHistogramOptions& options) {
  const char* const name = "window_histogram";
  check_options(options);
  for (const int side : {options.window.width, options.window.height})
    if (side % 2 == 0)
      throw InvalidArgument(fmt::format("{}: a window of {}x{} has no middle; give odd sides", name,
                                        options.window.width, options.window.height));
  const int pixels = options.window.width * options.window.height;
  if (pixels > std::numeric_limits<Count>::max())
    throw InvalidArgument(
        fmt::format("{}: a window of {} pixels does not fit in {}-bit counts; "
                    "give 16-bit counts or a window of at most {} pixels",
                    name, pixels, 8 * sizeof(Count), std::numeric_limits<Count>::max()));
  detail::require_shape(name, "bin", bin, bin.width, bin.height, 1);
  if (counts.channels < 1 || counts.channels > kMostBins)
    detail::throw_wrong_shape(name, "counts", detail::shape_text(counts),
                              fmt::format("1 to {} channels, one a bin", kMostBins));
  detail::require_shape(name, "counts", counts, bin.width, bin.height, counts.channels);
  if (bin.empty()) return;
  const Exec exec = detail::resolve_exec(name, options.exec, {bin, counts});
  const detail::WindowParams params{options.window.width / 2, options.window.height / 2,
                                    options.border == WindowBorder::kRepeat};
  if (detail::on_cuda(exec)) return cuda::window_histogram(bin, counts, params, exec);
  return cpu::window_histogram(bin, counts, params, exec);
}

template <class T>
void run_quantize(ImageView<const T> image, ImageView<std::uint8_t> bin,
                  const QuantizeOptions& options) {
  check_options(options);
  float low = options.low, high = options.high;
  if (low == high) {
    low = 0;
    high = sizeof(T) == 1 ? 256.0F : sizeof(T) == 2 ? 65536.0F : 1.0F;
  }
  if (high < low)
    throw InvalidArgument(
        fmt::format("quantize: high {} lies below low {}; give them in order", high, low));
  detail::require_shape("quantize", "bin", bin, image.width, image.height, image.channels);
  if (image.empty()) return;
  const Exec exec = detail::resolve_exec("quantize", options.exec, {image, bin});
  const detail::QuantizeParams params{low, static_cast<float>(options.levels) / (high - low),
                                      options.levels};
  if (detail::on_cuda(exec)) return cuda::quantize(image, bin, params, exec);
  return cpu::quantize(image, bin, params, exec);
}

}  // namespace

std::span<const Choice> choices(WindowBorder) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"clip", static_cast<int>(WindowBorder::kClip)},
       {"repeat", static_cast<int>(WindowBorder::kRepeat)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, WindowHistogramOptions& options) {
  visit("window-width", options.window.width, "width of the window in pixels, odd", 1, 255);
  visit("window-height", options.window.height, "height of the window in pixels, odd", 1, 255);
  visit("border", options.border,
        "clip leaves out pixels beyond the border, repeat counts the border pixels again");
}

void describe(OptionVisitor& visit, QuantizeOptions& options) {
  constexpr double kMost = std::numeric_limits<float>::max();
  visit("levels", options.levels, "levels that gray values are divided into", 1, 255);
  visit("low", options.low, "value where the first level starts", -kMost, kMost);
  visit("high", options.high,
        "value where the last level ends; if it equals --low, levels cover the range of the type",
        -kMost, kMost);
}

void window_histogram(ImageView<const std::uint8_t> bin, ImageView<std::uint16_t> counts,
                      const WindowHistogramOptions& options) {
  run_window_histogram(bin, counts, options);
}
void window_histogram(ImageView<const std::uint8_t> bin, ImageView<std::uint8_t> counts,
                      const WindowHistogramOptions& options) {
  run_window_histogram(bin, counts, options);
}
void quantize(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> bin,
              const QuantizeOptions& options) {
  run_quantize(image, bin, options);
}
void quantize(ImageView<const std::uint16_t> image, ImageView<std::uint8_t> bin,
              const QuantizeOptions& options) {
  run_quantize(image, bin, options);
}
void quantize(ImageView<const float> image, ImageView<std::uint8_t> bin,
              const QuantizeOptions& options) {
  run_quantize(image, bin, options);
}

}  // namespace fovea
