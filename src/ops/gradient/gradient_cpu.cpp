// CPU twin of the gradient. A row is computed in two passes over a padded line that stays in the
// first-level cache: down the columns, then along the row; the padding repeats the border, so that
// neither loop tests for it.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "ops/gradient/backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/gradient/gradient_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::ScalableTag<std::int16_t>;
using Floats = hn::ScalableTag<float>;

// Two vectors of consecutive pixels as the numbers they are computed with. Two at a time, because
// bytes then come in whole vectors and the loop's own instructions count half.
template <class D>
struct Pair {
  hn::Vec<D> low, high;
};
HWY_INLINE Pair<Shorts> load_pair(Shorts d, const std::uint8_t* from) {
  const hn::Repartition<std::uint8_t, Shorts> bytes;
  const hn::Half<decltype(bytes)> half;
  const auto both = hn::LoadU(bytes, from);
  return {hn::PromoteTo(d, hn::LowerHalf(half, both)), hn::PromoteTo(d, hn::UpperHalf(half, both))};
}
HWY_INLINE Pair<Floats> load_pair(Floats d, const std::uint8_t* from) {
  const hn::Rebind<std::int32_t, Floats> integers;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  const auto load = [&](const std::uint8_t* at) HWY_ATTR {
    return hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, at)));
  };
  return {load(from), load(from + hn::Lanes(d))};
}
template <class D>
HWY_INLINE Pair<D> load_pair(D d, const hn::TFromD<D>* from) {
  return {hn::LoadU(d, from), hn::LoadU(d, from + hn::Lanes(d))};
}
template <class D>
HWY_INLINE void store_pair(D d, Pair<D> pair, hn::TFromD<D>* to) {
  hn::StoreU(pair.low, d, to);
  hn::StoreU(pair.high, d, to + hn::Lanes(d));
}
template <class D>
HWY_INLINE Pair<D> add(D, Pair<D> a, Pair<D> b) {
  return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)};
}
template <class D>
HWY_INLINE Pair<D> subtract(D, Pair<D> a, Pair<D> b) {
  return {hn::Sub(a.low, b.low), hn::Sub(a.high, b.high)};
}

// Three rows of the image around the one computed; at the border the row itself stands in for the
// missing one.
template <class T>
struct RowTriple {
  const T* above;
  const T* centre;
  const T* below;
  int elements;
};

// side * outer + centre * inner. The weights are known to the compiler, so that the common kernels
// need no product.
template <GradientKernel kKernel, class D>
HWY_INLINE Pair<D> weighted(D d, Pair<D> outer, Pair<D> inner) {
  if constexpr (kKernel == GradientKernel::kCentred) return inner;
  if constexpr (kKernel == GradientKernel::kSobel) return add(d, outer, add(d, inner, inner));
  using T = hn::TFromD<D>;
  constexpr auto kWeights = detail::weights_of(kKernel);
  const auto side = hn::Set(d, static_cast<T>(kWeights.side));
  const auto centre = hn::Set(d, static_cast<T>(kWeights.centre));
  return {hn::Add(hn::Mul(outer.low, side), hn::Mul(inner.low, centre)),
          hn::Add(hn::Mul(outer.high, side), hn::Mul(inner.high, centre))};
}
template <GradientKernel kKernel, class T>
HWY_INLINE T weighted(T outer, T inner) {
  constexpr auto kWeights = detail::weights_of(kKernel);
  return static_cast<T>(outer * kWeights.side + inner * kWeights.centre);
}

