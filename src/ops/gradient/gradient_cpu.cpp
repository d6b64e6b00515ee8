// CPU twin of the gradient. A row is computed in two passes over a padded line that stays in the
// first-level cache: down the columns, then along the row. The padding repeats the border, so that
// neither loop has to test for it.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "ops/gradient/backend.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_GRADIENT_JOB
#define FOVEA_GRADIENT_JOB
namespace fovea::cpu {
namespace {

// Computes dx and dy of rows [first, last). `lines` is scratch memory of 2 * (row elements + 2
// channels).
template <class T, class Difference>
struct GradientJob {
  ImageView<const T> image;
  ImageView<Difference> dx, dy;
  Difference* lines;
  int first, last;
};

}  // namespace
}  // namespace fovea::cpu
#endif

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

// Two vectors of consecutive pixels, converted to the type of the computation. There are two
// because bytes then fill whole vectors and the overhead of the loop is halved.
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

// Three rows of the image around the current one. At the border the row itself replaces the missing
// one.
template <class T>
struct RowTriple {
  const T* above;
  const T* center;
  const T* below;
};

// The result of the pass down the columns for the pass along the row: `elements` of each, with
// `channels` elements of repeated border on both sides.
template <class Difference>
struct Lines {
  Difference* smooth;
  Difference* difference;
  int elements, channels;
};

// side * outer + center * inner. The weights are compile-time constants, so that the common kernels
// need no multiplication.
template <GradientKernel kKernel, class D>
HWY_INLINE Pair<D> weighted(D d, Pair<D> outer, Pair<D> inner) {
  if constexpr (kKernel == GradientKernel::kCentered) return inner;
  if constexpr (kKernel == GradientKernel::kSobel) return add(d, outer, add(d, inner, inner));
  using T = hn::TFromD<D>;
  constexpr auto kWeights = detail::weights_of(kKernel);
  const auto side = hn::Set(d, static_cast<T>(kWeights.side));
  const auto center = hn::Set(d, static_cast<T>(kWeights.center));
  return {hn::Add(hn::Mul(outer.low, side), hn::Mul(inner.low, center)),
          hn::Add(hn::Mul(outer.high, side), hn::Mul(inner.high, center))};
}
template <GradientKernel kKernel, class T>
HWY_INLINE T weighted(T outer, T inner) {
  // This must not be a product with 0, because the outer pixels may be infinite.
  if constexpr (kKernel == GradientKernel::kCentered) return inner;
  constexpr auto kWeights = detail::weights_of(kKernel);
  return static_cast<T>(outer * kWeights.side + inner * kWeights.center);
}

// The pass down the columns: smooth = weighted(above + below, center), difference = below - above.
template <GradientKernel kKernel, class T, class Difference>
void vertical_pass(const RowTriple<T>& rows, const Lines<Difference>& lines) {
  Difference* HWY_RESTRICT smooth = lines.smooth;
  Difference* HWY_RESTRICT difference = lines.difference;
  const int elements = lines.elements, channels = lines.channels;
  const hn::ScalableTag<Difference> d;
  const int step = 2 * static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + step <= elements; i += step) {
    const auto above = load_pair(d, rows.above + i), below = load_pair(d, rows.below + i);
    const auto inner = load_pair(d, rows.center + i);
    store_pair(d, weighted<kKernel>(d, add(d, above, below), inner), smooth + channels + i);
    store_pair(d, subtract(d, below, above), difference + channels + i);
  }
  for (; i < elements; ++i) {
    const auto above = static_cast<Difference>(rows.above[i]);
    const auto below = static_cast<Difference>(rows.below[i]);
    smooth[channels + i] = weighted<kKernel>(static_cast<Difference>(above + below),
                                             static_cast<Difference>(rows.center[i]));
    difference[channels + i] = static_cast<Difference>(below - above);
  }
  for (Difference* line : {smooth, difference}) {
    std::copy_n(line + channels, channels, line);
    std::copy_n(line + elements, channels, line + channels + elements);
  }
}

// The pass along the row, over the result of vertical_pass.
template <GradientKernel kKernel, class Difference>
void horizontal_pass(const Lines<Difference>& lines, Difference* HWY_RESTRICT dx,
                     Difference* HWY_RESTRICT dy) {
  const Difference* HWY_RESTRICT smooth = lines.smooth;
  const Difference* HWY_RESTRICT difference = lines.difference;
  const int elements = lines.elements, channels = lines.channels;
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
  return {image.row(std::max(y - 1, 0)), image.row(y),
          image.row(std::min(y + 1, image.height - 1))};
}

template <GradientKernel kKernel, class T, class Difference>
void gradient_rows(const GradientJob<T, Difference>& job) {
  const int elements = job.image.row_elements(), channels = job.image.channels;
  const Lines<Difference> lines{job.lines, job.lines + elements + 2 * channels, elements, channels};
  for (int y = job.first; y < job.last; ++y) {
    vertical_pass<kKernel>(rows_around(job.image, y), lines);
    horizontal_pass<kKernel>(lines, job.dx.row(y), job.dy.row(y));
  }
}

template <class T, class Difference>
void gradient_rows(const GradientJob<T, Difference>& job, GradientKernel kernel) {
  switch (kernel) {
    case GradientKernel::kCentered: return gradient_rows<GradientKernel::kCentered>(job);
    case GradientKernel::kSobel: return gradient_rows<GradientKernel::kSobel>(job);
    case GradientKernel::kScharr: return gradient_rows<GradientKernel::kScharr>(job);
  }
}

// Entry points for the dispatcher, which cannot name templates.
void gradient_rows_u8(const GradientJob<std::uint8_t, std::int16_t>& job, GradientKernel kernel) {
  gradient_rows(job, kernel);
}
void gradient_rows_f32(const GradientJob<float, float>& job, GradientKernel kernel) {
  gradient_rows(job, kernel);
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

constexpr int kRowsPerTask =
    32;  // enough work to hide a task's start, few enough to spread over cores

}  // namespace

template <class T, class Difference>
void gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
              GradientKernel kernel, const Exec& exec) {
  parallel_for(exec, image.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<Difference> lines(
        2 * static_cast<std::size_t>(image.row_elements() + 2 * image.channels));
    const GradientJob<T, Difference> job{
        image, dx, dy, lines.data(), static_cast<int>(first), static_cast<int>(last)};
    if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(gradient_rows_u8)(job, kernel);
    else HWY_DYNAMIC_DISPATCH(gradient_rows_f32)(job, kernel);
  });
}
#define FOVEA_GRADIENT(T, Difference)                                                      \
  template void gradient(ImageView<const T>, ImageView<Difference>, ImageView<Difference>, \
                         GradientKernel, const Exec&);
FOVEA_FOR_EACH_GRADIENT(FOVEA_GRADIENT)
#undef FOVEA_GRADIENT

}  // namespace fovea::cpu
#endif  // HWY_ONCE
