// SIMD loops of the cascade, in vectors of 16 bytes on every machine. The votes of 2x2 pixels are
// added bin by bin in 16-bit lanes, transposed so that the bins of a patch are neighbors, and added
// to the integral histogram at once, which costs one read and one write per patch. A corner of a
// block then takes three loads, and four windows share the work after the dot products.
#include "people/cascade/cascade_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/cascade/cascade_rows_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using cascade::BlockPlan;
using cascade::kBins;

using D8 = hn::FixedTag<std::uint8_t, 16>;
using D8Half = hn::FixedTag<std::uint8_t, 8>;
using D16 = hn::FixedTag<std::uint16_t, 8>;
using D16Half = hn::FixedTag<std::uint16_t, 4>;
using D32 = hn::FixedTag<std::uint32_t, 4>;
using D64 = hn::FixedTag<std::uint64_t, 2>;
using DI32 = hn::FixedTag<std::int32_t, 4>;
using DF = hn::FixedTag<float, 4>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using VF = hn::Vec<DF>;
constexpr int kVectors = cascade::kNumbers / 4;  // vectors of a block's numbers

// For eight pixels: the longest projection, whether it is on direction k + 1 or beyond, and whether
// the gradient lies in the first quadrant. Projections grow up to the longest and then fall, so
// that each is compared with its neighbor only.
struct Votes {
  V16 length, beyond[cascade::kDirections - 1], straight;
  HWY_INLINE Votes() {}
};

// Absolute differences of 16 pixels, and 255 where the direction lies in the first quadrant.
struct Slopes {
  V8 x, y, straight;
  HWY_INLINE Slopes() {}
};

HWY_INLINE Slopes slopes(V8 left, V8 right, V8 above, V8 below) {
  Slopes s;
  const V8 most_x = hn::Max(left, right), most_y = hn::Max(above, below);
  s.x = hn::Sub(most_x, hn::Min(left, right));
  s.y = hn::Sub(most_y, hn::Min(above, below));
  const V8 down = hn::VecFromMask(D8(), hn::Eq(most_y, below));  // dy >= 0
  const V8 up = hn::VecFromMask(D8(), hn::Eq(most_y, above));    // dy <= 0
  s.straight = hn::IfThenElse(hn::Eq(most_x, right), down, up);
  return s;
}

HWY_INLINE Votes votes(V16 x, V16 y, V16 straight) {
  const D16 d;
  Votes v;
  const auto project = [&](int k) HWY_ATTR {
    return hn::Add(hn::Mul(x, hn::Set(d, static_cast<std::uint16_t>(cascade::kProjectX[k]))),
                   hn::Mul(y, hn::Set(d, static_cast<std::uint16_t>(cascade::kProjectY[k]))));
  };
  V16 last = project(0);
  v.length = last;
  v.straight = straight;
  for (int k = 1; k < cascade::kDirections; ++k) {
    const V16 length = k == 4 ? hn::ShiftLeft<7>(y) : project(k);
    v.beyond[k - 1] = hn::VecFromMask(d, hn::Gt(length, last));
    v.length = hn::Max(v.length, length);
    last = length;
  }
  return v;
}

HWY_INLINE V16 low(V8 v) { return hn::PromoteTo(D16(), hn::LowerHalf(D8Half(), v)); }
HWY_INLINE V16 high(V8 v) { return hn::PromoteTo(D16(), hn::UpperHalf(D8Half(), v)); }
// Widens a mask: 255 becomes 65535.
HWY_INLINE V16 low_mask(V8 v) { return hn::BitCast(D16(), hn::InterleaveLower(D8(), v, v)); }
HWY_INLINE V16 high_mask(V8 v) { return hn::BitCast(D16(), hn::InterleaveUpper(D8(), v, v)); }

// A row of 32 pixels, with even and odd pixels separated, and their neighbors to the left and
// right.
struct Line {
  V8 even, odd, left_of_even, right_of_odd;
  HWY_INLINE explicit Line(const std::uint8_t* row) {
    hn::LoadInterleaved2(D8(), row - 1, left_of_even, even);
    hn::LoadInterleaved2(D8(), row + 1, odd, right_of_odd);
  }
};