// Down the columns: smooth = weighted(above + below, centre), difference = below - above. Both
// lines get `channels` elements of repeated border on each side.
template <GradientKernel kKernel, class T, class Difference>
void vertical_pass(const RowTriple<T>& rows, int channels, Difference* HWY_RESTRICT smooth,
                   Difference* HWY_RESTRICT difference) {
  const hn::ScalableTag<Difference> d;
  const int step = 2 * static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + step <= rows.elements; i += step) {
    const auto above = load_pair(d, rows.above + i), below = load_pair(d, rows.below + i);
    const auto inner = load_pair(d, rows.centre + i);
    store_pair(d, weighted<kKernel>(d, add(d, above, below), inner), smooth + channels + i);
    store_pair(d, subtract(d, below, above), difference + channels + i);
  }
  for (; i < rows.elements; ++i) {
    const auto above = static_cast<Difference>(rows.above[i]);
    const auto below = static_cast<Difference>(rows.below[i]);
    smooth[channels + i] = weighted<kKernel>(static_cast<Difference>(above + below),
                                             static_cast<Difference>(rows.centre[i]));
    difference[channels + i] = static_cast<Difference>(below - above);
  }
  for (Difference* line : {smooth, difference}) {
    std::copy_n(line + channels, channels, line);
    std::copy_n(line + rows.elements, channels, line + channels + rows.elements);
  }
}

// Along the row, over what vertical_pass left.
template <GradientKernel kKernel, class Difference>
void horizontal_pass(const Difference* HWY_RESTRICT smooth,
                     const Difference* HWY_RESTRICT difference, int elements, int channels,
                     Difference* HWY_RESTRICT dx, Difference* HWY_RESTRICT dy) {
  const hn::ScalableTag<Difference> d;
  const int step = 2 * static_cast<int>(hn::Lanes(d));
  const int right = 2 * channels;
  int i = 0;
  for (; i + step <= elements; i += step) {
    const auto outer = add(d, load_pair(d, difference + i), load_pair(d, difference + i + right));
    const auto inner = load_pair(d, difference + i + channels);
    store_pair(d, subtract(d, load_pair(d, smooth + i + right), load_pair(d, smooth + i)), dx + i);
    store_pair(d, weighted<kKernel>(d, outer, inner), dy + i);
  }
  for (; i < elements; ++i) {
    dx[i] = static_cast<Difference>(smooth[i + right] - smooth[i]);
    dy[i] = weighted<kKernel>(static_cast<Difference>(difference[i] + difference[i + right]),
                              difference[i + channels]);
  }
}

template <class T>
RowTriple<T> rows_around(ImageView<const T> image, int y) {
  return {image.row(std::max(y - 1, 0)), image.row(y), image.row(std::min(y + 1, image.height - 1)),
          image.row_elements()};
}

// dx and dy of rows [first, last). `line` is scratch of 2 * (row elements + 2 channels).
template <GradientKernel kKernel, class T, class Difference>
void gradient_rows(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
                   int first, int last, Difference* line) {
  Difference* smooth = line;
  Difference* difference = line + image.row_elements() + 2 * image.channels;
  for (int y = first; y < last; ++y) {
    vertical_pass<kKernel>(rows_around(image, y), image.channels, smooth, difference);
    horizontal_pass<kKernel>(smooth, difference, image.row_elements(), image.channels, dx.row(y),
                             dy.row(y));
  }
}

template <class T, class Difference>
void gradient_rows(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
                   GradientKernel kernel, int first, int last, Difference* line) {
  switch (kernel) {
    case GradientKernel::kCentred:
      return gradient_rows<GradientKernel::kCentred>(image, dx, dy, first, last, line);
    case GradientKernel::kSobel:
      return gradient_rows<GradientKernel::kSobel>(image, dx, dy, first, last, line);
    case GradientKernel::kScharr:
      return gradient_rows<GradientKernel::kScharr>(image, dx, dy, first, last, line);
  }
}

