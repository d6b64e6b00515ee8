// Checks requests for integral images and histograms and passes them to the twin of the requested
// device.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/integral.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "ops/integral/backend.h"

namespace fovea {
namespace {

// The elements of a row, which has one pixel more than the image, are counted by int.
void require_countable(const char* operation, int width, int height, int channels) {
  constexpr int kMost = std::numeric_limits<int>::max() / 2;
  if (height < kMost && width < kMost / channels) return;
  throw InvalidArgument(
      fmt::format("{}: an image of {}x{}x{} is larger than 2^30 along a side; "
                  "divide it into smaller ones",
                  operation, width, height, channels));
}

template <class View>
StackView<std::uint32_t> as_unsigned(const View& sums) {
  return {reinterpret_cast<std::uint32_t*>(sums.data),
          sums.width,
          sums.height,
          sums.count,
          sums.channels,
          sums.stride,
          sums.plane_stride,
          sums.memory};
}

template <class In, class Out>
void run_integral(StackView<const In> images, StackView<Out> sums, const IntegralOptions& options) {
  check_options(options);
  if (images.channels < 1 || images.channels > 4)
    detail::throw_wrong_shape("integral", "images", detail::shape_text(images), "1 to 4 channels");
  require_countable("integral", images.width, images.height, images.channels);
  const bool exclusive = options.kind == IntegralKind::kExclusive;
  const int more = exclusive ? 1 : 0;
  detail::require_shape("integral", "sums", sums, images.width + more, images.height + more,
                        images.channels);
  if (sums.count != images.count)
    throw InvalidArgument(
        fmt::format("integral: sums has {} planes, but there are {} images; give "
                    "one plane per image",
                    sums.count, images.count));
  if (images.empty()) return;
  const Exec exec = detail::resolve_exec("integral", options.exec, {images, sums});
  const detail::IntegralParams params{exclusive, options.squares};
  if constexpr (std::is_same_v<Out, std::int32_t>) {
    if (detail::on_cuda(exec)) return cuda::integral(images, as_unsigned(sums), params, exec);
    return cpu::integral(images, as_unsigned(sums), params, exec);
  } else {
    if (detail::on_cuda(exec)) return cuda::integral(images, sums, params, exec);
    return cpu::integral(images, sums, params, exec);
  }
}

void run_histogram(const detail::WeightedBins& input, StackView<std::uint32_t> sums,
                   const IntegralHistogramOptions& options) {
  const char* const name = "integral_histogram";
  check_options(options);
  const auto& bin = input.bin;
  require_countable(name, bin.width, bin.height, 1);
  detail::require_shape(name, "bin", bin, bin.width, bin.height, 1);
  if (input.weight.data != nullptr)
    detail::require_shape(name, "weight", input.weight, bin.width, bin.height, 1);
  detail::require_shape(name, "sums", sums, bin.width + 1, bin.height + 1, 1);
  if (sums.count < 1 || sums.count > 255)
    throw InvalidArgument(
        fmt::format("{}: sums has {} planes, expected one per bin, 1 to 255", name, sums.count));
  if (bin.empty()) return;
  const Exec exec = detail::resolve_exec(name, options.exec, {bin, sums, input.weight});
  if (detail::on_cuda(exec)) return cuda::integral_histogram(input, sums, exec);
  return cpu::integral_histogram(input, sums, exec);
}

}  // namespace

std::span<const Choice> choices(IntegralKind) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"exclusive", static_cast<int>(IntegralKind::kExclusive)},
       {"inclusive", static_cast<int>(IntegralKind::kInclusive)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, IntegralOptions& options) {
  visit("kind", options.kind,
        "exclusive starts with a row and a column of zeros, inclusive has the image's size");
  visit("squares", options.squares, "sum the squares of the values");
}

void describe(OptionVisitor& visit, IntegralHistogramOptions& options) {
  visit("fraction-bits", options.fraction_bits,
        "a weight counts as round(weight * 2^n) in sums of 32 bits", 0, 24);
}

#define FOVEA_INTEGRAL(In, Out)                                                              \
  void integral(StackView<const In> images, StackView<Out> sums, const IntegralOptions& o) { \
    run_integral(images, sums, o);                                                           \
  }
FOVEA_FOR_EACH_INTEGRAL(FOVEA_INTEGRAL)
FOVEA_INTEGRAL(std::uint8_t, std::int32_t)
#undef FOVEA_INTEGRAL

void integral_histogram(ImageView<const std::uint8_t> bin, ImageView<const float> weight,
                        StackView<std::uint32_t> sums, const IntegralHistogramOptions& options) {
  if (weight.data == nullptr && !bin.empty())
    throw InvalidArgument(
        "integral_histogram: weight is empty; leave the argument out to count pixels");
  run_histogram({bin, weight, std::ldexp(1.0F, options.fraction_bits)}, sums, options);
}
void integral_histogram(ImageView<const std::uint8_t> bin, StackView<std::uint32_t> sums,
                        const IntegralHistogramOptions& options) {
  run_histogram({bin, {}, 1}, sums, options);
}

}  // namespace fovea
