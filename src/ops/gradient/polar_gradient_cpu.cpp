// CPU twin of the polar gradient, four vectors of floats at a time. Bytes are compared as integers
// and converted to floats only for the comparison with the bins' borders. Borders of the half
// circle come in mirrored pairs, of which a direction can have passed only one, so that only half
// of them are compared. The result equals that of detail::orientation_bin to the bit.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "ops/gradient/backend.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_POLAR_JOB
#define FOVEA_POLAR_JOB
namespace fovea::cpu {
namespace {

// Computes rows [first, last). `line` is scratch memory of polar_scratch() elements.
template <class T>
struct PolarJob {
  ImageView<const T> image;
  ImageView<float> magnitude;
  ImageView<std::uint8_t> bin;
  const detail::PolarParams& params;
  T* line;
  int first, last;
};

constexpr int kWidestBlock = 256;  // in pixels: the bytes of the widest vector

}  // namespace
}  // namespace fovea::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/gradient/polar_gradient_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;
using Shorts = hn::ScalableTag<std::int16_t>;
using Integers = hn::ScalableTag<std::int32_t>;
using Floats = hn::ScalableTag<float>;

constexpr int kParts = 4;  // vectors of floats in a block of pixels, which is a vector of bytes

// Pointers to the neighbors of the first pixel of a block.
template <class T>
struct Neighbors {
  const T *left, *right, *above, *below;
  Neighbors operator+(std::size_t elements) const {
    return {left + elements, right + elements, above + elements, below + elements};
  }
};

template <int kChannels, class D>
HWY_INLINE void load_channels(D d, const hn::TFromD<D>* from, hn::Vec<D>* v) {
  if constexpr (kChannels == 1) v[0] = hn::LoadU(d, from);
  if constexpr (kChannels == 2) hn::LoadInterleaved2(d, from, v[0], v[1]);
  if constexpr (kChannels == 3) hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
  if constexpr (kChannels == 4) hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
}
HWY_INLINE hn::Vec<Integers> low_integers(hn::Vec<Shorts> v) {
  return hn::PromoteTo(Integers(), hn::LowerHalf(hn::Half<Shorts>(), v));
}
HWY_INLINE hn::Vec<Integers> high_integers(hn::Vec<Shorts> v) {
  return hn::PromoteTo(Integers(), hn::UpperHalf(hn::Half<Shorts>(), v));
}
// Narrows numbers that fit 16 bits: the even lanes are the low halves.
HWY_INLINE hn::Vec<Shorts> shorts(hn::Vec<Integers> low, hn::Vec<Integers> high) {
  const Shorts d;
  return hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
}

// A block's directions, turned into the upper half circle and mirrored so that (dx, dy) has passed
// border k of the first quarter where cosine[k] * dy >= sine[k] * dx; `passed` counts the borders
// that need no such comparison.
struct Folded {
  hn::Vec<Floats> dx[kParts], dy[kParts];
  hn::Vec<Shorts> passed[2];
  HWY_INLINE Folded() {}  // explicit in all three, because an implicit one has no instruction set
};

// How many borders a direction has passed because of the part of the circle it lies in.
struct BorderCounts {
  int left;    // left of the vertical: those of the first quarter and the vertical one
  int middle;  // on the vertical
  int lower;   // in the lower half circle
};

// For each pixel, the gradient of the channel with the largest squared magnitude, or of the first
// such channel.
struct ByteGradient {
  hn::Vec<Shorts> dx[2], dy[2];
  hn::Vec<Integers> square[kParts];
  HWY_INLINE ByteGradient() {}