// The bin of each lane's direction: detail::orientation_bin, all lanes at once.
hn::Vec<Floats> orientation_bins(Floats d, hn::Vec<Floats> dx, hn::Vec<Floats> dy,
                                 const detail::PolarParams& p) {
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0F);
  const auto null = hn::And(hn::Eq(dx, zero), hn::Eq(dy, zero));
  const auto lower = hn::Or(hn::Lt(dy, zero), hn::And(hn::Eq(dy, zero), hn::Lt(dx, zero)));
  if (!p.signed_angle) {
    dx = hn::IfThenElse(lower, hn::Neg(dx), dx);
    dy = hn::IfThenElse(lower, hn::Neg(dy), dy);
  }
  const auto beyond_pi = p.signed_angle ? hn::Lt(dy, zero) : hn::MaskFromVec(zero);
  auto bin = zero;
  for (int k = 1; k < p.bins; ++k) {
    const auto cross =
        hn::Sub(hn::Mul(hn::Set(d, p.cosine[k]), dy), hn::Mul(hn::Set(d, p.sine[k]), dx));
    const auto left = hn::Ge(cross, zero);
    auto passed = hn::Or(beyond_pi, left);
    if (p.sine[k] < 0) passed = hn::And(beyond_pi, left);
    if (p.sine[k] == 0) passed = lower;
    bin = hn::Add(bin, hn::IfThenElseZero(passed, one));
  }
  return hn::IfThenZeroElse(null, bin);
}

// Per lane, the gradient of the channel with the largest squared magnitude; the first among equals.
struct Strongest {
  using V = hn::Vec<Floats>;
  V dx, dy, square;
  HWY_INLINE void consider(V other_dx, V other_dy) {
    const auto other = hn::Add(hn::Mul(other_dx, other_dx), hn::Mul(other_dy, other_dy));
    const auto larger = hn::Gt(other, square);
    dx = hn::IfThenElse(larger, other_dx, dx);
    dy = hn::IfThenElse(larger, other_dy, dy);
    square = hn::IfThenElse(larger, other, square);
  }
};

HWY_INLINE void consider_pixels(Floats d, const float* dx, const float* dy, int channels,
                                Strongest& best) {
  auto x0 = hn::Zero(d), x1 = x0, x2 = x0, x3 = x0, y0 = x0, y1 = x0, y2 = x0, y3 = x0;
  switch (channels) {
    case 1: return best.consider(hn::LoadU(d, dx), hn::LoadU(d, dy));
    case 2:
      hn::LoadInterleaved2(d, dx, x0, x1), hn::LoadInterleaved2(d, dy, y0, y1);
      return best.consider(x0, y0), best.consider(x1, y1);
    case 3:
      hn::LoadInterleaved3(d, dx, x0, x1, x2), hn::LoadInterleaved3(d, dy, y0, y1, y2);
      return best.consider(x0, y0), best.consider(x1, y1), best.consider(x2, y2);
    default:
      hn::LoadInterleaved4(d, dx, x0, x1, x2, x3), hn::LoadInterleaved4(d, dy, y0, y1, y2, y3);
      return best.consider(x0, y0), best.consider(x1, y1), best.consider(x2, y2),
             best.consider(x3, y3);
  }
}