// The slopes of the pixels of two rows: the even and odd ones of the first row, then those of the
// second.
HWY_INLINE void patch_slopes(const std::uint8_t* const* rows, std::ptrdiff_t x, Slopes* to) {
  const D8 d;
  V8 above[2], below[2];
  hn::LoadInterleaved2(d, rows[0] + x, above[0], above[1]);
  hn::LoadInterleaved2(d, rows[3] + x, below[0], below[1]);
  const Line upper(rows[1] + x), lower(rows[2] + x);
  to[0] = slopes(upper.left_of_even, upper.odd, above[0], lower.even);
  to[1] = slopes(upper.even, upper.right_of_odd, above[1], lower.odd);
  to[2] = slopes(lower.left_of_even, lower.odd, upper.even, below[0]);
  to[3] = slopes(lower.even, lower.right_of_odd, upper.odd, below[1]);
}

template <int kHalf>
HWY_INLINE Votes half_votes(const Slopes& s) {
  if constexpr (kHalf == 0) return votes(low(s.x), low(s.y), low_mask(s.straight));
  else return votes(high(s.x), high(s.y), high_mask(s.straight));
}

HWY_INLINE void strongest(Votes& best, const Votes& other) {
  const auto stronger = hn::Gt(other.length, best.length);
  for (int k = 0; k < cascade::kDirections - 1; ++k)
    best.beyond[k] = hn::IfThenElse(stronger, other.beyond[k], best.beyond[k]);
  best.straight = hn::IfThenElse(stronger, other.straight, best.straight);
  best.length = hn::Max(best.length, other.length);
}

// Votes of eight patches for direction k or beyond: of all pixels, and of those in the second
// quadrant, to which the last direction, which belongs to both, is not counted.
struct PatchVotes {
  V16 all[cascade::kDirections], mirrored[cascade::kDirections - 1];
  HWY_INLINE PatchVotes() {}
};

// Adds `weight` where `mask` is all ones, in one instruction where the machine has one for a - b *
// c.
template <bool kFirst>
HWY_INLINE void add_where(V16& sum, V16 mask, V16 weight) {
  sum = kFirst ? hn::And(mask, weight) : hn::Add(sum, hn::And(mask, weight));
}

template <bool kFirst>
HWY_INLINE void add_votes(const Votes& v, PatchVotes& patches) {
  constexpr int kLast = cascade::kDirections - 1;
  const V16 weight = hn::ShiftRight<cascade::kWeightShift>(v.length);
  const V16 mirrored = hn::AndNot(hn::Or(v.straight, v.beyond[kLast - 1]), weight);
  patches.all[0] = kFirst ? weight : hn::Add(patches.all[0], weight);
  patches.mirrored[0] = kFirst ? mirrored : hn::Add(patches.mirrored[0], mirrored);
  for (int k = 1; k <= kLast; ++k) add_where<kFirst>(patches.all[k], v.beyond[k - 1], weight);
  for (int k = 1; k < kLast; ++k) add_where<kFirst>(patches.mirrored[k], v.beyond[k - 1], mirrored);
}

template <int kPlanes, int kHalf, bool kFirst = false>
HWY_INLINE void add_pixel(const Slopes* of, PatchVotes& patches) {
  Votes best = half_votes<kHalf>(of[0]);
  for (int c = 1; c < kPlanes; ++c) strongest(best, half_votes<kHalf>(of[4 * c]));
  add_votes<kFirst>(best, patches);
}

// The votes of eight patches for each bin. `of` has the slopes of their four pixels, one plane
// after another.
template <int kPlanes, int kHalf>
HWY_INLINE void bin_sums(const Slopes* of, V16* bins) {
  PatchVotes patches;
  add_pixel<kPlanes, kHalf, true>(of, patches);
  add_pixel<kPlanes, kHalf>(of + 1, patches);
  add_pixel<kPlanes, kHalf>(of + 2, patches);
  add_pixel<kPlanes, kHalf>(of + 3, patches);
  constexpr int kLast = cascade::kDirections - 1;
  for (int k = 0; k < kLast; ++k) {
    bins[kBins - 1 - k] =
        k + 1 < kLast ? hn::Sub(patches.mirrored[k], patches.mirrored[k + 1]) : patches.mirrored[k];
    bins[k] = hn::Sub(hn::Sub(patches.all[k], patches.all[k + 1]), bins[kBins - 1 - k]);
  }
  bins[kLast] = patches.all[kLast];
}

HWY_INLINE void transpose(V16* v) {
  const D16 d;
  for (int round = 0; round < 3; ++round) {
    V16 t[8];
    for (int i = 0; i < 4; ++i) {
      t[2 * i] = hn::InterleaveLower(d, v[i], v[i + 4]);
      t[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + 4]);
    }
    for (int i = 0; i < 8; ++i) v[i] = t[i];
  }
}

