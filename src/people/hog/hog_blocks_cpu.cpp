// From votes to blocks: votes are added to the histograms of a row, rows are spread down, and
// finished blocks are normalized.
#include "people/hog/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog/hog_blocks_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Roles = hn::FixedTag<float, RoleClasses::kLanes>;

// Pixels of one class are consecutive, so that no histogram is read while it is being written, and
// their weights stay in a register.
template <bool kInterpolate, class D>
void scatter_class(D d, const ScatterJob& job, int q, const float* weights, float* roles) {
  const auto weight = hn::LoadU(d, weights);
  const int period = job.classes.period, step = job.classes.step, count = job.count;
  const SharePair* shares = job.votes.shares;
  const std::int32_t* places = job.votes.places;
  const std::ptrdiff_t pitch = job.pitch;
  for (int x = q; x < count; x += period, roles += step) {
    float* low = roles + places[x];
    float* high = low + pitch;
    const auto sum_high = hn::MulAdd(weight, hn::Set(d, shares[x].high), hn::LoadU(d, high));
    if constexpr (kInterpolate) {
      const auto sum_low = hn::MulAdd(weight, hn::Set(d, shares[x].low), hn::LoadU(d, low));
      hn::StoreU(sum_low, d, low);
    }
    hn::StoreU(sum_high, d, high);
  }
}

void add_plane(const float* from, float* to, std::ptrdiff_t count) {
  const Roles d;
  for (std::ptrdiff_t i = 0; i < count; i += RoleClasses::kLanes)
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
}

template <class D>
void scatter_classes(D d, const ScatterJob& job) {
  const RoleClasses& classes = job.classes;
  const float* weights = classes.weights.data();
  for (int q = 0; q < classes.period; ++q) {
    float* roles = job.roles + classes.first[q];
    for (int chunk = 0; chunk < classes.chunks; ++chunk) {
      if (job.interpolate) scatter_class<true>(d, job, q, weights, roles);
      else scatter_class<false>(d, job, q, weights, roles);
      weights += RoleClasses::kLanes;
      roles += RoleClasses::kLanes;
    }
  }
}

void scatter_row_simd(const ScatterJob& job) {
  const RoleClasses& classes = job.classes;
  // Whole vectors of single roles would overlap those of their neighbors, which would then have to
  // wait.
  if (classes.single) scatter_classes(hn::CappedTag<float, 1>(), job);
  else scatter_classes(Roles(), job);
  float* planes = job.roles - classes.margin;
  const std::ptrdiff_t pitch = job.pitch, bins = job.bins;
  add_plane(planes, planes + bins * pitch, pitch);
  add_plane(planes + (bins + 1) * pitch, planes + pitch, pitch);
}

template <int kRows, int kTargets>
void spread(const SpreadJob& job, int first_row, const SpreadTarget* targets) {
  const Floats d;
  const auto step = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < job.count; i += step) {
    hn::Vec<Floats> rows[kRows];
    for (int k = 0; k < kRows; ++k) rows[k] = hn::LoadU(d, job.rows[first_row + k] + i);
    for (int t = 0; t < kTargets; ++t) {
      auto sum = hn::LoadU(d, targets[t].sums + i);
      for (int k = 0; k < kRows; ++k)
        sum = hn::MulAdd(hn::Set(d, targets[t].weight[first_row + k]), rows[k], sum);
      hn::StoreU(sum, d, targets[t].sums + i);
    }
  }
}

template <int kTargets>
void spread_to(const SpreadJob& job, const SpreadTarget* targets) {
  if (job.row_count == 4) return spread<4, kTargets>(job, 0, targets);
  for (int row = 0; row < job.row_count; ++row) spread<1, kTargets>(job, row, targets);
}

void spread_rows_simd(const SpreadJob& job) {
  const SpreadTarget* target = job.targets.data();
  auto left = job.targets.size();
  for (; left >= 3; left -= 3, target += 3) spread_to<3>(job, target);
  if (left == 2) spread_to<2>(job, target);
  if (left == 1) spread_to<1>(job, target);
}

constexpr auto kColumns = static_cast<std::size_t>(kNormColumns);

// Every stride-th number, beginning at `from`.
HWY_INLINE void load_columns(const float* from, int stride, float* HWY_RESTRICT to) {
  const Floats d;
  const auto lanes = hn::Lanes(d);
  if (stride == 1) {
    for (std::size_t k = 0; k < kColumns; k += lanes) hn::StoreU(hn::LoadU(d, from + k), d, to + k);
  } else if (stride == 2) {
    for (std::size_t k = 0; k < kColumns; k += lanes)
      hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, from + 2 * k + lanes), hn::LoadU(d, from + 2 * k)),
                 d, to + k);
  } else {
    for (int k = 0; k < kNormColumns; ++k) to[k] = from[k * stride];
  }
}