// Magnitude and bin of rows [first, last). `line` is scratch for four lines of row elements + 2
// channels + one vector a channel, so that the last vector of a row may run over its end.
template <class T>
void polar_rows(ImageView<const T> image, ImageView<float> magnitude, ImageView<std::uint8_t> bin,
                const detail::PolarParams& params, int first, int last, float* line,
                int line_elements) {
  const Floats d;
  const hn::Rebind<std::int32_t, Floats> di;
  const hn::Rebind<std::uint8_t, Floats> du8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  float *smooth = line, *difference = line + line_elements, *dx = line + 2 * line_elements,
        *dy = line + 3 * line_elements;
  HWY_ALIGN float magnitudes[hn::MaxLanes(Floats())];
  std::uint8_t bins[hn::MaxLanes(Floats())];
  for (int y = first; y < last; ++y) {
    vertical_pass<GradientKernel::kCentred>(rows_around(image, y), image.channels, smooth,
                                            difference);
    horizontal_pass<GradientKernel::kCentred>(smooth, difference, image.row_elements(),
                                              image.channels, dx, dy);
    for (int x = 0; x < image.width; x += lanes) {
      Strongest best{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      consider_pixels(d, dx + x * image.channels, dy + x * image.channels, image.channels, best);
      const auto length = hn::Sqrt(best.square);
      const auto index =
          hn::DemoteTo(du8, hn::ConvertTo(di, orientation_bins(d, best.dx, best.dy, params)));
      if (x + lanes <= image.width) {
        hn::StoreU(length, d, magnitude.row(y) + x);
        hn::StoreU(index, du8, bin.row(y) + x);
      } else {
        hn::StoreU(length, d, magnitudes);
        hn::StoreU(index, du8, bins);
        std::copy_n(magnitudes, image.width - x, magnitude.row(y) + x);
        std::copy_n(bins, image.width - x, bin.row(y) + x);
      }
    }
  }
}

// Entry points for the dispatcher, which cannot name templates.
void gradient_rows_u8(ImageView<const std::uint8_t> image, ImageView<std::int16_t> dx,
                      ImageView<std::int16_t> dy, GradientKernel kernel, int first, int last,
                      std::int16_t* line) {
  gradient_rows(image, dx, dy, kernel, first, last, line);
}
void gradient_rows_f32(ImageView<const float> image, ImageView<float> dx, ImageView<float> dy,
                       GradientKernel kernel, int first, int last, float* line) {
  gradient_rows(image, dx, dy, kernel, first, last, line);
}
void polar_rows_u8(ImageView<const std::uint8_t> image, ImageView<float> magnitude,
                   ImageView<std::uint8_t> bin, const detail::PolarParams& params, int first,
                   int last, float* line, int line_elements) {
  polar_rows(image, magnitude, bin, params, first, last, line, line_elements);
}
void polar_rows_f32(ImageView<const float> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const detail::PolarParams& params, int first,
                    int last, float* line, int line_elements) {
  polar_rows(image, magnitude, bin, params, first, last, line, line_elements);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(gradient_rows_u8);
HWY_EXPORT(gradient_rows_f32);
HWY_EXPORT(polar_rows_u8);
HWY_EXPORT(polar_rows_f32);

constexpr int kRowsPerTask =
    32;  // enough work to hide a task's start, few enough to spread over cores
constexpr int kWidestVector =
    64;  // floats; the most that one vector can run over a row's end, per channel

}  // namespace

template <class T, class Difference>
void gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
              GradientKernel kernel, const Exec& exec) {
  parallel_for(exec, image.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<Difference> line(
        2 * static_cast<std::size_t>(image.row_elements() + 2 * image.channels));
    if constexpr (sizeof(T) == 1) {
      HWY_DYNAMIC_DISPATCH(gradient_rows_u8)
      (image, dx, dy, kernel, static_cast<int>(first), static_cast<int>(last), line.data());
    } else {
      HWY_DYNAMIC_DISPATCH(gradient_rows_f32)
      (image, dx, dy, kernel, static_cast<int>(first), static_cast<int>(last), line.data());
    }
  });
}
template void gradient(ImageView<const std::uint8_t>, ImageView<std::int16_t>,
                       ImageView<std::int16_t>, GradientKernel, const Exec&);
template void gradient(ImageView<const float>, ImageView<float>, ImageView<float>, GradientKernel,
                       const Exec&);

template <class T>
void polar_gradient(ImageView<const T> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const detail::PolarParams& params,
                    const Exec& exec) {
  const int line_elements = image.row_elements() + (2 + kWidestVector) * image.channels;
  parallel_for(exec, image.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> line(4 * static_cast<std::size_t>(line_elements));
    if constexpr (sizeof(T) == 1) {
      HWY_DYNAMIC_DISPATCH(polar_rows_u8)
      (image, magnitude, bin, params, static_cast<int>(first), static_cast<int>(last), line.data(),
       line_elements);
    } else {
      HWY_DYNAMIC_DISPATCH(polar_rows_f32)
      (image, magnitude, bin, params, static_cast<int>(first), static_cast<int>(last), line.data(),
       line_elements);
    }
  });
}
template void polar_gradient(ImageView<const std::uint8_t>, ImageView<float>,
                             ImageView<std::uint8_t>, const detail::PolarParams&, const Exec&);
template void polar_gradient(ImageView<const float>, ImageView<float>, ImageView<std::uint8_t>,
                             const detail::PolarParams&, const Exec&);

}  // namespace fovea::cpu
#endif  // HWY_ONCE
