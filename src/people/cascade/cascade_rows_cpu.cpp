// SIMD loops of the cascade. The votes of 2x2 pixels are added bin by bin in 16-bit lanes,
// transposed so that the bins of a patch are neighbors, and added to the integral histogram at
// once, which costs one read and one write per patch. A corner of a block then takes two or three
// loads, and four windows share the work after the dot products. Vectors have 16 bytes, or 32 where
// the machine has them; both give the same bits.
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
using D16 = hn::CappedTag<std::uint16_t, kPatchGroup>;
using D16Patch = hn::FixedTag<std::uint16_t, SumsLayout::kTogether>;
using D32 = hn::CappedTag<std::uint32_t, SumsLayout::kTogether>;
using D64 = hn::FixedTag<std::uint64_t, 2>;
using DF = hn::FixedTag<float, 4>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V16Patch = hn::Vec<D16Patch>;
using V32 = hn::Vec<D32>;
using VF = hn::Vec<DF>;
using M16 = hn::Mask<D16>;
constexpr int kLanes = HWY_MAX_BYTES >= 32 ? kPatchGroup : kPatchGroup / 2;  // of a V16
// Vectors of the first eight bins of a patch.
constexpr int kFirstVectors = HWY_MAX_BYTES >= 32 ? 1 : 2;

// For kLanes pixels: the longest projection, whether it is on direction k + 1 or beyond, and
// whether the gradient lies in the first quadrant. Projections grow up to the longest and then
// fall, so that each is compared with its neighbor only.
struct Votes {
  V16 length, straight;
  M16 beyond[cascade::kDirections - 1];
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

// The gradients of kLanes pixels in one plane, as Slopes has them, and their longest projections.
struct Gradients {
  V16 x, y, straight, length;
  HWY_INLINE Gradients() {}
};

// The factors of projections, and by how much they differ from one direction to the next. They are
// made from numbers that the compiler does not know: it would replace products with constants by
// shifts and additions, which take two to five times as many instructions.
struct Factors {
  V16 x[cascade::kDirections - 1], y[cascade::kDirections - 1];
  V16 lost[cascade::kDirections - 1], gained[cascade::kDirections - 1];
  HWY_INLINE Factors() {
    static_assert(cascade::kProjectX[4] == 0 && cascade::kProjectY[4] == 128);
    for (int k = 0; k + 1 < cascade::kDirections; ++k) {
      x[k] = unknown(cascade::kProjectX[k]);
      y[k] = unknown(cascade::kProjectY[k]);
      lost[k] = unknown(cascade::kProjectX[k] - cascade::kProjectX[k + 1]);
      gained[k] = unknown(cascade::kProjectY[k + 1] - cascade::kProjectY[k]);
    }
  }