// Sums over the numbers of each block, in their order; several vectors at a time hide the latency.
template <class Add>
HWY_INLINE void sum_blocks(const float* raw, std::size_t numbers, float* sums, Add add) {
  const Floats d;
  const auto lanes = hn::Lanes(d);
  constexpr std::size_t kSide = 4;
  for (std::size_t k = 0; k < kColumns; k += kSide * lanes) {
    hn::Vec<Floats> sum[kSide];
    const std::size_t side = HWY_MIN(kSide, (kColumns - k) / lanes);
    for (std::size_t v = 0; v < kSide; ++v) sum[v] = hn::Zero(d);
    for (std::size_t e = 0; e < numbers; ++e) {
      const float* row = raw + e * kColumns + k;
      if (side == kSide) {
        for (std::size_t v = 0; v < kSide; ++v) sum[v] = add(sum[v], hn::LoadU(d, row + v * lanes));
      } else {
        for (std::size_t v = 0; v < side; ++v) sum[v] = add(sum[v], hn::LoadU(d, row + v * lanes));
      }
    }
    for (std::size_t v = 0; v < side; ++v) hn::StoreU(sum[v], d, sums + k + v * lanes);
  }
}

template <BlockNorm kNorm>
void normalize_group(const NormJob& job, float* HWY_RESTRICT raw, int first) {
  const Floats d;
  const auto lanes = hn::Lanes(d);
  const std::size_t numbers = job.sources.size();
  for (std::size_t e = 0; e < numbers; ++e)
    load_columns(job.sources[e] + static_cast<std::ptrdiff_t>(first) * job.stride, job.stride,
                 raw + e * kColumns);
  constexpr bool kSquares = kNorm == BlockNorm::kL2 || kNorm == BlockNorm::kL2Hys;
  const auto add_square = [](auto sum, auto v) HWY_ATTR { return hn::MulAdd(v, v, sum); };
  const auto add_value = [](auto sum, auto v) HWY_ATTR { return hn::Add(sum, v); };
  HWY_ALIGN float sums[kColumns];
  if constexpr (kSquares) sum_blocks(raw, numbers, sums, add_square);
  else sum_blocks(raw, numbers, sums, add_value);

  const auto one = hn::Set(d, 1.0F), clip = hn::Set(d, job.params.clip);
  for (std::size_t k = 0; k < kColumns; k += lanes) {
    auto sum = hn::LoadU(d, sums + k);
    if constexpr (kSquares) sum = hn::Sqrt(sum);
    if constexpr (kNorm == BlockNorm::kNone) sum = hn::Zero(d);
    const auto scale = hn::Div(one, hn::Add(sum, hn::Set(d, job.params.least)));
    for (std::size_t e = 0; e < numbers; ++e) {
      auto value = hn::Mul(hn::LoadU(d, raw + e * kColumns + k), scale);
      if constexpr (kNorm == BlockNorm::kL1Sqrt) value = hn::Sqrt(value);
      if constexpr (kNorm == BlockNorm::kL2Hys)
        hn::StoreU(hn::Min(value, clip), d, raw + e * kColumns + k);
      else
        hn::StoreU(value, d, job.out + static_cast<std::ptrdiff_t>(e) * job.out_pitch + first + k);
    }
  }
  if constexpr (kNorm != BlockNorm::kL2Hys) return;
  sum_blocks(raw, numbers, sums, add_square);
  for (std::size_t k = 0; k < kColumns; k += lanes) {
    const auto length = hn::Sqrt(hn::LoadU(d, sums + k));
    const auto scale = hn::Div(one, hn::Add(length, hn::Set(d, kLeastClipped)));
    for (std::size_t e = 0; e < numbers; ++e)
      hn::StoreU(hn::Mul(hn::LoadU(d, raw + e * kColumns + k), scale), d,
                 job.out + static_cast<std::ptrdiff_t>(e) * job.out_pitch + first + k);
  }
}

template <BlockNorm kNorm>
void normalize_groups(const NormJob& job, float* raw) {
  for (int first = 0; first < job.columns; first += kNormColumns)
    normalize_group<kNorm>(job, raw, first);
}

void normalize_row_simd(const NormJob& job, float* raw) {
  switch (job.params.norm) {
    case BlockNorm::kL2: return normalize_groups<BlockNorm::kL2>(job, raw);
    case BlockNorm::kL2Hys: return normalize_groups<BlockNorm::kL2Hys>(job, raw);
    case BlockNorm::kL1: return normalize_groups<BlockNorm::kL1>(job, raw);
    case BlockNorm::kL1Sqrt: return normalize_groups<BlockNorm::kL1Sqrt>(job, raw);
    case BlockNorm::kNone: return normalize_groups<BlockNorm::kNone>(job, raw);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <vector>

namespace fovea::people::cpu {
namespace {
HWY_EXPORT(scatter_row_simd);
HWY_EXPORT(spread_rows_simd);
HWY_EXPORT(normalize_row_simd);
}  // namespace

void scatter_row(const ScatterJob& job) { HWY_DYNAMIC_DISPATCH(scatter_row_simd)(job); }
void spread_rows(const SpreadJob& job) { HWY_DYNAMIC_DISPATCH(spread_rows_simd)(job); }
void normalize_row(const NormJob& job) {
  std::vector<float> raw(job.sources.size() * kNormColumns);
  HWY_DYNAMIC_DISPATCH(normalize_row_simd)(job, raw.data());
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
