// Checks a resize request and passes it to the twin of the requested device.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/resize.h>

#include <algorithm>
#include <cmath>

#include "core/dispatch.h"
#include "ops/resize/backend.h"

namespace fovea {
namespace {

constexpr int kMostSide = 1 << 20;

// A side of `length` pixels times a factor, at least one pixel.
int scaled(int length, double factor) {
  const double wanted = std::max(1.0, std::round(length * factor));
  if (wanted > kMostSide)
    throw InvalidArgument(fmt::format("a side of {} pixels times {} is {:.0f}; expected at most {}",
                                      length, factor, wanted, kMostSide));
  return static_cast<int>(wanted);
}

template <class T>
void run_resize(StackView<const T> images, StackView<T> out, const ResizeOptions& options) {
  check_options(options);
  if (images.channels < 1 || images.channels > 4)
    detail::throw_wrong_shape("resize", "image", detail::shape_text(images), "1 to 4 channels");
  detail::require_shape("resize", "out", out, out.width, out.height, images.channels);
  if (out.count != images.count)
    throw InvalidArgument(
        fmt::format("resize: out holds {} images, the source {}; give both stacks "
                    "the same number",
                    out.count, images.count));
  if (out.empty()) return;
  if (images.empty())
    throw InvalidArgument(fmt::format(
        "resize: image is {}, which has no pixels to fill {} from; expected at least 1x1",
        detail::shape_text(images), detail::shape_text(out)));
  const Exec exec = detail::resolve_exec("resize", options.exec, {images, out});
  const std::span<const StackView<T>> outs(&out, 1);
  if (detail::on_cuda(exec)) return cuda::resize(images, outs, options.antialias, exec);
  return cpu::resize(images, outs, options.antialias, exec);
}

}  // namespace

void describe(OptionVisitor& visit, ResizeOptions& options) {
  visit("antialias", options.antialias,
        "when shrinking, average over all input pixels that an output pixel covers");
}

void describe(OptionVisitor& visit, ResizeTarget& target) {
  visit("width", target.width, "width of the result in pixels; 0 computes it from the height", 0,
        kMostSide);
  visit("height", target.height, "height of the result in pixels; 0 computes it from the width", 0,
        kMostSide);
  visit("scale", target.scale, "factor on both sides, instead of --width and --height", 0, 1000);
}

Extent target_size(Extent image, const ResizeTarget& target) {
  check_options(target);
  const bool sides = target.width > 0 || target.height > 0;
  if (sides == (target.scale > 0))
    throw InvalidArgument("resize: give a width, a height or both, or else a scale");
  if (image.width < 1 || image.height < 1)
    throw InvalidArgument(
        fmt::format("resize: an image of {}x{} has no pixels, expected at least 1x1", image.width,
                    image.height));
  if (!sides) return {scaled(image.width, target.scale), scaled(image.height, target.scale)};
  if (target.height == 0)
    return {target.width, scaled(image.height, static_cast<double>(target.width) / image.width)};
  if (target.width == 0)
    return {scaled(image.width, static_cast<double>(target.height) / image.height), target.height};
  return {target.width, target.height};
}

void resize(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
            const ResizeOptions& options) {
  run_resize<std::uint8_t>(image, out, options);
}
void resize(ImageView<const std::uint16_t> image, ImageView<std::uint16_t> out,
            const ResizeOptions& options) {
  run_resize<std::uint16_t>(image, out, options);
}
void resize(ImageView<const float> image, ImageView<float> out, const ResizeOptions& options) {
  run_resize<float>(image, out, options);
}
void resize(StackView<const std::uint8_t> images, StackView<std::uint8_t> out,
            const ResizeOptions& options) {
  run_resize(images, out, options);
}
void resize(StackView<const std::uint16_t> images, StackView<std::uint16_t> out,
            const ResizeOptions& options) {
  run_resize(images, out, options);
}
void resize(StackView<const float> images, StackView<float> out, const ResizeOptions& options) {
  run_resize(images, out, options);
}

}  // namespace fovea
