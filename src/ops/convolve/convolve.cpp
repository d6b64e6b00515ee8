// Checks a convolution request, flips the kernel if the options say so, and passes it to the twin
// of the requested device.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/convolve.h>

#include <algorithm>
#include <array>

#include "core/dispatch.h"
#include "ops/convolve/backend.h"

namespace fovea {
namespace {

void check_taps(const char* operation, const char* what, int taps) {
  if (taps >= 1 && taps <= detail::kMostTaps) return;
  throw InvalidArgument(
      fmt::format("{}: {} has {} taps, expected 1 to {}; shrink the image first if "
                  "it must be larger",
                  operation, what, taps, detail::kMostTaps));
}

int resolve_anchor(const char* operation, const char* what, int anchor, int taps, bool flip) {
  if (anchor < -1 || anchor >= taps)
    throw InvalidArgument(
        fmt::format("{}: {} {} lies outside a kernel of {} taps, expected 0 to {}, or -1 for the "
                    "middle",
                    operation, what, anchor, taps, taps - 1));
  const int chosen = anchor < 0 ? taps / 2 : anchor;
  return flip ? taps - 1 - chosen : chosen;
}

template <class T, class Out>
void check_shapes(const char* operation, ImageView<const T> image, ImageView<Out> out) {
  if (image.channels < 1 || image.channels > 4)
    detail::throw_wrong_shape(operation, "image", detail::shape_text(image), "1 to 4 channels");
  detail::require_shape(operation, "out", out, image.width, image.height, image.channels);
}

template <class T, class Out>
void run_separable(const char* operation, ImageView<const T> image, ImageView<Out> out,
                   const detail::SeparableKernel& kernel, const ConvolveOptions& options) {
  check_options(options);
  check_shapes(operation, image, out);
  const int width = static_cast<int>(std::min<std::size_t>(kernel.row.size(), 1 << 20)),
            height = static_cast<int>(std::min<std::size_t>(kernel.column.size(), 1 << 20));
  check_taps(operation, "the row kernel", width);
  check_taps(operation, "the column kernel", height);
  const detail::ConvolveParams params{
      options.border, options.border_value,
      resolve_anchor(operation, "anchor-x", options.anchor_x, width, options.flip),
      resolve_anchor(operation, "anchor-y", options.anchor_y, height, options.flip)};
  if (image.empty()) return;
  const Exec exec = detail::resolve_exec(operation, options.exec, {image, out});
  std::vector<float> row(kernel.row.begin(), kernel.row.end()),
      column(kernel.column.begin(), kernel.column.end());
  if (options.flip) {
    std::reverse(row.begin(), row.end());
    std::reverse(column.begin(), column.end());
  }
  const detail::SeparableKernel taps{row, column};
  if (detail::on_cuda(exec)) return cuda::convolve_separable(image, out, taps, params, exec);
  return cpu::convolve_separable(image, out, taps, params, exec);
}

template <class T, class Out>
void run_convolve(ImageView<const T> image, ImageView<Out> out, ImageView<const float> kernel,
                  const ConvolveOptions& options) {
  check_options(options);
  check_shapes("convolve", image, out);
  detail::require_shape("convolve", "kernel", kernel, kernel.width, kernel.height, 1);
  check_taps("convolve", "a row of the kernel", kernel.width);
  check_taps("convolve", "a column of the kernel", kernel.height);
  detail::require_host("convolve", "the kernel", kernel.memory);
  const detail::ConvolveParams params{
      options.border, options.border_value,
      resolve_anchor("convolve", "anchor-x", options.anchor_x, kernel.width, options.flip),
      resolve_anchor("convolve", "anchor-y", options.anchor_y, kernel.height, options.flip)};
  if (image.empty()) return;
  const Exec exec = detail::resolve_exec("convolve", options.exec, {image, out});
  std::vector<float> weights;
  for (int y = 0; y < kernel.height; ++y)
    weights.insert(weights.end(), kernel.row(y), kernel.row(y) + kernel.width);
  if (options.flip) std::reverse(weights.begin(), weights.end());
  const detail::Kernel2d taps{weights.data(), kernel.width, kernel.height};
  if (detail::on_cuda(exec)) return cuda::convolve(image, out, taps, params, exec);
  return cpu::convolve(image, out, taps, params, exec);
}

template <class T, class Out>
void run_blur(ImageView<const T> image, ImageView<Out> out, double sigma, ConvolveOptions options) {
  options.anchor_x = options.anchor_y = -1;
  const std::vector<float> kernel = gaussian_kernel(sigma);
  run_separable("gaussian_blur", image, out, {kernel, kernel}, options);
}

}  // namespace

std::span<const Choice> choices(Border) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"repeat", static_cast<int>(Border::kRepeat)},
       {"reflect", static_cast<int>(Border::kReflect)},
       {"reflect-101", static_cast<int>(Border::kReflect101)},
       {"wrap", static_cast<int>(Border::kWrap)},
       {"constant", static_cast<int>(Border::kConstant)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ConvolveOptions& options) {
  constexpr double kAnyFloat = 3.4e38;
  visit("border", options.border, "values that are used for pixels beyond the border");
  visit("border-value", options.border_value,
        "value of pixels beyond the border with --border constant", -kAnyFloat, kAnyFloat);
  visit("anchor-x", options.anchor_x,
        "column of the kernel that lies on the output pixel; -1 takes the middle", -1,
        detail::kMostTaps - 1);
  visit("anchor-y", options.anchor_y,
        "row of the kernel that lies on the output pixel; -1 takes the middle", -1,
        detail::kMostTaps - 1);
  visit("flip", options.flip,
        "rotate the kernel by 180 degrees, which makes the correlation a convolution");
}

