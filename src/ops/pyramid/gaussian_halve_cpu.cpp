// CPU twin of the Gaussian halving. Five source rows are summed into a line, which stays in the
// first-level cache; the line is then summed along with every second place kept. Sums of bytes fit
// 16 bits exactly. Channels are taken apart between the two, so that one loop serves any number of
// them.
#include <algorithm>
#include <array>
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
namespace fovea::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::ScalableTag<std::uint16_t>;
using Floats = hn::ScalableTag<float>;

// Pixels as the numbers they are summed in: 16 bits for bytes, floats for floats.
HWY_INLINE hn::Vec<Shorts> load_as(Shorts d, const std::uint8_t* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, Shorts>(), from));
}
HWY_INLINE hn::Vec<Floats> load_as(Floats d, const float* from) { return hn::LoadU(d, from); }

// detail::five_taps.
HWY_INLINE hn::Vec<Shorts> weigh(Shorts, hn::Vec<Shorts> outer, hn::Vec<Shorts> inner,
                                 hn::Vec<Shorts> centre) {
  const auto six = hn::Add(hn::ShiftLeft<2>(centre), hn::ShiftLeft<1>(centre));
  return hn::Add(hn::Add(outer, hn::ShiftLeft<2>(inner)), six);
}
HWY_INLINE hn::Vec<Floats> weigh(Floats d, hn::Vec<Floats> outer, hn::Vec<Floats> inner,
                                 hn::Vec<Floats> centre) {
  return hn::Add(hn::Add(outer, hn::Mul(inner, hn::Set(d, 4.0F))),
                 hn::Mul(centre, hn::Set(d, 6.0F)));
}

// detail::halved_pixel.
HWY_INLINE void store_halved(Shorts d, hn::Vec<Shorts> sum, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, Shorts> bytes;
  const hn::RebindToSigned<Shorts> integers;
  const auto shifted = hn::ShiftRight<8>(hn::Add(sum, hn::Set(d, 128)));
  hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(integers, shifted)), bytes, out);
}
HWY_INLINE void store_halved(Floats d, hn::Vec<Floats> sum, float* out) {
  hn::StoreU(hn::Mul(sum, hn::Set(d, 1.0F / 256)), d, out);
}

template <class T, class Sum>
void sum_columns(const std::array<const T*, 5>& rows, int elements, Sum* line) {
  const hn::ScalableTag<Sum> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const auto outer = hn::Add(load_as(d, rows[0] + i), load_as(d, rows[4] + i));
    const auto inner = hn::Add(load_as(d, rows[1] + i), load_as(d, rows[3] + i));
    hn::StoreU(weigh(d, outer, inner, load_as(d, rows[2] + i)), d, line + i);
  }
  for (; i < elements; ++i) {
    const detail::HalveSum<T> outer = rows[0][i] + rows[4][i], inner = rows[1][i] + rows[3][i],
                              centre = rows[2][i];
    line[i] = static_cast<Sum>(detail::five_taps(outer, inner, centre));
  }
}

// out[x] from line[2 x] to line[2 x + 4]; writes whole vectors.
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

// Takes a line's pixels apart into `channels` lines `stride` apart, and puts them together again.
template <class Sum>
void split(const Sum* line, int width, int channels, std::ptrdiff_t stride, Sum* planes) {
  const hn::ScalableTag<Sum> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto v0 = hn::Zero(d), v1 = v0, v2 = v0, v3 = v0;
  for (int x = 0; x < width; x += lanes) {
    const Sum* from = line + x * channels;
    if (channels == 2) hn::LoadInterleaved2(d, from, v0, v1);
    else if (channels == 3) hn::LoadInterleaved3(d, from, v0, v1, v2);
    else hn::LoadInterleaved4(d, from, v0, v1, v2, v3);
    hn::StoreU(v0, d, planes + x);
    hn::StoreU(v1, d, planes + stride + x);
    if (channels > 2) hn::StoreU(v2, d, planes + 2 * stride + x);
    if (channels > 3) hn::StoreU(v3, d, planes + 3 * stride + x);
  }
}
template <class T>
void join(const T* planes, std::ptrdiff_t stride, int width, int channels, T* line) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const auto plane = [&](int c) HWY_ATTR { return hn::LoadU(d, planes + c * stride + x); };
    T* to = line + x * channels;
    if (channels == 2) hn::StoreInterleaved2(plane(0), plane(1), d, to);
    else if (channels == 3) hn::StoreInterleaved3(plane(0), plane(1), plane(2), d, to);
    else hn::StoreInterleaved4(plane(0), plane(1), plane(2), plane(3), d, to);
  }
}

// Output rows [first, last).
template <class T, class Sum>
void halve_rows(ImageView<const T> image, ImageView<T> out, int first, int last) {
  const int channels = image.channels, elements = image.row_elements();
  const auto mirrored = [](int i, int size) {
    return detail::border_index(i, size, Border::kReflect101);
  };
  // Lines may be read and written a few vectors past their end.
  const std::ptrdiff_t padding = 4 * static_cast<std::ptrdiff_t>(hn::Lanes(hn::ScalableTag<T>()));
  const std::ptrdiff_t plane_stride = image.width + 5 + 2 * padding;
  std::vector<Sum> line(static_cast<std::size_t>(plane_stride) * channels),
      planes(channels > 1 ? line.size() : 0);
  std::vector<T> halved(line.size()), joined(channels > 1 ? line.size() : 0);
  for (int y = first; y < last; ++y) {
    std::array<const T*, 5> rows;
    for (int k = 0; k < 5; ++k) rows[k] = image.row(mirrored(2 * y + k - 2, image.height));
    Sum* inner = line.data() + 2 * channels;
    sum_columns(rows, elements, inner);
    for (const int x : {-2, -1, image.width, image.width + 1})
      std::copy_n(inner + mirrored(x, image.width) * channels, channels, inner + x * channels);
    if (channels > 1) split(line.data(), image.width + 4, channels, plane_stride, planes.data());
    for (int c = 0; c < channels; ++c) {
      const Sum* plane = channels > 1 ? planes.data() + c * plane_stride : line.data();
      sum_along(plane, out.width, halved.data() + c * plane_stride);
    }
    if (channels > 1) join(halved.data(), plane_stride, out.width, channels, joined.data());
    std::copy_n(channels > 1 ? joined.data() : halved.data(), out.row_elements(), out.row(y));
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

}  // namespace fovea::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(halve_rows_u8);
HWY_EXPORT(halve_rows_f32);

constexpr int kRowsPerTask = 32;

}  // namespace

template <class T>
void gaussian_halve(ImageView<const T> image, std::span<const ImageView<T>> outs,
                    const Exec& exec) {
  for (const ImageView<T>& out : outs) {
    parallel_for(exec, out.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
      const int begin = static_cast<int>(first), end = static_cast<int>(last);
      if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(halve_rows_u8)(image, out, begin, end);
      else HWY_DYNAMIC_DISPATCH(halve_rows_f32)(image, out, begin, end);
    });
    image = out;
  }
}
template void gaussian_halve(ImageView<const std::uint8_t>,
                             std::span<const ImageView<std::uint8_t>>, const Exec&);
template void gaussian_halve(ImageView<const float>, std::span<const ImageView<float>>,
                             const Exec&);

}  // namespace fovea::cpu
#endif  // HWY_ONCE
