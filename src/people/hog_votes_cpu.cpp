// The votes of a row of pixels, a vector at a time: vote_of() of hog_math.h, operation by
// operation.
#include "people/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog_votes_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::ScalableTag<std::int32_t>;

struct Slopes {
  hn::Vec<Floats> dx, dy, square;
};

// Pointers to the rows around the one computed, in registers.
struct RowTriple {
  const float *above, *centre, *below;
};
template <bool kColour>
struct Rows {
  explicit Rows(const VoteJob& job)
      : first{job.above[0], job.centre[0], job.below[0]},
        second{job.above[1], job.centre[1], job.below[1]},
        third{job.above[2], job.centre[2], job.below[2]} {}
  RowTriple first, second, third;
};

// Pairs (low, high) of every lane, one after the other.
template <class Vector, class T>
HWY_INLINE void store_pairs(Vector low, Vector high, T* to) {
  const hn::ScalableTag<T> d;
  if constexpr (HWY_MAX_BYTES == 16) {  // zips are quicker than the interleaving store of NEON
    hn::StoreU(hn::InterleaveLower(d, low, high), d, to);
    hn::StoreU(hn::InterleaveUpper(d, low, high), d, to + hn::Lanes(d));
  } else {
    hn::StoreInterleaved2(low, high, d, to);
  }
}

HWY_INLINE Slopes slopes(const RowTriple& rows, int x) {
  const Floats d;
  const auto dx = hn::Sub(hn::LoadU(d, rows.centre + x + 1), hn::LoadU(d, rows.centre + x - 1));
  const auto dy = hn::Sub(hn::LoadU(d, rows.below + x), hn::LoadU(d, rows.above + x));
  return {dx, dy, hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy))};
}

HWY_INLINE void consider(const Slopes& other, Slopes& best) {
  const auto larger = hn::Gt(other.square, best.square);
  best.dx = hn::IfThenElse(larger, other.dx, best.dx);
  best.dy = hn::IfThenElse(larger, other.dy, best.dy);
  best.square = hn::Max(other.square, best.square);
}
template <bool kColour>
HWY_INLINE Slopes strongest(const Rows<kColour>& rows, int x) {
  Slopes best = slopes(rows.first, x);
  if constexpr (kColour) {
    consider(slopes(rows.second, x), best);
    consider(slopes(rows.third, x), best);
  }
  return best;
}

template <bool kSigned>
HWY_INLINE hn::Vec<Floats> angles(const Slopes& s, const VoteParams& p) {
  const Floats d;
  const auto ax = hn::Abs(s.dx), ay = hn::Abs(s.dy);
  const auto larger = hn::Max(hn::Max(ax, ay), hn::Set(d, 1e-30F));  // 0 / 1e-30 is 0 too
  const auto t = hn::Div(hn::Min(ax, ay), larger);
  const auto t2 = hn::Mul(t, t);
  auto q = hn::Set(d, p.atan[kAtanTerms - 1]);
  for (int k = kAtanTerms - 2; k >= 0; --k) q = hn::MulAdd(q, t2, hn::Set(d, p.atan[k]));
  q = hn::Mul(q, t);
  q = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, p.right_angle), q), q);
  const auto circle = hn::Set(d, p.circle);
  // A difference of floats is never -0, so that the sign bit says "below 0".
  if constexpr (!kSigned) return hn::IfNegativeThenElse(hn::Xor(s.dx, s.dy), hn::Sub(circle, q), q);
  q = hn::IfNegativeThenElse(s.dx, hn::Sub(hn::Set(d, p.half_turn), q), q);
  return hn::IfNegativeThenElse(s.dy, hn::Sub(circle, q), q);
}

template <bool kColour, bool kSigned, bool kInterpolate>
void vote_row_as(const VoteJob& job) {
  const Floats d;
  const Integers di;
  const auto step = static_cast<int>(hn::Lanes(d));
  const VoteParams p = job.params;  // copies: what is stored might overlap the originals
  const auto bins = hn::Set(di, p.bins), pitch = hn::Set(di, static_cast<std::int32_t>(job.pitch));
  const auto last = hn::Set(di, (p.bins - 1) * static_cast<std::int32_t>(job.pitch));
  auto* shares = reinterpret_cast<float*>(job.votes.shares);
  auto* places = reinterpret_cast<std::int32_t*>(job.votes.places);
  const Rows<kColour> rows(job);
  const int count = job.count;
  for (int x = 0; x < count; x += step) {
    const Slopes s = strongest<kColour>(rows, x);
    const auto magnitude = hn::Sqrt(s.square);
    const auto q = angles<kSigned>(s, p);
    if constexpr (kInterpolate) {
      const auto place = hn::Add(q, hn::Set(d, 0.5F));
      const auto n = hn::ConvertTo(di, place);
      const auto high = hn::Mul(magnitude, hn::Sub(place, hn::ConvertTo(d, n)));
      const auto at = hn::Mul(n, pitch);
      const auto low_at = hn::IfThenElse(hn::Eq(n, hn::Zero(di)), last, hn::Sub(at, pitch));
      const auto high_at = hn::IfThenZeroElse(hn::Eq(n, bins), at);
      store_pairs(hn::Sub(magnitude, high), high, shares + 2 * x);
      store_pairs(low_at, high_at, places + 2 * x);
    } else {
      const auto n = hn::ConvertTo(di, q);
      const auto at = hn::IfThenZeroElse(hn::Eq(n, bins), hn::Mul(n, pitch));
      store_pairs(hn::Zero(d), magnitude, shares + 2 * x);
      store_pairs(hn::Zero(di), at, places + 2 * x);
    }
  }
}

template <bool kColour, bool kSigned>
void vote_row_of(const VoteJob& job) {
  if (job.params.interpolate) return vote_row_as<kColour, kSigned, true>(job);
  return vote_row_as<kColour, kSigned, false>(job);
}

void vote_row_simd(const VoteJob& job) {
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
