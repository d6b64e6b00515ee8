// The weighted median that ends the refinement. It is found by bisection of the range of the flow
// around a pixel, so that vectors of pixels are worked on alike; the result is one of the taps.
#include <algorithm>
#include <cfloat>

#include "flow/refine/refine_cpu.h"
#include "flow/refine/refine_math.h"
#include "flow/refine/refine_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/refine/refine_mend_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
using refine::kMendSide;

// Calls body with the rows' index, the place in a row and the number of each of the taps.
template <class Body>
HWY_INLINE void for_taps(int x, const Body& body) {
  for (int j = 0, k = 0; j < kMendSide; ++j)
    for (int i = 0; i < kMendSide; ++i, ++k) body(j, x + i - refine::kMendRadius, k);
}

// refine::MendBracket of vectors of pixels.
struct Bracket {
  V low, high, under;
  template <class M>
  HWY_INLINE void take(V value, M counts) {
    low = hn::IfThenElse(hn::And(counts, hn::Lt(value, low)), value, low);
    high = hn::IfThenElse(hn::And(counts, hn::Gt(value, high)), value, high);
  }
  HWY_INLINE auto flat() const {
    return hn::Lt(hn::Sub(high, low), hn::Set(D(), refine::kMendRange));
  }
  HWY_INLINE V middle() const { return hn::Mul(hn::Add(low, high), hn::Set(D(), 0.5F)); }
  HWY_INLINE void narrow(V at, V below, V half) {
    const auto reached = hn::Ge(below, half);
    high = hn::IfThenElse(reached, at, high);
    low = hn::IfThenElse(reached, low, at);
    under = hn::IfThenElse(reached, under, at);
  }
};
// The brackets of both components.
struct Brackets {
  Bracket u, v;
};
using Taps = std::array<const float*, kMendSide>;

// Whether a component stays at all pixels from x on, whatever the shares of the taps.
HWY_INLINE bool all_flat(const Taps& rows, int x) {
  const D d;
  V low = hn::LoadU(d, rows[0] + x), high = low;
  for_taps(x, [&](int j, int at, int) {
    const V value = hn::LoadU(d, rows[j] + at);
    low = hn::Min(low, value);
    high = hn::Max(high, value);
  });
  return hn::AllTrue(d, hn::Lt(hn::Sub(high, low), hn::Set(d, refine::kMendRange)));
}

// refine::mend_share() of all taps around the pixels from x on. Returns half of their sum.
HWY_INLINE V find_shares(const MendRows& rows, int x, float* HWY_RESTRICT shares) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V one = hn::Set(d, 1.0F), per_gray = hn::Set(d, refine::kMendGray), none = hn::Zero(d);
  const V gray = hn::LoadU(d, rows.gray[refine::kMendRadius] + x);
  const auto counts = hn::Gt(hn::LoadU(d, rows.weight[refine::kMendRadius] + x), none);
  V sum = none;
  for_taps(x, [&](int j, int at, int k) {
    const V difference = hn::Sub(hn::LoadU(d, rows.gray[j] + at), gray);
    const V z = hn::Add(one, hn::Mul(hn::Mul(difference, difference), per_gray));
    const V there = hn::LoadU(d, rows.weight[j] + at);
    const V share = hn::IfThenZeroElse(hn::Xor(counts, hn::Gt(there, none)),
                                       hn::Div(hn::Abs(there), hn::Mul(z, z)));
    hn::Store(share, d, shares + k * lanes);
    sum = hn::Add(sum, share);
  });
  return hn::Mul(sum, hn::Set(d, 0.5F));
}