 private:
  static HWY_INLINE V16 unknown(int factor) {
    const volatile auto value = static_cast<std::uint16_t>(factor);
    return hn::Set(D16(), value);
  }
};

HWY_INLINE V16 longest(V16 x, V16 y, const Factors& f) {
  const auto project = [&](int k)
                           HWY_ATTR { return hn::Add(hn::Mul(x, f.x[k]), hn::Mul(y, f.y[k])); };
  const V16 flat = hn::Max(project(0), project(1)), steep = hn::Max(project(2), project(3));
  return hn::Max(hn::Max(flat, steep), hn::ShiftLeft<7>(y));
}

// A projection is longer than the one before where y outweighs x by the differences of their
// factors; these products stay below 2^15, so that they are compared as signed numbers, which every
// machine can.
HWY_INLINE Votes votes(const Gradients& g, const Factors& f) {
  const hn::Rebind<std::int16_t, D16> signed_lanes;
  Votes v;
  v.length = g.length;
  v.straight = g.straight;
  for (int k = 0; k + 1 < cascade::kDirections; ++k) {
    const V16 gained = hn::Mul(g.y, f.gained[k]), lost = hn::Mul(g.x, f.lost[k]);
    v.beyond[k] = hn::RebindMask(
        D16(), hn::Gt(hn::BitCast(signed_lanes, gained), hn::BitCast(signed_lanes, lost)));
  }
  return v;
}

// Part kPart of 16 bytes as 16-bit lanes. What depends on the size of vectors is compiled for one
// size only where the type is a parameter, here and below.
template <int kPart, class D = D16>
HWY_INLINE V16 widened(V8 v) {
  if constexpr (kLanes == kPatchGroup) return hn::PromoteTo(D(), v);
  else if constexpr (kPart == 0) return hn::PromoteTo(D(), hn::LowerHalf(D8Half(), v));
  else return hn::PromoteTo(D(), hn::UpperHalf(D8Half(), v));
}
// Widens a mask: 255 becomes 65535.
template <int kPart, class D = D16>
HWY_INLINE V16 widened_mask(V8 v) {
  if constexpr (kLanes == kPatchGroup) {
    const hn::Rebind<std::int16_t, D> signed_lanes;
    const hn::Rebind<std::int8_t, D8> signed_bytes;
    return hn::BitCast(D(), hn::PromoteTo(signed_lanes, hn::BitCast(signed_bytes, v)));
  } else if constexpr (kPart == 0) {
    return hn::BitCast(D(), hn::InterleaveLower(D8(), v, v));
  } else {
    return hn::BitCast(D(), hn::InterleaveUpper(D8(), v, v));
  }
}

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

template <int kPart>
HWY_INLINE Gradients gradients(const Slopes& s, const Factors& factors) {
  Gradients g;
  g.x = widened<kPart>(s.x);
  g.y = widened<kPart>(s.y);
  g.straight = widened_mask<kPart>(s.straight);
  g.length = longest(g.x, g.y, factors);
  return g;
}

// Keeps the stronger gradient, the first of equals. Directions are compared only after this, for
// one plane instead of three.
HWY_INLINE void strongest(Gradients& best, const Gradients& other) {
  const V16 length = hn::Max(best.length, other.length);
  const M16 kept = hn::Eq(length, best.length);
  best.x = hn::IfThenElse(kept, best.x, other.x);
  best.y = hn::IfThenElse(kept, best.y, other.y);
  best.straight = hn::IfThenElse(kept, best.straight, other.straight);
  best.length = length;
}

// Votes of kLanes patches for direction k or beyond: of all pixels, and of those in the second
// quadrant, to which the last direction, which belongs to both, is not counted.
struct PatchVotes {
  V16 all[cascade::kDirections], mirrored[cascade::kDirections - 1];
  HWY_INLINE PatchVotes() {}
};

template <bool kFirst>
HWY_INLINE void add_where(V16& sum, M16 mask, V16 weight) {
  const V16 part = hn::IfThenElseZero(mask, weight);
  sum = kFirst ? part : hn::Add(sum, part);
}

template <bool kFirst>
HWY_INLINE void add_votes(const Votes& v, PatchVotes& patches) {
  constexpr int kLast = cascade::kDirections - 1;
  const V16 weight = hn::ShiftRight<cascade::kWeightShift>(v.length);
  const V16 mirrored = hn::AndNot(v.straight, hn::IfThenZeroElse(v.beyond[kLast - 1], weight));
  patches.all[0] = kFirst ? weight : hn::Add(patches.all[0], weight);
  patches.mirrored[0] = kFirst ? mirrored : hn::Add(patches.mirrored[0], mirrored);
  for (int k = 1; k <= kLast; ++k) add_where<kFirst>(patches.all[k], v.beyond[k - 1], weight);
  for (int k = 1; k < kLast; ++k) add_where<kFirst>(patches.mirrored[k], v.beyond[k - 1], mirrored);
}

template <int kPlanes, int kPart, bool kFirst = false>
HWY_INLINE void add_pixel(const Slopes* of, const Factors& factors, PatchVotes& patches) {
  Gradients best = gradients<kPart>(of[0], factors);
  for (int c = 1; c < kPlanes; ++c) strongest(best, gradients<kPart>(of[4 * c], factors));
  add_votes<kFirst>(votes(best, factors), patches);
}

// The votes of kLanes patches for each bin. `of` has the slopes of their four pixels, one plane
// after another.
template <int kPlanes, int kPart>
HWY_INLINE void bin_sums(const Slopes* of, const Factors& factors, V16* bins) {
  PatchVotes patches;
  add_pixel<kPlanes, kPart, true>(of, factors, patches);
  add_pixel<kPlanes, kPart>(of + 1, factors, patches);
  add_pixel<kPlanes, kPart>(of + 2, factors, patches);
  add_pixel<kPlanes, kPart>(of + 3, factors, patches);
  constexpr int kLast = cascade::kDirections - 1;
  for (int k = 0; k < kLast; ++k) {
    bins[kBins - 1 - k] =
        k + 1 < kLast ? hn::Sub(patches.mirrored[k], patches.mirrored[k + 1]) : patches.mirrored[k];
    bins[k] = hn::Sub(hn::Sub(patches.all[k], patches.all[k + 1]), bins[kBins - 1 - k]);
  }
  bins[kLast] = patches.all[kLast];
}

// Makes vectors of the first eight bins of a patch from vectors of a bin. Where vectors have 32
// bytes, their halves are transposed at the same time: vector i is of patches i and i + 8.
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
  V32 first[kFirstVectors];  // bins 0 to 7
  std::uint32_t ninth;
  HWY_INLINE Running() {}
};