  HWY_INLINE hn::Vec<Floats> squared_length(int part) const {
    return hn::ConvertTo(Floats(), square[part]);
  }
  HWY_INLINE void to_floats(const hn::Vec<Shorts>* from, hn::Vec<Floats>* to) const {
    for (int i = 0; i < 2; ++i) {
      to[2 * i] = hn::ConvertTo(Floats(), low_integers(from[i]));
      to[2 * i + 1] = hn::ConvertTo(Floats(), high_integers(from[i]));
    }
  }
  HWY_INLINE void directions(hn::Vec<Floats>* to_dx, hn::Vec<Floats>* to_dy) const {
    to_floats(dx, to_dx);
    to_floats(dy, to_dy);
  }
  HWY_INLINE bool fold(const BorderCounts& counts, Folded& out) const {
    const Shorts d;
    const auto zero = hn::Zero(d);
    const auto if_left = hn::Set(d, static_cast<std::int16_t>(counts.left));
    const auto if_middle = hn::Set(d, static_cast<std::int16_t>(counts.middle));
    const auto if_lower = hn::Set(d, static_cast<std::int16_t>(counts.lower));
    const auto negate_where = [](auto mask, auto v)
                                  HWY_ATTR { return hn::Sub(hn::Xor(v, mask), mask); };
    hn::Vec<Shorts> folded_dx[2], folded_dy[2];
    for (int i = 0; i < 2; ++i) {
      const auto lower = hn::VecFromMask(
          d, hn::Or(hn::Lt(dy[i], zero), hn::And(hn::Eq(dy[i], zero), hn::Lt(dx[i], zero))));
      auto x = negate_where(lower, dx[i]), y = negate_where(lower, dy[i]);
      // A zero gradient becomes a direction just below angle 0, which has passed no border.
      const auto null = hn::VecFromMask(d, hn::Eq(hn::Or(x, y), zero));
      x = hn::Sub(x, null);
      const auto left = hn::VecFromMask(d, hn::Lt(x, zero));
      y = hn::Or(negate_where(left, y), null);
      const auto middle = hn::VecFromMask(d, hn::Eq(x, zero));
      out.passed[i] = hn::Add(hn::Add(hn::And(left, if_left), hn::And(middle, if_middle)),
                              hn::And(lower, if_lower));
      folded_dx[i] = x;
      folded_dy[i] = y;
    }
    to_floats(folded_dx, out.dx);
    to_floats(folded_dy, out.dy);
    return true;
  }
};

HWY_INLINE void consider(const hn::Vec<Bytes> (&pixels)[4], bool first, ByteGradient& best) {
  const Shorts d;
  const hn::Half<Bytes> half;
  const hn::Half<hn::RebindToUnsigned<Shorts>> half16;
  const auto low = [&](auto a, auto b) HWY_ATTR {
    return hn::Sub(hn::PromoteTo(d, hn::LowerHalf(half, a)),
                   hn::PromoteTo(d, hn::LowerHalf(half, b)));
  };
  const auto high = [&](auto a, auto b) HWY_ATTR {
    return hn::Sub(hn::PromoteTo(d, hn::UpperHalf(half, a)),
                   hn::PromoteTo(d, hn::UpperHalf(half, b)));
  };
  // A square fits 16 bits without a sign, but the sum of two squares does not.
  const auto square = [](auto v) HWY_ATTR {
    const auto bits = hn::BitCast(hn::RebindToUnsigned<Shorts>(), v);
    return hn::Mul(bits, bits);
  };
  const hn::Vec<Shorts> dx[2] = {low(pixels[1], pixels[0]), high(pixels[1], pixels[0])};
  const hn::Vec<Shorts> dy[2] = {low(pixels[3], pixels[2]), high(pixels[3], pixels[2])};
  for (int i = 0; i < 2; ++i) {
    const Integers di;
    const auto dx2 = square(dx[i]), dy2 = square(dy[i]);
    const auto square0 = hn::Add(hn::PromoteTo(di, hn::LowerHalf(half16, dx2)),
                                 hn::PromoteTo(di, hn::LowerHalf(half16, dy2)));
    const auto square1 = hn::Add(hn::PromoteTo(di, hn::UpperHalf(half16, dx2)),
                                 hn::PromoteTo(di, hn::UpperHalf(half16, dy2)));
    auto &best0 = best.square[2 * i], &best1 = best.square[2 * i + 1];
    if (first) {
      best.dx[i] = dx[i], best.dy[i] = dy[i], best0 = square0, best1 = square1;
      continue;
    }
    const auto larger = hn::MaskFromVec(shorts(hn::VecFromMask(di, hn::Gt(square0, best0)),
                                               hn::VecFromMask(di, hn::Gt(square1, best1))));
    best.dx[i] = hn::IfThenElse(larger, dx[i], best.dx[i]);
    best.dy[i] = hn::IfThenElse(larger, dy[i], best.dy[i]);
    best0 = hn::Max(best0, square0);
    best1 = hn::Max(best1, square1);
  }
}

