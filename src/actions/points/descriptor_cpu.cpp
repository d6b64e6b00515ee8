// Votes of a cell, computed for some columns at a time: their sums stay in registers over all rows
// and frames.
#include "actions/points/descriptor_cpu.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "actions/points/descriptor_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::actions::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;

// Calls vote(x, y, sums) for vectors of a box's pixels, and adds the sums of its columns in order.
template <int kBins, class Vote>
HWY_INLINE void each_column(const VectorPlanes& planes, const CellBox& box, float* bins,
                            const Vote& vote) {
  const Floats d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::fill_n(bins, kBins, 0.0F);
  HWY_ALIGN float columns[hn::MaxLanes(Floats())];
  for (int x = box.x0; x <= box.x1; x += lanes) {
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
    for (int t = box.t0; t <= box.t1; ++t) {
      const auto frame = static_cast<std::size_t>(t);
      const float* px = planes.x[frame] + box.y0 * planes.stride + x;
      const float* py = planes.y[frame] + box.y0 * planes.stride + x;
      for (int y = box.y0; y <= box.y1; ++y, px += planes.stride, py += planes.stride)
        vote(hn::LoadU(d, px), hn::LoadU(d, py), s0, s1, s2, s3, s4);
    }
    const int count = std::min(lanes, box.x1 - x + 1);
    const auto put = [&](V sums, float& bin) HWY_ATTR {
      hn::Store(sums, d, columns);
      for (int i = 0; i < count; ++i) bin += columns[i];
    };
    put(s0, bins[0]);
    put(s1, bins[1]);
    put(s2, bins[2]);
    put(s3, bins[3]);
    if constexpr (kBins > 4) put(s4, bins[4]);
  }
}

void gradient_votes(const VectorPlanes& planes, const CellBox& box, float* bins) {
  const Floats d;
  const V tan22 = hn::Set(d, kTan22), zero = hn::Zero(d);
  each_column<kHogBins>(planes, box, bins, [&](V x, V y, V& s0, V& s1, V& s2, V& s3, V&) HWY_ATTR {
    const V length = hn::Sqrt(hn::MulAdd(x, x, hn::Mul(y, y)));
    const V ax = hn::Abs(x), ay = hn::Abs(y);
    const auto flat = hn::Lt(ay, hn::Mul(tan22, ax));
    const auto steep = hn::AndNot(flat, hn::Lt(ax, hn::Mul(tan22, ay)));
    const auto same = hn::Not(hn::Xor(hn::Lt(x, zero), hn::Lt(y, zero)));
    const V slanted = hn::IfThenZeroElse(hn::Or(flat, steep), length);
    s0 = hn::Add(s0, hn::IfThenElseZero(flat, length));
    s1 = hn::Add(s1, hn::IfThenElseZero(same, slanted));
    s2 = hn::Add(s2, hn::IfThenElseZero(steep, length));
    s3 = hn::Add(s3, hn::IfThenZeroElse(same, slanted));
  });
}

void flow_votes(const VectorPlanes& planes, const CellBox& box, FlowVoting voting, float* bins) {
  const Floats d;
  const bool by_length = voting.votes == FlowVotes::kMagnitude;
  const V still2 = hn::Set(d, voting.still * voting.still), zero = hn::Zero(d);
  const V still_vote = hn::Set(d, by_length ? voting.still : 1.0F), one = hn::Set(d, 1.0F);
  each_column<kHofBins>(
      planes, box, bins, [&](V u, V v, V& s0, V& s1, V& s2, V& s3, V& s4) HWY_ATTR {
        const V length2 = hn::MulAdd(u, u, hn::Mul(v, v));
        const auto still = hn::Lt(length2, still2);
        const V vote = hn::IfThenZeroElse(still, by_length ? hn::Sqrt(length2) : one);
        const V left = hn::IfThenElseZero(hn::Lt(u, zero), vote);
        const V right = hn::IfThenZeroElse(hn::Lt(u, zero), vote);
        const auto up = hn::Lt(v, zero);
        s0 = hn::Add(s0, hn::IfThenElseZero(still, still_vote));
        s1 = hn::Add(s1, hn::IfThenZeroElse(up, right));
        s2 = hn::Add(s2, hn::IfThenZeroElse(up, left));
        s3 = hn::Add(s3, hn::IfThenElseZero(up, left));
        s4 = hn::Add(s4, hn::IfThenElseZero(up, right));
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::actions::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::actions::cpu {

HWY_EXPORT(gradient_votes);
HWY_EXPORT(flow_votes);

void gradient_votes(const VectorPlanes& planes, const CellBox& box, float* bins) {
  HWY_DYNAMIC_DISPATCH(gradient_votes)(planes, box, bins);
}
void flow_votes(const VectorPlanes& planes, const CellBox& box, FlowVoting voting, float* bins) {
  HWY_DYNAMIC_DISPATCH(flow_votes)(planes, box, voting, bins);
}

}  // namespace fovea::actions::cpu
#endif