// One half of the lanes.
template <int kHalf, class V>
HWY_INLINE V16Patch half_lanes(V v) {
  if constexpr (kLanes < kPatchGroup) return v;
  else if constexpr (kHalf == 0) return hn::LowerHalf(D16Patch(), v);
  else return hn::UpperHalf(D16Patch(), v);
}

template <class D = D32>
HWY_INLINE void add_first(V16Patch bins, Running& run) {
  const D d;
  if constexpr (kFirstVectors == 1) {
    run.first[0] = hn::Add(run.first[0], hn::PromoteTo(d, bins));
  } else {
    const hn::Half<D16Patch> half;
    run.first[0] = hn::Add(run.first[0], hn::PromoteTo(d, hn::LowerHalf(half, bins)));
    run.first[kFirstVectors - 1] =
        hn::Add(run.first[kFirstVectors - 1], hn::PromoteTo(d, hn::UpperHalf(half, bins)));
  }
}

// Adds eight patches, beginning at `first`, a multiple of eight, to the row. `bins` is transposed;
// the ninth bins are apart.
template <bool kDealt, int kHalf>
HWY_INLINE void append(const V16* bins, V16Patch ninths_of_all, const PatchRow& row, int first,
                       Running& run) {
  const D32 d;
  constexpr int kVectorLanes = SumsLayout::kTogether / kFirstVectors;
  // Lanes are extracted four at a time, because integer units are idle here.
  const auto ninths_of_four = hn::BitCast(D64(), ninths_of_all);
  const std::uint64_t four[2] = {hn::GetLane(ninths_of_four), hn::ExtractLane(ninths_of_four, 1)};
  constexpr int kParts = SumsLayout::kParts, kTogether = SumsLayout::kTogether;
  const std::ptrdiff_t start = kDealt ? first / kParts : first;
  const std::ptrdiff_t ninths = row.layout.ninths();
  const std::uint32_t* HWY_RESTRICT above = row.above;
  std::uint32_t* HWY_RESTRICT sums = row.sums;
  for (int i = 0; i < 8; ++i) {
    const std::ptrdiff_t place =
        start + (kDealt ? (i + 1) % kParts * row.layout.part + (i + 1) / kParts : i + 1);
    const std::ptrdiff_t at = place * kTogether, ninth_at = ninths + place;
    add_first(half_lanes<kHalf>(bins[i]), run);
    run.ninth += four[i / 4] >> (i % 4 * 16) & 0xFFFF;
    for (int k = 0; k < kFirstVectors; ++k)
      hn::StoreU(hn::Add(run.first[k], hn::LoadU(d, above + at + k * kVectorLanes)), d,
                 sums + at + k * kVectorLanes);
    sums[ninth_at] = run.ninth + above[ninth_at];
  }
}

// Asks for the two rows of pixels that the next row of patches reads first. There are too many rows
// at once for the machine to foresee this. Past the image this does nothing.
HWY_INLINE void fetch_next(const std::uint8_t* const* rows, std::ptrdiff_t x) {
  const std::ptrdiff_t stride = rows[3] - rows[2];
  __builtin_prefetch(rows[3] + stride + x);
  __builtin_prefetch(rows[3] + 2 * stride + x);
}

