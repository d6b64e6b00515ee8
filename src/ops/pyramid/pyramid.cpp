// Sizes and memory of pyramids. The levels are computed by the twins of the resize and of the
// Gaussian halving.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/pyramid.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/backend.h"
#include "core/dispatch.h"
#include "ops/pyramid/backend.h"
#include "ops/resize/backend.h"

namespace fovea {
namespace {

void check(const PyramidOptions& options) {
  check_options(options);
  if (options.filter == PyramidFilter::kGaussian && options.ratio != 2)
    throw InvalidArgument(fmt::format(
        "pyramid: ratio is {}, but filter gaussian halves; set ratio 2 or another filter",
        options.ratio));
}

template <class T>
void check_channels(const char* operation, ImageView<const T> image) {
  if (image.channels < 1 || image.channels > 4)
    detail::throw_wrong_shape(operation, "image", detail::shape_text(image), "1 to 4 channels");
}

// Rounds to nearest, halves up.
int rounded(double size) { return static_cast<int>(std::floor(size + 0.5)); }

Extent next_size(Extent image, Extent previous, int level, const PyramidOptions& options) {
  if (options.filter == PyramidFilter::kGaussian)
    return {(previous.width + 1) / 2, (previous.height + 1) / 2};
  if (options.source == PyramidSource::kPrevious)
    return {rounded(previous.width / options.ratio), rounded(previous.height / options.ratio)};
  const double scale = std::pow(options.ratio, level);
  return {rounded(image.width / scale), rounded(image.height / scale)};
}

template <class T>
void halve(ImageView<const T> image, std::span<const ImageView<T>> outs, const Exec& exec) {
  if (detail::on_cuda(exec)) return cuda::gaussian_halve(image, outs, exec);
  return cpu::gaussian_halve(image, outs, exec);
}

template <class T>
void shrink(ImageView<const T> image, std::span<const ImageView<T>> outs, bool antialias,
            const Exec& exec) {
  const std::vector<StackView<T>> stacks(outs.begin(), outs.end());
  if (detail::on_cuda(exec)) return cuda::resize<T>(image, stacks, antialias, exec);
  return cpu::resize<T>(image, stacks, antialias, exec);
}

template <class T>
void run_halve(ImageView<const T> image, ImageView<T> out, const Exec& exec) {
  check_channels("gaussian_halve", image);
  detail::require_shape("gaussian_halve", "out", out, (image.width + 1) / 2, (image.height + 1) / 2,
                        image.channels);
  if (image.empty()) return;
  const std::span<const ImageView<T>> outs(&out, 1);
  halve(image, outs, detail::resolve_exec("gaussian_halve", exec, {image, out}));
}

}  // namespace

void gaussian_halve(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                    const Exec& exec) {
  run_halve(image, out, exec);
}
void gaussian_halve(ImageView<const float> image, ImageView<float> out, const Exec& exec) {
  run_halve(image, out, exec);
}

std::span<const Choice> choices(PyramidFilter) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"bilinear", static_cast<int>(PyramidFilter::kBilinear)},
       {"triangle", static_cast<int>(PyramidFilter::kTriangle)},
       {"gaussian", static_cast<int>(PyramidFilter::kGaussian)}}};
  return kChoices;
}
std::span<const Choice> choices(PyramidSource) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"original", static_cast<int>(PyramidSource::kOriginal)},
       {"previous", static_cast<int>(PyramidSource::kPrevious)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, PyramidOptions& options) {
  constexpr int kAnySize = 1 << 30;
  visit("filter", options.filter, "filter that makes a level smaller; gaussian needs --ratio 2");
  visit("source", options.source,
        "image that each level is made from; gaussian always takes the previous level");
  visit("ratio", options.ratio, "size of a level divided by the size of the next", 1.01, 16);
  visit("levels", options.levels, "greatest number of levels, including the image; 0 sets no limit",
        0, kAnySize);
  visit("min-width", options.min_size.width, "least width of a level, in pixels", 1, kAnySize);
  visit("min-height", options.min_size.height, "least height of a level, in pixels", 1, kAnySize);
}

std::vector<Extent> pyramid_sizes(int width, int height, const PyramidOptions& options) {
  check(options);
  if (width < 1 || height < 1)
    throw InvalidArgument(fmt::format(
        "pyramid: an image of {}x{} has no levels, expected at least 1x1", width, height));
  const Extent image{width, height};
  std::vector<Extent> sizes{image};
  for (int level = 1; options.levels == 0 || level < options.levels; ++level) {
    const Extent size = next_size(image, sizes.back(), level, options);
    if (size.width < options.min_size.width || size.height < options.min_size.height) break;
    if (size == sizes.back()) break;
    sizes.push_back(size);
  }
  return sizes;
}

template <class T>
Pyramid<T>::Pyramid(const PyramidOptions& options, Memory memory)
    : options_(options), memory_(memory) {
  check(options);
}

template <class T>
void Pyramid<T>::lay_out(ImageView<const T> image) {
  const std::vector<Extent> sizes = pyramid_sizes(image.width, image.height, options_);
  const auto elements = [&](Extent size) {
    return static_cast<std::size_t>(detail::padded_stride(size.width, image.channels, sizeof(T))) *
           static_cast<std::size_t>(size.height);
  };
  const bool on_device = memory_ == Memory::kCuda;
  const bool copied = on_device != (image.memory == Memory::kCuda);
  std::size_t total = 0;
  for (std::size_t i = copied ? 0 : 1; i < sizes.size(); ++i) total += elements(sizes[i]);
  if (total > pixels_.size()) {
    pixels_ = Array<T>();  // freed before the larger one is allocated
    pixels_ = Array<T>(total, memory_);
  }
  own_.clear();
  T* data = pixels_.data();
  for (std::size_t i = copied ? 0 : 1; i < sizes.size(); ++i) {
    own_.push_back({data, sizes[i].width, sizes[i].height, image.channels,
                    detail::padded_stride(sizes[i].width, image.channels, sizeof(T)), memory_});
    data += elements(sizes[i]);
  }
  views_.clear();
  if (!copied) views_.push_back(image);
  views_.insert(views_.end(), own_.begin(), own_.end());
}

template <class T>
void Pyramid<T>::build(ImageView<const T> image) {
  check_channels("pyramid", image);
  const Exec exec = detail::resolve_exec("pyramid", options_.exec, {image, memory_});
  views_.clear();
  const cuda::ScopedDevice device(exec.device);
  if (memory_ == Memory::kCuda && pixels_.size() > 0 &&
      cuda::device_of(pixels_.data()) != exec.device.index)
    pixels_ = Array<T>();  // the images are now on another GPU
  lay_out(image);
  std::span<const ImageView<T>> outs(own_);
  if (own_.size() == views_.size()) {
    copy(image, own_[0], exec);
    outs = outs.subspan(1);
  }
  if (outs.empty()) return;
  if (options_.filter == PyramidFilter::kGaussian) return halve(views_[0], outs, exec);
  const bool antialias = options_.filter == PyramidFilter::kTriangle;
  if (options_.source == PyramidSource::kOriginal) return shrink(views_[0], outs, antialias, exec);
  for (std::size_t i = 0; i < outs.size(); ++i)
    shrink(views_[i], outs.subspan(i, 1), antialias, exec);
}

template class Pyramid<std::uint8_t>;
template class Pyramid<float>;

}  // namespace fovea
