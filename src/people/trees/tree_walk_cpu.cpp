// Evaluates trees for sixteen neighboring windows at once, which read neighboring cells. All nodes
// of a tree are compared, and each window then chooses what it would have met on its way.
#include "people/trees/tree_walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/trees/tree_walk_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::FixedTag<std::uint8_t, 16>;
using Shorts = hn::FixedTag<std::int16_t, 8>;
using ByteVector = hn::Vec<Bytes>;
using ShortVector = hn::Vec<Shorts>;

// After so many trees windows are evaluated together only while more than a few are left: fewer
// trees where each is deep and has all its nodes compared.
template <int kDepth>
constexpr int kTreesTogether = kDepth == 2 ? 16 : 8;
constexpr int kFewWindows = 3;

// The bytes of sixteen places, which are neighbors or every second byte.
template <int kStep>
HWY_INLINE ByteVector load_places(const std::uint8_t* from) {
  const Bytes d;
  if constexpr (kStep == 1) return hn::LoadU(d, from);
  ByteVector even, odd;
  hn::LoadInterleaved2(d, from, even, odd);
  return even;
}

HWY_INLINE ByteVector chosen(ByteVector mask, ByteVector yes, ByteVector no) {
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
}
HWY_INLINE ShortVector chosen(ShortVector mask, ShortVector yes, ShortVector no) {
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
}

// The decisions of sixteen windows at each depth; all bits are set where the right child follows.
template <int kStep, int kDepth>
HWY_INLINE void decide(const std::uint8_t* cells, const ScanTree<kDepth>& tree, ByteVector* right) {
  const Bytes d;
  for (int level = 0; level < kDepth; ++level) {
    ByteVector at[1 << (kDepth - 1)];
    const int nodes = 1 << level;
    for (int n = 0; n < nodes; ++n) {
      const int node = nodes - 1 + n;
      const auto value = load_places<kStep>(cells + tree.offset[node]);
      at[n] = hn::VecFromMask(d, hn::Eq(hn::Max(value, hn::Set(d, tree.threshold[node])), value));
    }
    // The first decision halves the nodes that are left, then the second, and so on.
    for (int before = 0, left = nodes / 2; before < level; ++before, left /= 2)
      for (int n = 0; n < left; ++n) at[n] = chosen(right[before], at[n + left], at[n]);
    right[level] = at[0];
  }
}

struct Sixteen {
  ShortVector low_score, high_score;
  ShortVector low_alive, high_alive;  // all bits, or none
};

// What the leaves add. A table has eight of them; the last three decisions are the index in it, and
// those before choose the table.
template <int kDepth>
HWY_INLINE void add_leaves(const ScanTree<kDepth>& tree, const ByteVector* right, Sixteen& state) {
  const Bytes d;
  const Shorts shorts;
  constexpr int kInTable = kDepth < 3 ? kDepth : 3;
  constexpr int kTables = 1 << (kDepth - kInTable);
  auto index = hn::Zero(d);
  for (int i = 0; i < kInTable; ++i)
    index = hn::Or(index,
                   hn::And(right[kDepth - 1 - i], hn::Set(d, static_cast<std::uint8_t>(2 << i))));
  const auto next = hn::Or(index, hn::Set(d, 1));
  const auto low = hn::InterleaveLower(d, index, next), high = hn::InterleaveUpper(d, index, next);
  ShortVector low_value[kTables], high_value[kTables];
  for (int t = 0; t < kTables; ++t) {
    HWY_ALIGN std::int16_t table[8] = {};
    for (int i = 0; i < (1 << kInTable); ++i) table[i] = tree.leaf[(t << kInTable) + i];
    const auto bytes = hn::BitCast(d, hn::Load(shorts, table));
    low_value[t] = hn::BitCast(shorts, hn::TableLookupBytes(bytes, low));
    high_value[t] = hn::BitCast(shorts, hn::TableLookupBytes(bytes, high));
  }
  for (int before = 0, left = kTables / 2; left > 0; ++before, left /= 2) {
    const auto low_mask = hn::BitCast(shorts, hn::InterleaveLower(d, right[before], right[before])),
               high_mask =
                   hn::BitCast(shorts, hn::InterleaveUpper(d, right[before], right[before]));
    for (int t = 0; t < left; ++t) {
      low_value[t] = chosen(low_mask, low_value[t + left], low_value[t]);
      high_value[t] = chosen(high_mask, high_value[t + left], high_value[t]);
    }
  }
  // A score that stops at -32768 is below every rejection score.
  state.low_score = hn::SaturatedAdd(state.low_score, low_value[0]);
  state.high_score = hn::SaturatedAdd(state.high_score, high_value[0]);
}