// Running sums of a row of patches.
struct Running {
  V32 first, second;  // bins 0 to 3, 4 to 7
  std::uint32_t ninth;
  HWY_INLINE Running() {}
};

// Adds eight patches, beginning at `first`, a multiple of eight, to the row; their bins are stored
// apart.
template <bool kDealt>
HWY_INLINE void append(V16* bins, const PatchRow& row, int first, Running& run) {
  const D32 d;
  // Lanes are extracted four at a time, because integer units are idle here.
  const auto ninths_of_four = hn::BitCast(D64(), bins[kBins - 1]);
  const std::uint64_t four[2] = {hn::GetLane(ninths_of_four), hn::ExtractLane(ninths_of_four, 1)};
  transpose(bins);
  constexpr int kParts = SumsLayout::kParts, kTogether = SumsLayout::kTogether;
  const std::ptrdiff_t start = kDealt ? first / kParts : first;
  const std::ptrdiff_t ninths = row.layout.ninths();
  const std::uint32_t* HWY_RESTRICT above = row.above;
  std::uint32_t* HWY_RESTRICT sums = row.sums;
  for (int i = 0; i < 8; ++i) {
    const std::ptrdiff_t place =
        start + (kDealt ? (i + 1) % kParts * row.layout.part + (i + 1) / kParts : i + 1);
    const std::ptrdiff_t at = place * kTogether, ninth_at = ninths + place;
    run.first = hn::Add(run.first, hn::PromoteTo(d, hn::LowerHalf(D16Half(), bins[i])));
    run.second = hn::Add(run.second, hn::PromoteTo(d, hn::UpperHalf(D16Half(), bins[i])));
    run.ninth += four[i / 4] >> (i % 4 * 16) & 0xFFFF;
    hn::StoreU(hn::Add(run.first, hn::LoadU(d, above + at)), d, sums + at);
    hn::StoreU(hn::Add(run.second, hn::LoadU(d, above + at + 4)), d, sums + at + 4);
    sums[ninth_at] = run.ninth + above[ninth_at];
  }
}

template <int kPlanes, bool kDealt>
HWY_INLINE void patch_row(const PatchRow& row) {
  const D32 d;
  Running run;
  run.first = run.second = hn::Zero(d);
  run.ninth = 0;
  std::fill_n(row.sums, SumsLayout::kTogether, 0U);
  row.sums[row.layout.ninths()] = 0;
  for (int i = 0; i < row.patches; i += kPatchGroup) {
    Slopes of[4 * kPlanes];
    for (int c = 0; c < kPlanes; ++c) patch_slopes(row.pixels[c], 2 * i, of + 4 * c);
    V16 bins[kBins];
    bin_sums<kPlanes, 0>(of, bins);
    append<kDealt>(bins, row, i, run);
    if (i + 8 >= row.patches) break;
    bin_sums<kPlanes, 1>(of, bins);
    append<kDealt>(bins, row, i + 8, run);
  }
}

void patch_row_any(const PatchRow& row) {
  if (row.planes == 1) {
    if (row.layout.dealt) patch_row<1, true>(row);
    else patch_row<1, false>(row);
  } else {
    if (row.layout.dealt) patch_row<3, true>(row);
    else patch_row<3, false>(row);
  }
}

// The positions of a block's corners in a row of windows: three places in each of its three rows.
struct Corners {
  const std::uint32_t *first[3][3], *ninth[3][3];
  Corners(const BlockPlan& block, const WindowRow& row) {
    for (int x = 0; x < 3; ++x) {
      const std::ptrdiff_t place = row.layout.place(block.x[x]);
      for (int y = 0; y < 3; ++y) {
        first[y][x] = row.sums[block.y[y]] + place * SumsLayout::kTogether;
        ninth[y][x] = row.sums[block.y[y]] + row.layout.ninths() + place;
      }
    }
  }
};