void describe(OptionVisitor& visit, GainOptions& options) {
  visit("gain", options.gain, "factor that results are multiplied by", -1e9, 1e9);
  visit("offset", options.offset, "value that is added to results after the gain", -1e9, 1e9);
}

void apply_gain(ImageView<float> values, const GainOptions& options) {
  check_options(options);
  detail::require_host("apply_gain", "the values", values.memory);
  for (int y = 0; y < values.height; ++y) {
    for (int i = 0; i < values.row_elements(); ++i)
      values.row(y)[i] = static_cast<float>(values.row(y)[i] * options.gain + options.offset);
  }
}

void convolve_separable(ImageView<const std::uint8_t> image, ImageView<float> out,
                        std::span<const float> row_kernel, std::span<const float> column_kernel,
                        const ConvolveOptions& options) {
  run_separable("convolve_separable", image, out, {row_kernel, column_kernel}, options);
}
void convolve_separable(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                        std::span<const float> row_kernel, std::span<const float> column_kernel,
                        const ConvolveOptions& options) {
  run_separable("convolve_separable", image, out, {row_kernel, column_kernel}, options);
}
void convolve_separable(ImageView<const float> image, ImageView<float> out,
                        std::span<const float> row_kernel, std::span<const float> column_kernel,
                        const ConvolveOptions& options) {
  run_separable("convolve_separable", image, out, {row_kernel, column_kernel}, options);
}

void convolve(ImageView<const std::uint8_t> image, ImageView<float> out,
              ImageView<const float> kernel, const ConvolveOptions& options) {
  run_convolve(image, out, kernel, options);
}
void convolve(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
              ImageView<const float> kernel, const ConvolveOptions& options) {
  run_convolve(image, out, kernel, options);
}
void convolve(ImageView<const float> image, ImageView<float> out, ImageView<const float> kernel,
              const ConvolveOptions& options) {
  run_convolve(image, out, kernel, options);
}

void gaussian_blur(ImageView<const std::uint8_t> image, ImageView<float> out, double sigma,
                   const ConvolveOptions& options) {
  run_blur(image, out, sigma, options);
}
void gaussian_blur(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out, double sigma,
                   const ConvolveOptions& options) {
  run_blur(image, out, sigma, options);
}
void gaussian_blur(ImageView<const float> image, ImageView<float> out, double sigma,
                   const ConvolveOptions& options) {
  run_blur(image, out, sigma, options);
}

}  // namespace fovea
