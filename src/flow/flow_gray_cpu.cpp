// CPU twin of the gray conversion. The loops are simple enough for the compiler to vectorize.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "flow/flow_gray.h"
#include "flow/lk/lucas_kanade_cpu.h"

namespace fovea::flow::cpu {
namespace {

constexpr int kStripRows = 32;  // rows of a coarse level that are computed at a time
constexpr int kCutRows = 4;

// Calls add(pixel) for every sampled pixel that counts.
template <class T, class Add>
void for_samples(ImageView<const T> image, ImageView<const std::uint8_t> mask, const Add& add) {
  const int step = sampling_step(image.width, image.height);
  for (int y = 0; y < image.height; y += step)
    for (int x = 0; x < image.width; x += step)
      if (mask.empty() || mask.at(x, y) != 0) add(&image.at(x, y));
}
std::size_t sample_count(int width, int height) {
  const int step = sampling_step(width, height);
  return static_cast<std::size_t>((width + step - 1) / step) *
         static_cast<std::size_t>((height + step - 1) / step);
}

GrayRange range_of(const std::vector<float>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const float width = *most - *least;
  if (!(width > 0) || !std::isfinite(width)) return {*least, 0};
  const float per_level = (kGrayBins - 1) / width;
  std::array<std::uint32_t, kGrayBins> bins{};
  for (const float value : values) ++bins[gray_bin(value, *least, per_level)];
  const auto tail = static_cast<std::uint32_t>(values.size() / kGrayTail);
  int low = 0, high = kGrayBins - 1;
  for (std::uint32_t below = bins[low]; below <= tail && low < high; below += bins[low]) ++low;
  for (std::uint32_t above = bins[high]; above <= tail && high > low; above += bins[high]) --high;
  return range_between(*least, width, low, high);
}

template <class T>
void convert_row(const T* in, int width, GrayRange range, float* out) {
  for (int x = 0; x < width; ++x)
    out[x] = gray_level(static_cast<float>(in[x]), range.low, range.scale);
}

}  // namespace

template <class T>
GrayRange gray_range(ImageView<const T> image, ImageView<const std::uint8_t> mask, const Exec&) {
  std::vector<float> values;
  values.reserve(sample_count(image.width, image.height));
  for_samples(image, mask, [&](const T* pixel) {
    if (const float value = brightness(pixel, image.channels); std::isfinite(value))
      values.push_back(value);
  });
  return range_of(values);
}

template <class T>
GrayRange color_range(ImageView<const T> image, ImageView<const std::uint8_t> mask, const Exec&) {
  const int colors = image.channels < 3 ? 1 : 3;
  std::vector<float> values;
  values.reserve(sample_count(image.width, image.height) * static_cast<std::size_t>(colors));
  for_samples(image, mask, [&](const T* pixel) {
    for (int c = 0; c < colors; ++c)
      if (const auto value = static_cast<float>(pixel[c]); std::isfinite(value))
        values.push_back(value);
  });
  return range_of(values);
}

template <class T>
void to_gray(ImageView<const T> image, GrayRange range, ImageView<float> out, const Exec& exec) {
  for_rows(exec, image.height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      float* row = out.row(y);
      if (image.channels == 1) {
        convert_row(image.row(y), image.width, range, row);
        continue;
      }
      for (int x = 0; x < image.width; ++x)
        row[x] = gray_level(brightness(&image.at(x, y), image.channels), range.low, range.scale);
    }
  });
}

template <class T>
void channel_to_gray(ImageView<const T> image, int channel, GrayRange range, ImageView<float> out,
                     const Exec& exec) {
  const int offset = image.channels < 3 ? 0 : channel;
  for_rows(exec, image.height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const T* pixel = image.row(y) + offset;
      float* row = out.row(y);
      for (int x = 0; x < image.width; ++x, pixel += image.channels)
        row[x] = gray_level(static_cast<float>(*pixel), range.low, range.scale);
    }
  });
}

template <class T>
void coarse_gray(ImageView<const T> image, const CoarseGray& request, const Exec& exec) {
  const int unit = 1 << request.level;
  Image<float> strip;
  Gray gray, halved;
  for (int y = 0; y < request.out.height; y += kStripRows) {
    throw_if_stopped(exec);
    // Includes rows of the level around those wanted, which the cut of the strip affects.
    const int top = std::max(y - kCutRows, 0);
    const int rows = std::min(kStripRows, request.out.height - y);
    const int begin = top * unit, end = std::min((y + rows + kCutRows) * unit, image.height);
    const bool masked = !request.mask.empty();
    if (strip.width() != image.width || strip.height() < end - begin)
      strip = Image<float>(image.width, end - begin);
    const ImageView<float> part = strip.view().crop(0, 0, image.width, end - begin);
    const ImageView<const T> rows_here = image.crop(0, begin, image.width, end - begin);
    if (request.channel < 0) to_gray(rows_here, request.range, part, exec);
    else channel_to_gray(rows_here, request.channel, request.range, part, exec);
    quantize(part,
             masked ? request.mask.crop(0, begin, image.width, end - begin)
                    : ImageView<const std::uint8_t>{},
             gray, exec);
    for (int k = 0; k < request.level; ++k) {
      halve(gray, masked, halved, exec);
      std::swap(gray, halved);
    }
    for (int row = 0; row < rows; ++row) {
      const std::uint16_t* from = gray.row(y - top + row);
      for (int x = 0; x < request.out.width; ++x) {
        const bool counts = from[x] != lk::kNoGray;
        request.out.at(x, y + row) = counts ? static_cast<float>(from[x]) / lk::kGrayUnits : 0.0F;
        if (masked) request.mask_out.at(x, y + row) = counts ? 1 : 0;
      }
    }
  }
}

#define FOVEA_FLOW_GRAY(T)                                                                        \
  template GrayRange gray_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&);  \
  template GrayRange color_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&); \
  template void to_gray(ImageView<const T>, GrayRange, ImageView<float>, const Exec&);            \
  template void channel_to_gray(ImageView<const T>, int, GrayRange, ImageView<float>,             \
                                const Exec&);                                                     \
  template void coarse_gray(ImageView<const T>, const CoarseGray&, const Exec&);
FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_GRAY)
#undef FOVEA_FLOW_GRAY

}  // namespace fovea::flow::cpu