// The product and the squared length of one block of one window, as cascade::add_number() adds
// them; the eight partial sums become four.
HWY_INLINE void block_sums(const Corners& corners, const VF* weights, std::ptrdiff_t window,
                           VF& product, VF& square) {
  const D32 d;
  const DI32 di;
  const DF df;
  V32 above[2][2], cells[4][2];
  std::uint32_t above_ninth[2], ninths[4];
  for (int y = 0; y < 3; ++y) {
    V32 wide[2][2];
    const auto load = [&](int x, int k) HWY_ATTR {
      return hn::LoadU(d, corners.first[y][x] + window * SumsLayout::kTogether + 4 * k);
    };
    for (int x = 0; x < 2; ++x) {
      for (int k = 0; k < 2; ++k) {
        wide[x][k] = hn::Sub(load(x + 1, k), load(x, k));
        if (y > 0) cells[(y - 1) * 2 + x][k] = hn::Sub(wide[x][k], above[x][k]);
        above[x][k] = wide[x][k];
      }
      const std::uint32_t wide_ninth =
          corners.ninth[y][x + 1][window] - corners.ninth[y][x][window];
      if (y > 0) ninths[(y - 1) * 2 + x] = wide_ninth - above_ninth[x];
      above_ninth[x] = wide_ninth;
    }
  }
  VF products[2] = {hn::Zero(df), hn::Zero(df)}, squares[2] = {hn::Zero(df), hn::Zero(df)};
  const auto add = [&](V32 sums, int vector) HWY_ATTR {
    const VF number = hn::ConvertTo(df, hn::BitCast(di, sums));
    VF &to_product = products[vector % 2], &to_square = squares[vector % 2];
    to_product = hn::MulAdd(number, weights[vector], to_product);
    to_square = hn::MulAdd(number, number, to_square);
  };
  for (int cell = 0; cell < 4; ++cell) {
    add(cells[cell][0], 2 * cell);
    add(cells[cell][1], 2 * cell + 1);
  }
  const hn::FixedTag<std::uint64_t, 1> d64;
  const auto pair = [&](int c) HWY_ATTR {
    return hn::Set(d64, ninths[c] | static_cast<std::uint64_t>(ninths[c + 1]) << 32);
  };
  add(hn::BitCast(d, hn::Combine(D64(), pair(2), pair(0))), 8);
  product = hn::Add(products[0], products[1]);
  square = hn::Add(squares[0], squares[1]);
}

// (lane 0 + lane 1) + (lane 2 + lane 3) of four vectors.
HWY_INLINE VF lane_sums(const VF* v) {
  const DF d;
  const VF ab_low = hn::InterleaveLower(d, v[0], v[1]),
           ab_high = hn::InterleaveUpper(d, v[0], v[1]);
  const VF cd_low = hn::InterleaveLower(d, v[2], v[3]),
           cd_high = hn::InterleaveUpper(d, v[2], v[3]);
  const VF lane0 = hn::ConcatLowerLower(d, cd_low, ab_low);
  const VF lane1 = hn::ConcatUpperUpper(d, cd_low, ab_low);
  const VF lane2 = hn::ConcatLowerLower(d, cd_high, ab_high);
  const VF lane3 = hn::ConcatUpperUpper(d, cd_high, ab_high);
  return hn::Add(hn::Add(lane0, lane1), hn::Add(lane2, lane3));
}

// The parts of cascade::block_response() for all windows. The remaining square root and quotient
// have a loop of their own, in which their latencies overlap.
void block_parts(const BlockPlan& block, const WindowRow& row, Race& race) {
  const DF d;
  const Corners corners(block, row);
  VF weights[kVectors];
  for (int k = 0; k < kVectors; ++k) weights[k] = hn::LoadU(d, block.weights + 4 * k);
  const std::ptrdiff_t* HWY_RESTRICT place = race.place.data();
  float* HWY_RESTRICT parts = race.parts.data();
  for (const std::ptrdiff_t* end = place + race.count; place != end; ++place, parts += 8) {
    VF product, square;
    block_sums(corners, weights, *place, product, square);
    hn::StoreU(product, d, parts);
    hn::StoreU(square, d, parts + 4);
  }
}

// Adds what `grade` makes of the margins to the sums of all windows, four at a time.
template <class Grade>
HWY_INLINE void add_grades(const BlockPlan& block, const WindowRow& row, Race& race,
                           const Grade& grade) {
  block_parts(block, row, race);
  const DF d;
  const VF fade = hn::Set(d, block.fade), bias = hn::Set(d, block.bias);
  const float* HWY_RESTRICT parts = race.parts.data();
  float* HWY_RESTRICT sum = race.sum.data();
  for (const float* end = sum + race.count; sum < end; sum += 4, parts += 32) {
    VF product[4], square[4];
    for (int i = 0; i < 4; ++i) {
      product[i] = hn::LoadU(d, parts + 8 * i);
      square[i] = hn::LoadU(d, parts + 8 * i + 4);
    }
    const VF length = hn::Sqrt(hn::Add(lane_sums(square), fade));
    const VF margin = hn::Add(hn::Div(lane_sums(product), length), bias);
    hn::StoreU(hn::Add(hn::LoadU(d, sum), grade(margin)), d, sum);
  }
}

