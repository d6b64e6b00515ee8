// Rows of the trellis, computed for as many lanes at a time as fit into a few vectors, with the
// arithmetic of match_math.h.
#include "actions/match/match_row.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "actions/match/match_row_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::actions::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, LaneGroup::kRound>;
using DI = hn::RebindToSigned<D>;
using DH = hn::Rebind<std::uint16_t, D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

HWY_INLINE V wrapped(V turns) { return hn::Sub(turns, hn::Round(turns)); }

// Computes kVectors vectors from lane n.
template <int kVectors>
HWY_INLINE void lanes_from(const RowWork& work, int n) {
  const D d;
  const DI di;
  const DH dh;
  const int step = static_cast<int>(hn::Lanes(d));
  const LaneGroup& group = *work.group;
  V middle[kVectors], last[kVectors], best[kVectors];
  VI who[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const int lane = n + v * step;
    middle[v] = hn::LoadU(d, group.at_middle.data() + lane);
    last[v] = hn::LoadU(d, group.at_last.data() + lane);
    best[v] = hn::Add(hn::LoadU(d, work.unary_middle + lane - 1),
                      hn::LoadU(d, group.second.data() + lane));
    who[v] = hn::Set(di, detail::kNobody);
  }
  const V weight = hn::Set(d, work.terms->angles);
  for (const RowCandidate* c = work.candidates; c != work.candidates + work.count; ++c) {
    const V scene_middle = hn::Set(d, c->bends.at_middle);
    const V scene_last = hn::Set(d, c->bends.at_last);
    const VI this_one = hn::Set(di, c->who);
    const float* states = c->states + n;
    for (int v = 0; v < kVectors; ++v) {
      const V x = wrapped(hn::Sub(middle[v], scene_middle));
      const V y = wrapped(hn::Sub(last[v], scene_last));
      const V bend = hn::Sqrt(hn::MulAdd(y, y, hn::Mul(x, x)));
      const V energy = hn::MulAdd(weight, bend, hn::LoadU(d, states + v * step));
      const auto better = hn::Lt(energy, best[v]);
      best[v] = hn::IfThenElse(better, energy, best[v]);
      who[v] = hn::IfThenElse(hn::RebindMask(di, better), this_one, who[v]);
    }
  }
  const V gap = hn::Set(d, work.gap), time_weight = hn::Set(d, work.terms->time);
  for (int v = 0; v < kVectors; ++v) {
    const int lane = n + v * step;
    if (work.least != nullptr) {
      const V energy = hn::LoadU(d, work.least + lane);
      const VI other = hn::LoadU(di, work.who + lane);
      const auto earlier =
          hn::And(hn::Eq(energy, best[v]), hn::RebindMask(d, hn::Lt(other, who[v])));
      const auto better = hn::Or(hn::Lt(energy, best[v]), earlier);
      best[v] = hn::IfThenElse(better, energy, best[v]);
      who[v] = hn::IfThenElse(hn::RebindMask(di, better), other, who[v]);
    }
    const V time =
        hn::Mul(time_weight, hn::Abs(hn::Sub(hn::LoadU(d, group.gaps.data() + lane), gap)));
    const V here =
        hn::Add(hn::LoadU(d, work.unary_last + lane), hn::LoadU(d, group.closed.data() + lane));
    const V energy =
        hn::Add(hn::Add(here, hn::Mul(time, hn::LoadU(d, group.timed.data() + lane))), best[v]);
    hn::StoreU(energy, d, work.energies + lane);
    hn::StoreU(hn::Add(energy, time), d, work.states + lane + 1);
    hn::StoreU(hn::DemoteTo(dh, who[v]), dh, work.back + lane);
  }
}

void row(const RowWork& work) {
  const D d;
  // Four vectors make the cost of broadcasting a candidate small; with 16 registers there is room
  // for two.
  constexpr int kMost = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 2 : 4;
  const int step = static_cast<int>(hn::Lanes(d));
  int n = 0;
  for (; n + kMost * step <= work.group->lanes; n += kMost * step) lanes_from<kMost>(work, n);
  for (; n < work.group->lanes; n += step) lanes_from<1>(work, n);
}

void take(const float* row, std::int32_t who, int lanes, float* least, std::int32_t* whose) {
  const D d;
  const DI di;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int n = 0; n < lanes; n += step) {
    const V other = hn::LoadU(d, row + n), now = hn::LoadU(d, least + n);
    const auto better = hn::Le(other, now);
    hn::StoreU(hn::IfThenElse(better, other, now), d, least + n);
    hn::StoreU(
        hn::IfThenElse(hn::RebindMask(di, better), hn::Set(di, who), hn::LoadU(di, whose + n)), di,
        whose + n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::actions::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::actions::cpu {
namespace {

HWY_EXPORT(row);
HWY_EXPORT(take);

}  // namespace

void make_row(const RowWork& work) { HWY_DYNAMIC_DISPATCH(row)(work); }
void take_not_greater(const float* row, std::int32_t who, int lanes, float* least,
                      std::int32_t* whose) {
  HWY_DYNAMIC_DISPATCH(take)(row, who, lanes, least, whose);
}

}  // namespace fovea::actions::cpu
#endif  // HWY_ONCE