template <int kPlanes, bool kDealt>
HWY_INLINE void patch_row(const PatchRow& row) {
  const Factors factors;
  Running run;
  for (int k = 0; k < kFirstVectors; ++k) run.first[k] = hn::Zero(D32());
  run.ninth = 0;
  std::fill_n(row.sums, SumsLayout::kTogether, 0U);
  row.sums[row.layout.ninths()] = 0;
  for (int i = 0; i < row.patches; i += kPatchGroup) {
    Slopes of[4 * kPlanes];
    for (int c = 0; c < kPlanes; ++c) {
      patch_slopes(row.pixels[c], 2 * i, of + 4 * c);
      if (i % (2 * kPatchGroup) == 0) fetch_next(row.pixels[c], 2 * i);
    }
    V16 bins[kBins];
    bin_sums<kPlanes, 0>(of, factors, bins);
    transpose(bins);
    append<kDealt, 0>(bins, half_lanes<0>(bins[kBins - 1]), row, i, run);
    if (i + 8 >= row.patches) break;
    if constexpr (kLanes < kPatchGroup) {
      bin_sums<kPlanes, 1>(of, factors, bins);
      transpose(bins);
    }
    append<kDealt, 1>(bins, half_lanes<1>(bins[kBins - 1]), row, i + 8, run);
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

// A block's weights: those of the first eight bins of each cell, then those of the ninth bins.
using DW = hn::Rebind<float, D32>;
using VW = hn::Vec<DW>;
struct Weights {
  VW first[cascade::kCells][kFirstVectors];
  VF ninth;
  HWY_INLINE explicit Weights(const BlockPlan& block) {
    const DW d;
    constexpr int kVectorLanes = SumsLayout::kTogether / kFirstVectors;
    for (int cell = 0; cell < cascade::kCells; ++cell)
      for (int k = 0; k < kFirstVectors; ++k)
        first[cell][k] =
            hn::LoadU(d, block.weights + SumsLayout::kTogether * cell + kVectorLanes * k);
    ninth = hn::LoadU(DF(), block.weights + SumsLayout::kTogether * cascade::kCells);
  }
};

// Eight partial sums, of which the ninth bins belong to the first four; they become four.
template <class V>
HWY_INLINE void fold(const V* sums, VF& low, VF& high) {
  if constexpr (kFirstVectors == 1) {
    low = hn::LowerHalf(DF(), sums[0]);
    high = hn::UpperHalf(DF(), sums[0]);
  } else {
    low = sums[0];
    high = sums[kFirstVectors - 1];
  }
}

// The product and the squared length of one block of one window, as cascade::add_number() adds
// them; the eight partial sums become four.
HWY_INLINE void block_sums(const Corners& corners, const Weights& weights, std::ptrdiff_t window,
                           VF& product, VF& square) {
  const D32 d;
  const DW dw;
  const DF df;
  constexpr int kVectorLanes = SumsLayout::kTogether / kFirstVectors;
  V32 above[2][kFirstVectors], cells[cascade::kCells][kFirstVectors];
  std::uint32_t above_ninth[2], ninths[cascade::kCells];
  for (int y = 0; y < 3; ++y) {
    const auto load = [&](int x, int k) HWY_ATTR {
      return hn::LoadU(d, corners.first[y][x] + window * SumsLayout::kTogether + kVectorLanes * k);
    };
    for (int x = 0; x < 2; ++x) {
      for (int k = 0; k < kFirstVectors; ++k) {
        const V32 wide = hn::Sub(load(x + 1, k), load(x, k));
        if (y > 0) cells[(y - 1) * 2 + x][k] = hn::Sub(wide, above[x][k]);
        above[x][k] = wide;
      }
      const std::uint32_t wide_ninth =
          corners.ninth[y][x + 1][window] - corners.ninth[y][x][window];
      if (y > 0) ninths[(y - 1) * 2 + x] = wide_ninth - above_ninth[x];
      above_ninth[x] = wide_ninth;
    }
  }
  VW products[kFirstVectors], squares[kFirstVectors];
  for (int k = 0; k < kFirstVectors; ++k) products[k] = squares[k] = hn::Zero(dw);
  const hn::RebindToSigned<D32> signed_lanes;
  for (int cell = 0; cell < cascade::kCells; ++cell) {
    for (int k = 0; k < kFirstVectors; ++k) {
      const VW number = hn::ConvertTo(dw, hn::BitCast(signed_lanes, cells[cell][k]));
      products[k] = hn::MulAdd(number, weights.first[cell][k], products[k]);
      squares[k] = hn::MulAdd(number, number, squares[k]);
    }
  }
  const hn::FixedTag<std::uint64_t, 1> d64;
  const auto pair = [&](int c) HWY_ATTR {
    return hn::Set(d64, ninths[c] | static_cast<std::uint64_t>(ninths[c + 1]) << 32);
  };
  const hn::FixedTag<std::int32_t, 4> four_integers;
  const VF ninth =
      hn::ConvertTo(df, hn::BitCast(four_integers, hn::Combine(D64(), pair(2), pair(0))));
  VF low_product, high_product, low_square, high_square;
  fold(products, low_product, high_product);
  fold(squares, low_square, high_square);
  product = hn::Add(hn::MulAdd(ninth, weights.ninth, low_product), high_product);
  square = hn::Add(hn::MulAdd(ninth, ninth, low_square), high_square);
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
  const Weights weights(block);
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
  StepTimer timer(row.clock, Step::kEarlyStages);
  for (std::size_t stage = 0; stage < plan.stages.size() && race.count > 0; ++stage) {
    if (plan.stages[stage].late) timer.next(Step::kLateStages);
    run_stage(plan.stages[stage], row, race);
    row.evaluations += static_cast<std::int64_t>(race.count * plan.stages[stage].blocks.size());
    keep_passed(row, stage, race);
  }
  if (race.count == 0) return;
  timer.next(Step::kLateStages);
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
  int blocks = 0;
  for (const CascadeStage& stage : model.stages) {
    blocks += static_cast<int>(stage.classifiers.size());
    stages.push_back(
        {plans_of(stage.classifiers), stage.threshold, blocks > cascade::kEarlyBlocks});
  }
}

void add_patch_row(const PatchRow& row) { HWY_DYNAMIC_DISPATCH(patch_row_any)(row); }
void score_windows(WindowRow& row) { HWY_DYNAMIC_DISPATCH(score_row)(row); }

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