template <int kStep, int kDepth>
HWY_INLINE void walk(const std::uint8_t* cells, const ScanTree<kDepth>& tree, Sixteen& state) {
  const Shorts shorts;
  ByteVector right[kDepth];
  decide<kStep>(cells, tree, right);
  add_leaves(tree, right, state);
  const auto rejection = hn::Set(shorts, static_cast<std::int16_t>(tree.rejection));
  const auto low_out = hn::VecFromMask(shorts, hn::Lt(state.low_score, rejection)),
             high_out = hn::VecFromMask(shorts, hn::Lt(state.high_score, rejection));
  state.low_alive = hn::AndNot(low_out, state.low_alive);
  state.high_alive = hn::AndNot(high_out, state.high_alive);
}

template <int kStep, int kDepth>
std::int64_t walk_places(const TreeRow<kDepth>& job, std::vector<TreeSurvivor>& survivors) {
  const Shorts shorts;
  const hn::FixedTag<std::int8_t, 16> signed_bytes;
  const hn::Half<decltype(signed_bytes)> half;
  const auto zero = hn::Zero(shorts);
  std::int64_t evaluations = 0;
  for (int place = 0; place < job.count; place += kStep * kPlacesTogether) {
    const auto wanted = hn::BitCast(signed_bytes, load_places<kStep>(job.wanted + place));
    Sixteen state{zero, zero, hn::PromoteTo(shorts, hn::LowerHalf(half, wanted)),
                  hn::PromoteTo(shorts, hn::UpperHalf(half, wanted))};
    auto walked = zero;
    int t = 0;
    for (; t < job.tree_count; ++t) {
      const auto alive = hn::Add(state.low_alive, state.high_alive);
      if (t % kTreesBetween == 0) {
        // Counts are negative: every window that is left adds -1.
        const int left = -hn::GetLane(hn::SumOfLanes(shorts, alive));
        if (left == 0 || (t >= kTreesTogether<kDepth> && left <= kFewWindows)) break;
        const auto high = hn::Max(hn::And(state.low_score, state.low_alive),
                                  hn::And(state.high_score, state.high_alive));
        if (!hn::AllFalse(shorts, hn::Gt(high, hn::Set(shorts, job.limit)))) break;
      }
      walked = hn::Sub(walked, alive);
      walk<kStep>(job.cells + place, job.trees[t], state);
    }
    evaluations += hn::GetLane(hn::SumOfLanes(shorts, walked));
    HWY_ALIGN std::int16_t score[kPlacesTogether], alive[kPlacesTogether];
    if (hn::AllTrue(shorts, hn::Eq(hn::Or(state.low_alive, state.high_alive), zero))) continue;
    hn::Store(state.low_score, shorts, score);
    hn::Store(state.high_score, shorts, score + 8);
    hn::Store(state.low_alive, shorts, alive);
    hn::Store(state.high_alive, shorts, alive + 8);
    for (int i = 0; i < kPlacesTogether; ++i)
      if (alive[i] != 0) survivors.push_back({place + kStep * i, score[i], t});
  }
  return evaluations;
}

template <int kDepth>
HWY_INLINE std::int64_t walk_any(const TreeRow<kDepth>& row, std::vector<TreeSurvivor>& survivors) {
  return row.every_other ? walk_places<2>(row, survivors) : walk_places<1>(row, survivors);
}

std::int64_t walk_2(const TreeRow<2>& row, std::vector<TreeSurvivor>& survivors) {
  return walk_any(row, survivors);
}
std::int64_t walk_3(const TreeRow<3>& row, std::vector<TreeSurvivor>& survivors) {
  return walk_any(row, survivors);
}
std::int64_t walk_4(const TreeRow<4>& row, std::vector<TreeSurvivor>& survivors) {
  return walk_any(row, survivors);
}
std::int64_t walk_5(const TreeRow<5>& row, std::vector<TreeSurvivor>& survivors) {
  return walk_any(row, survivors);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(walk_2);
HWY_EXPORT(walk_3);
HWY_EXPORT(walk_4);
HWY_EXPORT(walk_5);
}  // namespace

std::int64_t walk_row(const TreeRow<2>& row, std::vector<TreeSurvivor>& survivors) {
  return HWY_DYNAMIC_DISPATCH(walk_2)(row, survivors);
}
std::int64_t walk_row(const TreeRow<3>& row, std::vector<TreeSurvivor>& survivors) {
  return HWY_DYNAMIC_DISPATCH(walk_3)(row, survivors);
}
std::int64_t walk_row(const TreeRow<4>& row, std::vector<TreeSurvivor>& survivors) {
  return HWY_DYNAMIC_DISPATCH(walk_4)(row, survivors);
}
std::int64_t walk_row(const TreeRow<5>& row, std::vector<TreeSurvivor>& survivors) {
  return HWY_DYNAMIC_DISPATCH(walk_5)(row, survivors);
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