void run_stage(const CascadePlan::Stage& stage, const WindowRow& row, Race& race) {
  const DF d;
  if (!row.plan.chained) std::fill(race.sum.begin(), race.sum.end(), 0.0F);
  const VF one = hn::Set(d, 1.0F), minus_one = hn::Set(d, -1.0F);
  for (const BlockPlan& block : stage.blocks) {
    const VF vote = hn::Set(d, block.vote);
    if (row.plan.graded) {
      add_grades(block, row, race, [&](VF margin) HWY_ATTR {
        return hn::Mul(vote, hn::Min(hn::Max(margin, minus_one), one));
      });
    } else {
      add_grades(block, row, race, [&](VF margin) HWY_ATTR {
        return hn::Mul(vote, hn::IfThenElse(hn::Lt(margin, hn::Zero(d)), minus_one, one));
      });
    }
  }
}

// Keeps the windows that reach the threshold; the others get their score. There is no branch on
// whether a window passes, because it could not be predicted.
void keep_passed(const WindowRow& row, std::size_t stage, Race& race) {
  const float threshold = row.plan.stages[stage].threshold;
  const int left = static_cast<int>(row.plan.stages.size() - stage);
  if (row.every) {
    for (std::size_t i = 0; i < race.count; ++i)
      row.scores[race.column[i]] = cascade::rejected_score(left, race.sum[i] - threshold);
  }
  int* column = race.column.data();
  std::ptrdiff_t* place = race.place.data();
  float* sum = race.sum.data();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < race.count; ++i) {
    const float reached = sum[i];
    column[kept] = column[i];
    place[kept] = place[i];
    sum[kept] = reached;
    kept += reached >= threshold ? 1 : 0;
  }
  race.count = kept;
}

void rank(const WindowRow& row, Race& race) {
  std::fill(race.sum.begin(), race.sum.end(), 0.0F);
  for (const BlockPlan& block : row.plan.ranking)
    add_grades(block, row, race, [](VF margin) HWY_ATTR { return margin; });
}

void score_row(WindowRow& row) {
  Race& race = row.race;
  const auto columns = static_cast<std::size_t>(row.columns);
  race.reserve(columns);
  race.count = columns;
  for (std::size_t i = 0; i < columns; ++i) {
    race.column[i] = static_cast<int>(i);
    race.sum[i] = 0;
    race.place[i] = row.layout.place(static_cast<int>(i) * row.step);
    row.scores[i] = -std::numeric_limits<float>::infinity();
  }
  const CascadePlan& plan = row.plan;
  for (std::size_t stage = 0; stage < plan.stages.size() && race.count > 0; ++stage) {
    run_stage(plan.stages[stage], row, race);
    row.evaluations += static_cast<std::int64_t>(race.count * plan.stages[stage].blocks.size());
    keep_passed(row, stage, race);
  }
  if (race.count == 0) return;
  if (!plan.ranking.empty()) {
    rank(row, race);
    row.evaluations += static_cast<std::int64_t>(race.count * plan.ranking.size());
  }
  const float base =
      plan.ranking.empty() && !plan.stages.empty() ? plan.stages.back().threshold : 0.0F;
  for (std::size_t i = 0; i < race.count; ++i)
    row.scores[race.column[i]] = cascade::passed_score(race.sum[i] - base);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {

HWY_EXPORT(patch_row_any);
HWY_EXPORT(score_row);

std::vector<cascade::BlockPlan> plans_of(const std::vector<BlockClassifier>& classifiers) {
  std::vector<cascade::BlockPlan> plans;
  plans.reserve(classifiers.size());
  for (const BlockClassifier& c : classifiers) plans.push_back(cascade::block_plan(c));
  return plans;
}

}  // namespace

CascadePlan::CascadePlan(const CascadeModel& model)
    : window{model.window.width, model.window.height},
      graded(model.graded),
      chained(model.chained),
      ranking(plans_of(model.ranking)) {
  for (const CascadeStage& stage : model.stages)
    stages.push_back({plans_of(stage.classifiers), stage.threshold});
}

void add_patch_row(const PatchRow& row) { HWY_DYNAMIC_DISPATCH(patch_row_any)(row); }
void score_windows(WindowRow& row) { HWY_DYNAMIC_DISPATCH(score_row)(row); }

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
