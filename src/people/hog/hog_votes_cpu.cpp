// The votes of a row of pixels, one vector at a time: vote_of() of hog_math.h, operation by
// operation.
#include "people/hog/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog/hog_votes_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::ScalableTag<std::int32_t>;

struct VoteSlopes {
  hn::Vec<Floats> dx, dy, square;
};

// Pointers to the rows around the one computed, in registers.
struct RowTriple {
  const float *above, *center, *below;
};
template <bool kColor>
struct Rows {
  explicit Rows(const VoteJob& job) : first(triple(job, 0)), second(first), third(first) {
    if constexpr (kColor) second = triple(job, 1), third = triple(job, 2);
  }
  HWY_INLINE static RowTriple triple(const VoteJob& job, int c) {
    return {job.rows[kMaskReach - 1][c], job.rows[kMaskReach][c], job.rows[kMaskReach + 1][c]};
  }
  RowTriple first, second, third;
};

// Pairs (low, high) of every lane, one after the other.
template <class Vector, class T>
HWY_INLINE void store_pairs(Vector low, Vector high, T* to) {
  const hn::ScalableTag<T> d;
  if constexpr (HWY_MAX_BYTES == 16) {  // zips are faster than the interleaving store of NEON
    hn::StoreU(hn::InterleaveLower(d, low, high), d, to);
    hn::StoreU(hn::InterleaveUpper(d, low, high), d, to + hn::Lanes(d));
  } else {
    hn::StoreInterleaved2(low, high, d, to);
  }
}

HWY_INLINE VoteSlopes slopes(const RowTriple& rows, int x) {
  const Floats d;
  const auto dx = hn::Sub(hn::LoadU(d, rows.center + x + 1), hn::LoadU(d, rows.center + x - 1));
  const auto dy = hn::Sub(hn::LoadU(d, rows.below + x), hn::LoadU(d, rows.above + x));
  return {dx, dy, hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy))};
}

// The mask of a job, by slope_of() of hog_math.h.
HWY_INLINE VoteSlopes masked_slopes(const VoteJob& job, int c, int x) {
  const Floats d;
  const auto at = [&](int dx, int dy)
                      HWY_ATTR { return hn::LoadU(d, job.rows[kMaskReach + dy][c] + x + dx); };
  const auto difference = [&](int x1, int y1, int x0, int y0)
                              HWY_ATTR { return hn::Sub(at(x1, y1), at(x0, y0)); };
  const auto two = hn::Set(d, 2.0F), eight = hn::Set(d, 8.0F), quarter = hn::Set(d, 0.25F);
  auto dx = hn::Zero(d), dy = hn::Zero(d);
  switch (job.mask) {
    case GradientMask::kCentered:
      dx = difference(1, 0, -1, 0);
      dy = difference(0, 1, 0, -1);
      break;
    case GradientMask::kUncentered:
      dx = hn::Mul(two, difference(1, 0, 0, 0));
      dy = hn::Mul(two, difference(0, 1, 0, 0));
      break;
    case GradientMask::kCubic: {
      const auto scale = hn::Set(d, kCubicScale);
      dx =
          hn::Mul(scale, hn::Sub(hn::Mul(eight, difference(1, 0, -1, 0)), difference(2, 0, -2, 0)));
      dy =
          hn::Mul(scale, hn::Sub(hn::Mul(eight, difference(0, 1, 0, -1)), difference(0, 2, 0, -2)));
      break;
    }
    case GradientMask::kSobel: {
      const auto falling = difference(1, 1, -1, -1), rising = difference(1, -1, -1, 1);
      const auto across = hn::Mul(two, difference(1, 0, -1, 0));
      const auto down = hn::Mul(two, difference(0, 1, 0, -1));
      dx = hn::Mul(quarter, hn::Add(hn::Add(falling, rising), across));
      dy = hn::Mul(quarter, hn::Add(hn::Sub(falling, rising), down));
      break;
    }
    case GradientMask::kDiagonal: {
      const auto falling = difference(1, 1, 0, 0), rising = difference(1, 0, 0, 1);
      dx = hn::Add(falling, rising);
      dy = hn::Sub(falling, rising);
      break;
    }
  }
  return {dx, dy, hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy))};
}