// The taps around the pixels from x on, their shares and half of the sum of these.
struct MendTaps {
  const MendRows& rows;
  const float* shares;
  int x;
  V half;
  template <class Body>
  HWY_INLINE void for_each(const Body& body) const {
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for_taps(x, [&](int j, int at, int k) {
      body(hn::LoadU(d, rows.u[j] + at), hn::LoadU(d, rows.v[j] + at),
           hn::Load(d, shares + k * lanes));
    });
  }
};
HWY_INLINE Brackets ranges_of(const MendTaps& taps) {
  const V most = hn::Set(D(), FLT_MAX), least = hn::Neg(most);
  Brackets out{{most, least, least}, {most, least, least}};
  taps.for_each([&](V u, V v, V share) {
    const auto counts = hn::Gt(share, hn::Zero(D()));
    out.u.take(u, counts);
    out.v.take(v, counts);
  });
  return out;
}
HWY_INLINE void bisect(const MendTaps& taps, Brackets& now) {
  for (int step = 0; step < refine::kMendSteps; ++step) {
    const V at_u = now.u.middle(), at_v = now.v.middle();
    V below_u = hn::Zero(D()), below_v = below_u;
    taps.for_each([&](V u, V v, V share) {
      below_u = hn::Add(below_u, hn::IfThenElseZero(hn::Le(u, at_u), share));
      below_v = hn::Add(below_v, hn::IfThenElseZero(hn::Le(v, at_v), share));
    });
    now.u.narrow(at_u, below_u, taps.half);
    now.v.narrow(at_v, below_v, taps.half);
  }
}
// The least taps above `under`, whose share is above 0.
struct Least {
  V u, v;
};
HWY_INLINE Least least_taps(const MendTaps& taps, const Brackets& in) {
  const V most = hn::Set(D(), FLT_MAX);
  Least least{most, most};
  const auto take = [](V value, V under, auto counts, V& to) {
    const auto less = hn::And(hn::Gt(value, under), hn::Lt(value, to));
    to = hn::IfThenElse(hn::And(counts, less), value, to);
  };
  taps.for_each([&](V u, V v, V share) {
    const auto counts = hn::Gt(share, hn::Zero(D()));
    take(u, in.u.under, counts, least.u);
    take(v, in.v.under, counts, least.v);
  });
  return least;
}

void mend_row(const MendRows& rows, int width, float* HWY_RESTRICT out_u,
              float* HWY_RESTRICT out_v) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  HWY_ALIGN float shares[refine::kMendTaps * 16];
  for (int x = 0; x < width; x += lanes) {
    const V u = hn::LoadU(d, rows.u[refine::kMendRadius] + x);
    const V v = hn::LoadU(d, rows.v[refine::kMendRadius] + x);
    if (all_flat(rows.u, x) && all_flat(rows.v, x)) {
      hn::StoreU(u, d, out_u + x);
      hn::StoreU(v, d, out_v + x);
      continue;
    }
    const V half = find_shares(rows, x, shares);
    const MendTaps taps{rows, shares, x, half};
    Brackets brackets = ranges_of(taps);
    const auto flat_u = brackets.u.flat(), flat_v = brackets.v.flat();
    bisect(taps, brackets);
    const Least least = least_taps(taps, brackets);
    hn::StoreU(hn::IfThenElse(flat_u, u, least.u), d, out_u + x);
    hn::StoreU(hn::IfThenElse(flat_v, v, least.v), d, out_v + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(mend_row);

constexpr int kMendRows = 16;  // rows that a thread works on at a time

void repeat_sides(float* row, int width) {
  std::fill_n(row - refine::kMendRadius, refine::kMendRadius, row[0]);
  std::fill_n(row + width, refine::kMendRadius, row[width - 1]);
}

// refine::mend_weight() of the pixels of a row.
void weigh_row(const RefineRequest& request, const Field& field, RefineSpace& space, int y) {
  const int width = field.u.width(), height = field.u.height();
  const float* u = field.u.row(y);
  const float* above = field.v.row(std::max(y - 1, 0));
  const float* below = field.v.row(std::min(y + 1, height - 1));
  const float *error = space.difference.row(y), *valid = space.valid.row(y);
  const std::uint8_t* counts = request.first.masked() ? request.first.mask.row(y) : nullptr;
  float* weight = space.mean.row(y);
  for (int x = 0; x < width; ++x) {
    const float across = u[std::min(x + 1, width - 1)] - u[std::max(x - 1, 0)];
    weight[x] = refine::mend_weight((across + (below[x] - above[x])) * 0.5F, error[x], valid[x],
                                    counts == nullptr || counts[x] != 0);
  }
  repeat_sides(weight, width);
}

}  // namespace

void mend_level(const RefineRequest& request, Field& field, RefineSpace& space, const Exec& exec) {
  const int width = field.u.width(), height = field.u.height();
  parallel_for(exec, height, kMendRows, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      weigh_row(request, field, space, y);
      repeat_sides(field.u.row(y), width);
      repeat_sides(field.v.row(y), width);
    }
  });
  parallel_for(exec, height, kMendRows, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      MendRows rows{};
      for (int j = 0; j < static_cast<int>(rows.u.size()); ++j) {
        const int at = lk::clamped(y + j - refine::kMendRadius, height);
        const auto k = static_cast<std::size_t>(j);
        rows.u[k] = field.u.row(at);
        rows.v[k] = field.v.row(at);
        rows.gray[k] = request.first.gray.row(at);
        rows.weight[k] = space.mean.row(at);
      }
      HWY_DYNAMIC_DISPATCH(mend_row)(rows, width, space.median.u.row(y), space.median.v.row(y));
    }
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
