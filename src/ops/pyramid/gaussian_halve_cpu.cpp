// CPU twin of the Gaussian halving. Five source rows are summed into a line (two lines at a time
// from seven rows), which stays in the first-level cache. The line is then summed horizontally at
// every second place. Sums of bytes fit 16 bits exactly. A pixel of several channels is summed as
// one short vector.
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "ops/convolve/convolve_math.h"
#include "ops/pyramid/backend.h"
#include "ops/pyramid/pyramid_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pyramid/gaussian_halve_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wides = hn::ScalableTag<std::uint16_t>;
using Floats = hn::ScalableTag<float>;

// Loads pixels in the type of their sums: 16 bits for bytes, floats for floats.
HWY_INLINE hn::Vec<Wides> load_line(Wides d, const std::uint8_t* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, Wides>(), from));
}
HWY_INLINE hn::Vec<Floats> load_line(Floats d, const float* from) { return hn::LoadU(d, from); }

// detail::five_taps for vectors.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V weigh(D d, V outer, V inner, V center) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    const auto four = hn::Set(d, 4.0F), six = hn::Set(d, 6.0F);
    return hn::Add(hn::Add(outer, hn::Mul(inner, four)), hn::Mul(center, six));
  } else {
    const auto six_fold = hn::Add(hn::ShiftLeft<2>(center), hn::ShiftLeft<1>(center));
    return hn::Add(hn::Add(outer, hn::ShiftLeft<2>(inner)), six_fold);
  }
}

// detail::halved_pixel for vectors.
template <class D>
HWY_INLINE void store_halved(D d, hn::Vec<D> sum, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, D> bytes;
  const hn::RebindToSigned<D> integers;
  const auto shifted = hn::ShiftRight<8>(hn::Add(sum, hn::Set(d, 128)));
  hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(integers, shifted)), bytes, out);
}
template <class D>
HWY_INLINE void store_halved(D d, hn::Vec<D> sum, float* out) {
  hn::StoreU(hn::Mul(sum, hn::Set(d, 1.0F / 256)), d, out);
}

// Computes the lines of two successive output rows, which share three of their source rows.
template <class T, class Sum>
void sum_columns(const std::array<const T*, 7>& rows, int elements, Sum* line0, Sum* line1) {
  const hn::ScalableTag<Sum> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const auto r2 = load_line(d, rows[2] + i), r3 = load_line(d, rows[3] + i),
               r4 = load_line(d, rows[4] + i);
    const auto outer0 = hn::Add(load_line(d, rows[0] + i), r4);
    const auto inner0 = hn::Add(load_line(d, rows[1] + i), r3);
    hn::StoreU(weigh(d, outer0, inner0, r2), d, line0 + i);
    const auto outer1 = hn::Add(r2, load_line(d, rows[6] + i));
    const auto inner1 = hn::Add(r3, load_line(d, rows[5] + i));
    hn::StoreU(weigh(d, outer1, inner1, r4), d, line1 + i);
  }
  const auto taps = [](const T* const* five, int e) {
    const detail::HalveSum<T> outer = five[0][e] + five[4][e], inner = five[1][e] + five[3][e],
                              center = five[2][e];
    return static_cast<Sum>(detail::five_taps(outer, inner, center));
  };
  for (; i < elements; ++i) {
    line0[i] = taps(rows.data(), i);
    line1[i] = taps(rows.data() + 2, i);
  }
}

// Computes out[x] from line[2 x] to line[2 x + 4]; writes whole vectors.
template <class Sum, class T>
void sum_along(const Sum* line, int out_width, T* out) {
  const hn::ScalableTag<Sum> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < out_width; x += lanes) {
    auto even0 = hn::Zero(d), even1 = even0, even2 = even0, odd0 = even0, odd1 = even0,
         unused = even0;
    hn::LoadInterleaved2(d, line + 2 * x, even0, odd0);
    hn::LoadInterleaved2(d, line + 2 * x + 2, even1, odd1);
    hn::LoadInterleaved2(d, line + 2 * x + 4, even2, unused);
    store_halved(d, weigh(d, hn::Add(even0, even2), hn::Add(odd0, odd1), even1), out + x);
  }
}

