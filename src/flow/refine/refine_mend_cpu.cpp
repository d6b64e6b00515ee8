// The weighted median that ends the refinement. It is found by bisection of the range of the flow
// around a pixel, so that vectors of pixels are worked on alike.
#include <algorithm>

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
constexpr int kSide = 2 * refine::kMendRadius + 1;

// Calls body with the rows' index, the place in a row and the number of each of the taps.
template <class Body>
HWY_INLINE void for_taps(int x, const Body& body) {
  for (int j = 0, k = 0; j < kSide; ++j)
    for (int i = 0; i < kSide; ++i, ++k) body(j, x + i - refine::kMendRadius, k);
}

// The range of one component, and its middle in the end.
struct Bracket {
  V low, high;
  HWY_INLINE V middle() const { return hn::Mul(hn::Add(low, high), hn::Set(D(), 0.5F)); }
  HWY_INLINE void narrow(V at, V below, V half) {
    const auto reached = hn::Ge(below, half);
    high = hn::IfThenElse(reached, at, high);
    low = hn::IfThenElse(reached, low, at);
  }
};
HWY_INLINE Bracket range_of(const std::array<const float*, kSide>& rows, int x) {
  const D d;
  Bracket range{hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[0] + x)};
  for_taps(x, [&](int j, int at, int) {
    const V value = hn::LoadU(d, rows[j] + at);
    range.low = hn::Min(range.low, value);
    range.high = hn::Max(range.high, value);
  });
  return range;
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

void mend_row(const MendRows& rows, int width, float* HWY_RESTRICT out_u,
              float* HWY_RESTRICT out_v) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  HWY_ALIGN float shares[refine::kMendTaps * 16];
  const V least = hn::Set(d, refine::kMendRange);
  for (int x = 0; x < width; x += lanes) {
    const V u = hn::LoadU(d, rows.u[refine::kMendRadius] + x);
    const V v = hn::LoadU(d, rows.v[refine::kMendRadius] + x);
    Bracket along = range_of(rows.u, x), down = range_of(rows.v, x);
    const auto flat_u = hn::Lt(hn::Sub(along.high, along.low), least);
    const auto flat_v = hn::Lt(hn::Sub(down.high, down.low), least);
    if (hn::AllTrue(d, hn::And(flat_u, flat_v))) {
      hn::StoreU(u, d, out_u + x);
      hn::StoreU(v, d, out_v + x);
      continue;
    }
    const V half = find_shares(rows, x, shares);
    for (int step = 0; step < refine::kMendSteps; ++step) {
      const V at_u = along.middle(), at_v = down.middle();
      V below_u = hn::Zero(d), below_v = hn::Zero(d);
      for_taps(x, [&](int j, int at, int k) {
        const V share = hn::Load(d, shares + k * lanes);
        below_u =
            hn::Add(below_u, hn::IfThenElseZero(hn::Le(hn::LoadU(d, rows.u[j] + at), at_u), share));
        below_v =
            hn::Add(below_v, hn::IfThenElseZero(hn::Le(hn::LoadU(d, rows.v[j] + at), at_v), share));
      });
      along.narrow(at_u, below_u, half);
      down.narrow(at_v, below_v, half);
    }
    hn::StoreU(hn::IfThenElse(flat_u, u, along.middle()), d, out_u + x);
    hn::StoreU(hn::IfThenElse(flat_v, v, down.middle()), d, out_v + x);
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