// vote_weight() of hog_math.h.
HWY_INLINE hn::Vec<Floats> weighted(hn::Vec<Floats> square, const VoteParams& params) {
  const Floats d;
  const auto length = hn::Sqrt(square);
  if (params.weight == VoteWeight::kMagnitude) return length;
  if (params.weight == VoteWeight::kRoot) return hn::Sqrt(length);
  if (params.weight == VoteWeight::kSquare) return square;
  return hn::IfThenElseZero(hn::Ge(length, hn::Set(d, params.edge)), hn::Set(d, 1.0F));
}

HWY_INLINE void consider(const VoteSlopes& other, VoteSlopes& best) {
  const auto larger = hn::Gt(other.square, best.square);
  best.dx = hn::IfThenElse(larger, other.dx, best.dx);
  best.dy = hn::IfThenElse(larger, other.dy, best.dy);
  best.square = hn::Max(other.square, best.square);
}
template <bool kColor>
HWY_INLINE VoteSlopes strongest(const Rows<kColor>& rows, int x) {
  VoteSlopes best = slopes(rows.first, x);
  if constexpr (kColor) {
    consider(slopes(rows.second, x), best);
    consider(slopes(rows.third, x), best);
  }
  return best;
}

// Where angles begin, by the octant that a direction lies in, and the arctangent's polynomial.
struct Constants {
  HWY_INLINE Constants(const VoteParams& p, std::uint32_t row_pitch) : Constants(p) {
    pitch = hn::Set(Integers(), static_cast<std::int32_t>(row_pitch));
  }
  hn::Vec<Floats> a0, a1, a2, a3, a4;
  hn::Vec<Floats> zero, right, half, circle, steep_down;
  hn::Vec<Integers> pitch;

 private:
  HWY_INLINE explicit Constants(const VoteParams& p) {
    const Floats d;
    const float shift = p.interpolate ? 0.5F : 0.0F;
    a0 = hn::Set(d, p.atan[0]), a1 = hn::Set(d, p.atan[1]), a2 = hn::Set(d, p.atan[2]);
    a3 = hn::Set(d, p.atan[3]), a4 = hn::Set(d, p.atan[4]);
    zero = hn::Set(d, shift), right = hn::Set(d, p.right_angle + shift);
    half = hn::Set(d, p.half_turn + shift), circle = hn::Set(d, p.circle + shift);
    steep_down = hn::Set(d, p.circle - p.right_angle + shift);
  }
};

// A difference of floats is never -0, so that sign bits mean "below 0".
template <bool kSigned>
HWY_INLINE hn::Vec<Floats> angles(const VoteSlopes& s, const Constants& c) {
  const Floats d;
  const auto ax = hn::Abs(s.dx), ay = hn::Abs(s.dy);
  const auto larger = hn::Max(hn::Max(ax, ay), hn::Set(d, 1e-30F));  // 0 / 1e-30 is 0 too
  const auto t = hn::Div(hn::Min(ax, ay), larger);
  const auto steep = hn::Gt(ay, ax);
  const auto opposite = hn::Xor(s.dx, s.dy);
  const auto turned = hn::And(hn::Xor(opposite, hn::VecFromMask(d, steep)), hn::SignBit(d));
  hn::Vec<Floats> from;
  if constexpr (!kSigned) {
    // By the sign bit, because the difference of bits may be -0.
    const auto sign = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(Integers(), opposite)));
    const auto level = hn::IfThenElse(hn::MaskFromVec(sign), c.circle, c.zero);
    from = hn::IfThenElse(steep, c.right, level);
  } else {
    const auto level = hn::IfNegativeThenElse(s.dy, c.circle, c.zero);
    from = hn::IfThenElse(steep, hn::IfNegativeThenElse(s.dy, c.steep_down, c.right),
                          hn::IfNegativeThenElse(s.dx, c.half, level));
  }
  const auto t2 = hn::Mul(t, t), t4 = hn::Mul(t2, t2);
  const auto even = hn::MulAdd(c.a1, t2, c.a0);
  const auto odd = hn::MulAdd(c.a4, t4, hn::MulAdd(c.a3, t2, c.a2));
  return hn::MulAdd(hn::MulAdd(odd, t4, even), hn::Xor(t, turned), from);
}