// The same for pixels of 2 to 4 channels: four numbers are read from each tap on, of which the
// first `channels` count. The others are written where the next pixel follows.
template <class Sum, class T>
void sum_pixels_along(const Sum* line, int out_width, int channels, T* out) {
  const hn::FixedTag<Sum, 4> d;
  for (int x = 0; x < out_width; ++x) {
    const Sum* tap = line + 2 * x * channels;
    const auto outer = hn::Add(hn::LoadU(d, tap), hn::LoadU(d, tap + 4 * channels));
    const auto inner = hn::Add(hn::LoadU(d, tap + channels), hn::LoadU(d, tap + 3 * channels));
    store_halved(d, weigh(d, outer, inner, hn::LoadU(d, tap + 2 * channels)), out + x * channels);
  }
}

// Computes output rows [first, last).
template <class T, class Sum>
void halve_rows(ImageView<const T> image, ImageView<T> out, int first, int last) {
  const int channels = image.channels, elements = image.row_elements();
  const auto mirrored = [](int i, int size) {
    return detail::border_index(i, size, Border::kReflect101);
  };
  // Both may be read and written a few vectors beyond their end.
  const std::size_t padding = 4 * hn::Lanes(hn::ScalableTag<T>());
  const std::size_t line_size = static_cast<std::size_t>(elements + 4 * channels) + padding;
  std::vector<Sum> line0(line_size), line1(line_size);
  std::vector<T> halved(static_cast<std::size_t>(out.row_elements()) + padding);
  const auto finish = [&](Sum* line, int y) {
    Sum* inner = line + 2 * channels;
    for (const int x : {-2, -1, image.width, image.width + 1})
      std::copy_n(inner + mirrored(x, image.width) * channels, channels, inner + x * channels);
    if (channels == 1) sum_along(line, out.width, halved.data());
    else sum_pixels_along(line, out.width, channels, halved.data());
    std::copy_n(halved.data(), out.row_elements(), out.row(y));
  };
  for (int y = first; y < last; y += 2) {
    std::array<const T*, 7> rows;
    for (int k = 0; k < 7; ++k) rows[k] = image.row(mirrored(2 * y + k - 2, image.height));
    sum_columns(rows, elements, line0.data() + 2 * channels, line1.data() + 2 * channels);
    finish(line0.data(), y);
    if (y + 1 < last) finish(line1.data(), y + 1);
  }
}

// Entry points for the dispatcher, which cannot name templates.
void halve_rows_u8(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out, int first,
                   int last) {
  halve_rows<std::uint8_t, std::uint16_t>(image, out, first, last);
}
void halve_rows_f32(ImageView<const float> image, ImageView<float> out, int first, int last) {
  halve_rows<float, float>(image, out, first, last);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(halve_rows_u8);
HWY_EXPORT(halve_rows_f32);

constexpr int kHalvedRowsPerTask = 32;

}  // namespace

template <class T>
void gaussian_halve(ImageView<const T> image, std::span<const ImageView<T>> outs,
                    const Exec& exec) {
  for (const ImageView<T>& out : outs) {
    parallel_for(exec, out.height, kHalvedRowsPerTask, [&](std::int64_t first, std::int64_t last) {
      const int begin = static_cast<int>(first), end = static_cast<int>(last);
      if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(halve_rows_u8)(image, out, begin, end);
      else HWY_DYNAMIC_DISPATCH(halve_rows_f32)(image, out, begin, end);
    });
    image = out;
  }
}
#define FOVEA_GAUSSIAN_HALVE(T) \
  template void gaussian_halve(ImageView<const T>, std::span<const ImageView<T>>, const Exec&);
FOVEA_FOR_EACH_GAUSSIAN_HALVE(FOVEA_GAUSSIAN_HALVE)
#undef FOVEA_GAUSSIAN_HALVE

}  // namespace fovea::cpu
#endif  // HWY_ONCE