template <int kChannels>
HWY_INLINE ByteGradient strongest(const Neighbors<std::uint8_t>& at) {
  const Bytes d;
  hn::Vec<Bytes> left[kChannels], right[kChannels], above[kChannels], below[kChannels];
  load_channels<kChannels>(d, at.left, left);
  load_channels<kChannels>(d, at.right, right);
  load_channels<kChannels>(d, at.above, above);
  load_channels<kChannels>(d, at.below, below);
  ByteGradient best;
  for (int c = 0; c < kChannels; ++c)
    consider({left[c], right[c], above[c], below[c]}, c == 0, best);
  return best;
}

struct FloatGradient {
  hn::Vec<Floats> dx[kParts], dy[kParts], square[kParts];
  HWY_INLINE FloatGradient() {}

  HWY_INLINE hn::Vec<Floats> squared_length(int part) const { return square[part]; }
  HWY_INLINE void directions(hn::Vec<Floats>* to_dx, hn::Vec<Floats>* to_dy) const {
    for (int i = 0; i < kParts; ++i) to_dx[i] = dx[i], to_dy[i] = dy[i];
  }
  // Returns false where a product with a border could leave the range of floats.
  HWY_INLINE bool fold(const BorderCounts& counts, Folded& out) const {
    const Floats d;
    const Integers di;
    const auto zero = hn::Zero(d), one = hn::Set(d, 1.0F);
    const auto least = hn::Set(d, 1e-30F), most = hn::Set(d, 1e38F);
    const auto count_where = [&](auto mask, int count) HWY_ATTR {
      return hn::IfThenElseZero(hn::RebindMask(di, mask), hn::Set(di, count));
    };
    const auto ordinary = [&](auto v) HWY_ATTR {
      const auto size = hn::Abs(v);
      return hn::Or(hn::Eq(v, zero), hn::And(hn::Ge(size, least), hn::Le(size, most)));
    };
    hn::Vec<Integers> passed[kParts];
    auto safe = hn::Eq(zero, zero);
    for (int i = 0; i < kParts; ++i) {
      const auto lower =
          hn::Or(hn::Lt(dy[i], zero), hn::And(hn::Eq(dy[i], zero), hn::Lt(dx[i], zero)));
      const auto null = hn::And(hn::Eq(dx[i], zero), hn::Eq(dy[i], zero));
      const auto x = hn::IfThenElse(null, one, hn::IfThenElse(lower, hn::Neg(dx[i]), dx[i]));
      const auto y =
          hn::IfThenElse(null, hn::Neg(one), hn::IfThenElse(lower, hn::Neg(dy[i]), dy[i]));
      const auto left = hn::Lt(x, zero);
      out.dx[i] = x;
      out.dy[i] = hn::IfThenElse(left, hn::Neg(y), y);
      passed[i] = hn::Add(hn::Add(count_where(left, counts.left), count_where(lower, counts.lower)),
                          count_where(hn::Eq(x, zero), counts.middle));
      safe = hn::And(safe, hn::And(ordinary(x), ordinary(y)));
    }
    for (int i = 0; i < 2; ++i) out.passed[i] = shorts(passed[2 * i], passed[2 * i + 1]);
    return hn::AllTrue(d, safe);
  }
};

template <int kChannels>
HWY_INLINE FloatGradient strongest(const Neighbors<float>& block) {
  const Floats d;
  FloatGradient best;
  for (int i = 0; i < kParts; ++i) {
    const Neighbors<float> at = block + i * hn::Lanes(d) * kChannels;
    hn::Vec<Floats> left[kChannels], right[kChannels], above[kChannels], below[kChannels];
    load_channels<kChannels>(d, at.left, left);
    load_channels<kChannels>(d, at.right, right);
    load_channels<kChannels>(d, at.above, above);
    load_channels<kChannels>(d, at.below, below);
    best.dx[i] = best.dy[i] = best.square[i] = hn::Zero(d);
    for (int c = 0; c < kChannels; ++c) {
      const auto dx = hn::Sub(right[c], left[c]), dy = hn::Sub(below[c], above[c]);
      const auto square = hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy));
      const auto larger = hn::Gt(square, best.square[i]);
      best.dx[i] = hn::IfThenElse(larger, dx, best.dx[i]);
      best.dy[i] = hn::IfThenElse(larger, dy, best.dy[i]);
      best.square[i] = hn::IfThenElse(larger, square, best.square[i]);
    }
  }
  return best;
}

