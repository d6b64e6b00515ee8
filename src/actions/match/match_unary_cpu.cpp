// Distances between the features of all lanes of a group and of all points of a scene. This is like
// a matrix product with squared differences, computed for some rows and vectors at a time, so that
// each number that is loaded is used several times.
#include "actions/match/match_group.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "actions/match/match_unary_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::actions::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, LaneGroup::kRound>;
using V = hn::Vec<D>;

// As many sums as fit into registers.
constexpr int kRows = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 2 : 6;
constexpr int kVectors = 4;

template <int kHeight, int kWide>
HWY_INLINE void tile(const LaneGroup& group, const float* const* rows, float weight, int lane,
                     float* costs) {
  const D d;
  const int step = static_cast<int>(hn::Lanes(d));
  V sums[kHeight][kWide];
  for (auto& row : sums)
    for (V& sum : row) sum = hn::Zero(d);
  const float* values = group.values.data() + lane;
  for (int k = 0; k < group.features; ++k, values += group.lanes) {
    V model[kWide];
    for (int v = 0; v < kWide; ++v) model[v] = hn::LoadU(d, values + v * step);
    for (int r = 0; r < kHeight; ++r) {
      const V scene = hn::Set(d, rows[r][k]);
      for (int v = 0; v < kWide; ++v) {
        const V difference = hn::Sub(model[v], scene);
        sums[r][v] = hn::MulAdd(difference, difference, sums[r][v]);
      }
    }
  }
  for (int r = 0; r < kHeight; ++r)
    for (int v = 0; v < kWide; ++v)
      hn::StoreU(hn::Mul(hn::Set(d, weight), hn::Sqrt(sums[r][v])), d,
                 costs + static_cast<std::size_t>(r) * group.lanes + lane + v * step);
}

template <int kHeight>
HWY_INLINE void band(const LaneGroup& group, const float* const* rows, float weight, float* costs) {
  const int step = static_cast<int>(hn::Lanes(D()));
  int lane = 0;
  for (; lane + kVectors * step <= group.lanes; lane += kVectors * step)
    tile<kHeight, kVectors>(group, rows, weight, lane, costs);
  for (; lane < group.lanes; lane += step) tile<kHeight, 1>(group, rows, weight, lane, costs);
}

void all_rows(const LaneGroup& group, ImageView<const float> features, float weight, float* costs) {
  for (int y = 0; y < features.height; y += kRows) {
    float* const out = costs + static_cast<std::size_t>(y) * group.lanes;
    const float* rows[kRows];
    for (int r = 0; r < kRows && y + r < features.height; ++r) rows[r] = features.row(y + r);
    if (y + kRows <= features.height) {
      band<kRows>(group, rows, weight, out);
    } else {
      for (int r = 0; y + r < features.height; ++r)
        band<1>(group, rows + r, weight, out + static_cast<std::size_t>(r) * group.lanes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::actions::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::actions::cpu {
namespace {

HWY_EXPORT(all_rows);

}  // namespace

void unary_costs(const LaneGroup& group, ImageView<const float> features, float weight,
                 float* costs) {
  HWY_DYNAMIC_DISPATCH(all_rows)(group, features, weight, costs);
}

}  // namespace fovea::actions::cpu
#endif  // HWY_ONCE
