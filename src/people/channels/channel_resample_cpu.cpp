// Resamples the channels of a level from those of another: bilinearly, with the correction for
// scale in the weights of the rows. Rows come first, over all channels at once; then columns,
// sixteen at a time, by table look-ups that all channels and rows share.
#include <algorithm>
#include <array>
#include <vector>

#include "core/parallel.h"
#include "people/channels/channel_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/channels/channel_resample_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// Outside the part that is compiled once per target.
#ifndef FOVEA_CHANNEL_RESAMPLE_JOB
#define FOVEA_CHANNEL_RESAMPLE_JOB
namespace fovea::people::detail {

constexpr int kGroup = 16;
constexpr int kAbsent = 0x80;  // a look-up of this gives 0

// Sixteen neighboring columns, whose cells lie within 32 of `base` unless the step is above 1.9.
struct ColumnGroup {
  std::int32_t base;
  bool near;
  std::array<std::uint8_t, kGroup> lookup_low;   // index in the sixteen cells from base on
  std::array<std::uint8_t, kGroup> lookup_high;  // index in the next sixteen
  std::array<std::uint8_t, kGroup> share;        // share of the right cell, in 128ths
};

inline std::vector<ColumnGroup> column_groups(const CellPlacement& placement, int from, int to) {
  std::vector<ColumnGroup> groups;
  for (int x = 0; x < to; x += kGroup) {
    ColumnGroup group{
        cell_tap(placement.first_x + x * placement.step_x, from).index, true, {}, {}, {}};
    for (int i = 0; i < kGroup; ++i) {
      const int column = std::min(x + i, to - 1);
      const CellTap tap = cell_tap(placement.first_x + column * placement.step_x, from);
      const int place = tap.index - group.base;
      group.near = group.near && place < 2 * kGroup;
      group.lookup_low[i] = static_cast<std::uint8_t>(place < kGroup ? place : kAbsent);
      group.lookup_high[i] =
          static_cast<std::uint8_t>(place >= kGroup ? (place - kGroup) & 15 : kAbsent);
      group.share[i] = static_cast<std::uint8_t>(tap.share);
    }
    groups.push_back(group);
  }
  return groups;
}

// Rows [first, last).
struct ChannelResampleJob {
  const ChannelCells* from;
  ChannelCells* to;
  const CellPlacement* placement;
  const std::vector<ColumnGroup>* groups;
  int first, last;
};

}  // namespace fovea::people::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::FixedTag<std::uint8_t, 16>;
// As many lanes as the machine has room for, but at most as many as there are bytes.
using Shorts = hn::CappedTag<std::uint16_t, 16>;
using FewBytes = hn::Rebind<std::uint8_t, Shorts>;

HWY_INLINE hn::Vec<FewBytes> weighed(hn::Vec<FewBytes> a, hn::Vec<FewBytes> b,
                                     hn::Vec<FewBytes> share_a, hn::Vec<FewBytes> share_b) {
  const Shorts d;
  const hn::Rebind<std::int16_t, Shorts> narrowing;
  // The shares of rows add up to less than 2 * 128, so that a sum fits into 16 bits.
  const auto sum = hn::Add(hn::Mul(hn::PromoteTo(d, a), hn::PromoteTo(d, share_a)),
                           hn::Mul(hn::PromoteTo(d, b), hn::PromoteTo(d, share_b)));
  const auto half = hn::Set(d, 1 << (channels::kShareBits - 1));
  const auto value = hn::ShiftRight<channels::kShareBits>(hn::Add(sum, half));
  return hn::DemoteTo(FewBytes(), hn::BitCast(narrowing, value));
}

template <class V>
HWY_INLINE V weighed16(V a, V b, V share_a, V share_b) {
  if constexpr (HWY_MAX_BYTES >= 32) {
    return weighed(a, b, share_a, share_b);
  } else {
    const hn::Half<hn::DFromV<V>> half;
    const auto low = [&](auto v) HWY_ATTR { return hn::LowerHalf(half, v); };
    const auto high = [&](auto v) HWY_ATTR { return hn::UpperHalf(half, v); };
    return hn::Combine(Bytes(), weighed(high(a), high(b), high(share_a), high(share_b)),
                       weighed(low(a), low(b), low(share_a), low(share_b)));
  }
}

void blend_rows(const std::uint8_t* above, const std::uint8_t* below, CellWeights weights,
                int count, std::uint8_t* out) {
  const Bytes d;
  const auto share_a = hn::Set(d, static_cast<std::uint8_t>(weights.above)),
             share_b = hn::Set(d, static_cast<std::uint8_t>(weights.below));
  for (int x = 0; x < count; x += 16)
    hn::StoreU(weighed16(hn::LoadU(d, above + x), hn::LoadU(d, below + x), share_a, share_b), d,
               out + x);
}

HWY_INLINE hn::Vec<Bytes> pick(const std::uint8_t* from, hn::Vec<Bytes> low, hn::Vec<Bytes> high) {
  const Bytes d;
  return hn::Or(hn::TableLookupBytesOr0(hn::LoadU(d, from), low),
                hn::TableLookupBytesOr0(hn::LoadU(d, from + detail::kGroup), high));
}

HWY_INLINE void blend_group(const std::uint8_t* line, const detail::ColumnGroup& group,
                            std::uint8_t* out) {
  const Bytes d;
  const auto low = hn::LoadU(d, group.lookup_low.data()),
             high = hn::LoadU(d, group.lookup_high.data()),
             share = hn::LoadU(d, group.share.data());
  const auto left = pick(line + group.base, low, high),
             right = pick(line + group.base + 1, low, high);
  hn::StoreU(weighed16(left, right, hn::Sub(hn::Set(d, 128), share), share), d, out);
}

void resample_rows(const detail::ChannelResampleJob& job) {
  const ChannelCells& from = *job.from;
  const std::vector<detail::ColumnGroup>& groups = *job.groups;
  const int columns = job.to->columns();
  std::vector<std::uint8_t> line(static_cast<std::size_t>(from.columns()) + 4 * detail::kGroup);
  for (int row = job.first; row < job.last; ++row) {
    const CellTap tap = cell_tap(job.placement->first_y + row * job.placement->step_y, from.rows());
    const int next = std::min(tap.index + 1, from.rows() - 1);
    for (int k = 0; k < channels::kChannels; ++k) {
      blend_rows(from.line(tap.index, k), from.line(next, k),
                 cell_weights(tap, job.placement->factor[k]), from.columns(), line.data());
      // Groups of sixteen fill at most the stride of a line.
      std::uint8_t* out = job.to->line(row, k);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const int x = static_cast<int>(g) * detail::kGroup;
        if (groups[g].near) {
          blend_group(line.data(), groups[g], out + x);
          continue;
        }
        for (int i = x; i < std::min(columns, x + detail::kGroup); ++i) {
          const CellTap t =
              cell_tap(job.placement->first_x + i * job.placement->step_x, from.columns());
          const int right = std::min(t.index + 1, from.columns() - 1);
          out[i] = static_cast<std::uint8_t>(
              channels::shared(line[t.index], line[right], 128 - t.share, t.share));
        }
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(resample_rows);
constexpr int kRowsPerTask = 32;
}  // namespace

void resample_cells(const ChannelCells& from, const CellPlacement& placement, ChannelCells& to,
                    const Exec& exec) {
  const auto groups = detail::column_groups(placement, from.columns(), to.columns());
  parallel_for(exec, to.rows(), kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(resample_rows)
    ({&from, &to, &placement, &groups, static_cast<int>(first), static_cast<int>(last)});
  });
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