HWY_INLINE hn::Vec<Bytes> bytes(hn::Vec<Shorts> low, hn::Vec<Shorts> high) {
  const hn::Half<Bytes> half;
  return hn::Combine(Bytes(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

// Finds bins by comparison with borders 1 to `borders`, which are those of the first quarter.
HWY_INLINE hn::Vec<Bytes> folded_bins(const Folded& f, const detail::PolarParams& p, int borders) {
  const Floats d;
  const Integers di;
  hn::Vec<Integers> count[kParts];
  for (auto& c : count) c = hn::Zero(di);
  for (int k = 1; k <= borders; ++k) {
    const auto cosine = hn::Set(d, p.cosine[k]), sine = hn::Set(d, p.sine[k]);
    for (int i = 0; i < kParts; ++i) {
      const auto passed = hn::Ge(hn::Mul(cosine, f.dy[i]), hn::Mul(sine, f.dx[i]));
      count[i] = hn::Sub(count[i], hn::VecFromMask(di, hn::RebindMask(di, passed)));
    }
  }
  return bytes(hn::Add(f.passed[0], shorts(count[0], count[1])),
               hn::Add(f.passed[1], shorts(count[2], count[3])));
}

// detail::orientation_bin for vectors, for circles without mirrored borders and for numbers at the
// ends of their range.
hn::Vec<Integers> orientation_bins(hn::Vec<Floats> dx, hn::Vec<Floats> dy,
                                   const detail::PolarParams& p) {
  const Floats d;
  const Integers di;
  const auto zero = hn::Zero(d);
  const auto null = hn::And(hn::Eq(dx, zero), hn::Eq(dy, zero));
  const auto lower = hn::Or(hn::Lt(dy, zero), hn::And(hn::Eq(dy, zero), hn::Lt(dx, zero)));
  if (!p.signed_angle) {
    dx = hn::IfThenElse(lower, hn::Neg(dx), dx);
    dy = hn::IfThenElse(lower, hn::Neg(dy), dy);
  }
  const auto beyond_pi = p.signed_angle ? hn::Lt(dy, zero) : hn::MaskFromVec(zero);
  auto bin = hn::Zero(di);
  for (int k = 1; k < p.bins; ++k) {
    const auto cosine = hn::Set(d, p.cosine[k]), sine = hn::Set(d, p.sine[k]);
    const auto left = hn::Ge(hn::Sub(hn::Mul(cosine, dy), hn::Mul(sine, dx)), zero);
    auto passed = hn::Or(beyond_pi, left);
    if (p.sine[k] < 0) passed = hn::And(beyond_pi, left);
    if (p.sine[k] == 0) passed = lower;
    bin = hn::Sub(bin, hn::VecFromMask(di, hn::RebindMask(di, passed)));
  }
  return hn::IfThenZeroElse(hn::RebindMask(di, null), bin);
}

template <class Gradient>
hn::Vec<Bytes> orientation_bins(const Gradient& gradient, const detail::PolarParams& p) {
  hn::Vec<Floats> dx[kParts], dy[kParts];
  gradient.directions(dx, dy);
  const auto two = [&](int i) HWY_ATTR {
    return shorts(orientation_bins(dx[i], dy[i], p), orientation_bins(dx[i + 1], dy[i + 1], p));
  };
  return bytes(two(0), two(2));
}

template <int kChannels, class T>
HWY_INLINE void polar_block(const Neighbors<T>& at, const detail::PolarParams& params,
                            float* magnitude, std::uint8_t* bin) {
  const Floats d;
  const auto gradient = strongest<kChannels>(at);
  for (int i = 0; i < kParts; ++i)
    hn::StoreU(hn::Sqrt(gradient.squared_length(i)), d, magnitude + i * hn::Lanes(d));
  const int half = detail::half_circle_bins(params);
  const int middle = half % 2 == 0 ? 1 : 0, quarter = (half - 1) / 2;
  Folded folded;
  if (half > 0 && gradient.fold({quarter + middle, middle, params.bins - half}, folded))
    hn::StoreU(folded_bins(folded, params, quarter), Bytes(), bin);
  else hn::StoreU(orientation_bins(gradient, params), Bytes(), bin);
}

template <int kChannels, class T>
void polar_rows(const PolarJob<T>& job) {
  const ImageView<const T>& image = job.image;
  const int block = static_cast<int>(hn::Lanes(Bytes()));
  const int elements = image.row_elements();
  T* above_end = job.line + elements + (2 + kWidestBlock) * kChannels;
  T* below_end = above_end + kWidestBlock * kChannels;
  float magnitudes[kParts * hn::MaxLanes(Floats())];
  std::uint8_t bins[hn::MaxLanes(Bytes())];
  for (int y = job.first; y < job.last; ++y) {
    // Copies the row with its border repeated, so that no loop has to test for it.
    const T* row = image.row(y);
    std::copy_n(row, kChannels, job.line);
    std::copy_n(row, elements, job.line + kChannels);
    std::copy_n(row + elements - kChannels, kChannels, job.line + kChannels + elements);
    const T *above = image.row(std::max(y - 1, 0)),
            *below = image.row(std::min(y + 1, image.height - 1));
    int x = 0;
    for (; x + block <= image.width; x += block) {
      const int e = x * kChannels;
      polar_block<kChannels, T>({job.line + e, job.line + e + 2 * kChannels, above + e, below + e},
                                job.params, job.magnitude.row(y) + x, job.bin.row(y) + x);
    }
    if (x == image.width) continue;
    const int e = x * kChannels;
    std::copy_n(above + e, elements - e, above_end);
    std::copy_n(below + e, elements - e, below_end);
    polar_block<kChannels, T>({job.line + e, job.line + e + 2 * kChannels, above_end, below_end},
                              job.params, magnitudes, bins);
    std::copy_n(magnitudes, image.width - x, job.magnitude.row(y) + x);
    std::copy_n(bins, image.width - x, job.bin.row(y) + x);
  }
}

template <class T>
void polar_rows_of(const PolarJob<T>& job) {
  switch (job.image.channels) {
    case 1: return polar_rows<1>(job);
    case 2: return polar_rows<2>(job);
    case 3: return polar_rows<3>(job);
    default: return polar_rows<4>(job);
  }
}

// Entry points for the dispatcher, which cannot name templates.
void polar_rows_u8(const PolarJob<std::uint8_t>& job) { polar_rows_of(job); }
void polar_rows_f32(const PolarJob<float>& job) { polar_rows_of(job); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(polar_rows_u8);
HWY_EXPORT(polar_rows_f32);

constexpr int kRowsPerTask = 32;

// The size of the scratch memory: a row with a pixel of border on both sides, and the last block of
// it and of its neighboring rows, which may extend beyond the end.
template <class T>
std::size_t polar_scratch(ImageView<const T> image) {
  return static_cast<std::size_t>(image.row_elements()) +
         static_cast<std::size_t>((2 + 3 * kWidestBlock) * image.channels);
}

}  // namespace

template <class T>
void polar_gradient(ImageView<const T> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const detail::PolarParams& params,
                    const Exec& exec) {
  parallel_for(exec, image.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<T> line(polar_scratch(image));
    const PolarJob<T> job{image,
                          magnitude,
                          bin,
                          params,
                          line.data(),
                          static_cast<int>(first),
                          static_cast<int>(last)};
    if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(polar_rows_u8)(job);
    else HWY_DYNAMIC_DISPATCH(polar_rows_f32)(job);
  });
}
#define FOVEA_POLAR_GRADIENT(T)                                                               \
  template void polar_gradient(ImageView<const T>, ImageView<float>, ImageView<std::uint8_t>, \
                               const detail::PolarParams&, const Exec&);
FOVEA_FOR_EACH_POLAR_GRADIENT(FOVEA_POLAR_GRADIENT)
#undef FOVEA_POLAR_GRADIENT

}  // namespace fovea::cpu
#endif  // HWY_ONCE