struct VoteVector {
  hn::Vec<Floats> low, high;
  hn::Vec<Integers> place;
};

template <bool kSigned, bool kInterpolate>
HWY_INLINE VoteVector votes_of(const VoteSlopes& s, hn::Vec<Floats> magnitude, const Constants& c) {
  const Floats d;
  const Integers di;
  const auto place = angles<kSigned>(s, c);
  const auto n = hn::ConvertTo(di, place);
  const auto at = hn::Mul(n, c.pitch);
  if constexpr (!kInterpolate) return {hn::Zero(d), magnitude, at};
  const auto high = hn::Mul(magnitude, hn::Sub(place, hn::ConvertTo(d, n)));
  return {hn::Sub(magnitude, high), high, at};
}

template <bool kColor, bool kSigned, bool kInterpolate>
HWY_INLINE VoteVector votes_at(const Rows<kColor>& rows, const Constants& c, int x) {
  const VoteSlopes s = strongest<kColor>(rows, x);
  return votes_of<kSigned, kInterpolate>(s, hn::Sqrt(s.square), c);
}

HWY_INLINE void store(const VoteVector& votes, VoteRow<SharePair, std::int32_t> to, int x) {
  store_pairs(votes.low, votes.high, reinterpret_cast<float*>(to.shares + x));
  hn::StoreU(votes.place, Integers(), to.places + x);
}

// Four vectors at a time: a single one is a chain of some 60 cycles, and the queues of a core hold
// too little of it to overlap.
template <bool kColor, bool kSigned, bool kInterpolate>
void vote_row_as(const VoteJob& job) {
  const auto step = static_cast<int>(hn::Lanes(Floats()));
  const Rows<kColor> rows(job);
  const Constants constants(job.params, job.pitch);
  const auto to = job.votes;
  const int count = job.count;
  for (int x = 0; x < count; x += 4 * step) {
    const auto v0 = votes_at<kColor, kSigned, kInterpolate>(rows, constants, x);
    const auto v1 = votes_at<kColor, kSigned, kInterpolate>(rows, constants, x + step);
    const auto v2 = votes_at<kColor, kSigned, kInterpolate>(rows, constants, x + 2 * step);
    const auto v3 = votes_at<kColor, kSigned, kInterpolate>(rows, constants, x + 3 * step);
    store(v0, to, x);
    store(v1, to, x + step);
    store(v2, to, x + 2 * step);
    store(v3, to, x + 3 * step);
  }
}

// Any mask and any weight of votes, which are not worth a loop of their own each.
template <bool kSigned, bool kInterpolate>
void vote_row_masked(const VoteJob& job) {
  const auto step = static_cast<int>(hn::Lanes(Floats()));
  const Constants constants(job.params, job.pitch);
  for (int x = 0; x < job.count; x += step) {
    VoteSlopes best = masked_slopes(job, 0, x);
    for (int c = 1; c < job.channels; ++c) consider(masked_slopes(job, c, x), best);
    store(votes_of<kSigned, kInterpolate>(best, weighted(best.square, job.params), constants),
          job.votes, x);
  }
}

template <bool kSigned>
void vote_row_masked_of(const VoteJob& job) {
  if (job.params.interpolate) return vote_row_masked<kSigned, true>(job);
  return vote_row_masked<kSigned, false>(job);
}

template <bool kColor, bool kSigned>
void vote_row_of(const VoteJob& job) {
  if (job.params.interpolate) return vote_row_as<kColor, kSigned, true>(job);
  return vote_row_as<kColor, kSigned, false>(job);
}

void vote_row_simd(const VoteJob& job) {
  if (job.mask != GradientMask::kCentered || job.params.weight != VoteWeight::kMagnitude)
    return job.params.signed_angle ? vote_row_masked_of<true>(job) : vote_row_masked_of<false>(job);
  if (job.channels == 1)
    return job.params.signed_angle ? vote_row_of<false, true>(job) : vote_row_of<false, false>(job);
  return job.params.signed_angle ? vote_row_of<true, true>(job) : vote_row_of<true, false>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(vote_row_simd);
}  // namespace

void vote_row(const VoteJob& job) { HWY_DYNAMIC_DISPATCH(vote_row_simd)(job); }

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
