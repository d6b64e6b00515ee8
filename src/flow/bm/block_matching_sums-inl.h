// Sums over all blocks of a tile at once; compiled once per instruction set. Products are added to
// prefix sums down the columns, and the sums of blocks are differences of these.
#if defined(FOVEA_BLOCK_MATCHING_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_BLOCK_MATCHING_SUMS_INL
#undef FOVEA_BLOCK_MATCHING_SUMS_INL
#else
#define FOVEA_BLOCK_MATCHING_SUMS_INL
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "flow/bm/block_matching_tile.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::FixedTag<std::uint16_t, kBlockLanes>;
using Words = hn::FixedTag<std::uint32_t, 4>;
using Integers = hn::FixedTag<std::int32_t, 4>;
using Floats = hn::FixedTag<float, 4>;
using ShortVec = hn::Vec<Shorts>;

// The input of sums over a block: the pixels of both images, and whether they count. Pixels that do
// not count are 0.
struct Places {
  const std::uint16_t *a, *a_valid, *b, *b_valid;
};
HWY_INLINE ShortVec load(const std::uint16_t* from) { return hn::LoadU(Shorts(), from); }
HWY_INLINE ShortVec difference(const Places& p, int i) {
  const auto a = load(p.a + i), b = load(p.b + i);
  return hn::And(hn::Sub(hn::Max(a, b), hn::Min(a, b)), load(p.a_valid + i));
}
struct Product {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    return hn::Mul(load(p.a + i), load(p.b + i));
  }
};
struct Difference {
  static HWY_INLINE ShortVec at(const Places& p, int i) { return difference(p, i); }
};
struct DifferenceOfBoth {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    return hn::And(difference(p, i), load(p.b_valid + i));
  }
};
struct CountOfBoth {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    return hn::And(hn::And(load(p.a_valid + i), load(p.b_valid + i)), hn::Set(Shorts(), 1));
  }
};
struct FirstOfBoth {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    return hn::And(load(p.a + i), load(p.b_valid + i));
  }
};
struct SecondOfBoth {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    return hn::And(load(p.b + i), load(p.a_valid + i));
  }
};
struct FirstSquareOfBoth {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    const auto a = load(p.a + i);
    return hn::And(hn::Mul(a, a), load(p.b_valid + i));
  }
};
struct SecondSquareOfBoth {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    const auto b = load(p.b + i);
    return hn::And(hn::Mul(b, b), load(p.a_valid + i));
  }
};
struct Count {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    return hn::And(load(p.a_valid + i), hn::Set(Shorts(), 1));
  }
};
struct Value {
  static HWY_INLINE ShortVec at(const Places& p, int i) { return load(p.a + i); }
};
struct Square {
  static HWY_INLINE ShortVec at(const Places& p, int i) {
    const auto a = load(p.a + i);
    return hn::Mul(a, a);
  }
};

struct Pair {
  hn::Vec<Words> low, high;
};
HWY_INLINE void accumulate(Pair& sum, ShortVec values) {
  const Words d;
  const hn::Half<Shorts> half;
  sum.low = hn::Add(sum.low, hn::PromoteTo(d, hn::LowerHalf(half, values)));
  sum.high = hn::Add(sum.high, hn::PromoteTo(d, hn::UpperHalf(half, values)));
}

// Computes a row of blocks that begin `step` apart from prefix sums down the columns.
HWY_INLINE void sum_across(const std::uint32_t* line, const bm::Layout& layout,
                           const BlockTile& tile, std::uint32_t* running, std::uint32_t* out) {
  const Words d;
  const int block = layout.block;
  constexpr int kFewColumns = 16;  // with more columns, prefix sums along the row are faster
  if (layout.step == 1 && block <= kFewColumns) {
    for (int i = 0; i < 8; i += 4) {
      auto sum = hn::LoadU(d, line + i);
      for (int k = 1; k < block; ++k) sum = hn::Add(sum, hn::LoadU(d, line + i + k));
      hn::StoreU(sum, d, out + i);
    }
    return;
  }
  if (layout.step == 2 && block <= kFewColumns) {
    auto sum = hn::Zero(d);
    for (int k = 0; k < block; k += 2) {
      hn::Vec<Words> even, odd;
      hn::LoadInterleaved2(d, line + k, even, odd);
      sum = hn::Add(sum, even);
      if (k + 1 < block) sum = hn::Add(sum, odd);
    }
    hn::StoreU(sum, d, out);
    return;
  }
  running[0] = 0;
  for (int x = 0; x < tile.width; ++x) running[x + 1] = running[x] + line[x];
  for (int i = 0; i < tile.columns; ++i) {
    const std::uint32_t* from = running + static_cast<std::ptrdiff_t>(i) * layout.step;
    out[i] = from[block] - from[0];
  }
}

// Returns the sum of Term over a tile that is one block.
template <class Term, int kChannels, class PlacesOfRow>
HWY_INLINE std::uint32_t single_sum(const BlockTile& tile, const PlacesOfRow& places) {
  const Words d;
  if constexpr (std::is_same_v<Term, Product>) {
    // Bytes are held in signed 16 bits, because processors multiply and add pairs of these in one
    // instruction.
    const hn::FixedTag<std::int16_t, kBlockLanes> shorts;
    const hn::FixedTag<std::int32_t, 4> integers;
    auto sum = hn::Zero(integers), other = hn::Zero(integers);
    for (int c = 0; c < kChannels; ++c)
      for (int y = 0; y < tile.height; ++y) {
        const Places row = places(y, c);
        for (int x = 0; x < tile.width; x += kBlockLanes)
          sum = hn::ReorderWidenMulAccumulate(integers, hn::BitCast(shorts, load(row.a + x)),
                                              hn::BitCast(shorts, load(row.b + x)), sum, other);
      }
    return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(integers, hn::Add(sum, other))));
  } else {
    Pair sum{hn::Zero(d), hn::Zero(d)};
    for (int c = 0; c < kChannels; ++c)
      for (int y = 0; y < tile.height; ++y) {
        const Places row = places(y, c);
        for (int x = 0; x < tile.width; x += kBlockLanes) accumulate(sum, Term::at(row, x));
      }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum.low, sum.high)));
  }
}

// What is summed: with the second image shifted by `b_at` elements of its region, from this channel
// on.
struct SumsOf {
  std::ptrdiff_t b_at;
  int channel = 0;
};

// Computes the sums of Term over every block of the tile and over kChannels channels.
template <class Term, int kChannels = 1>
void block_sums(const bm::Layout& layout, const BlockTile& tile, SumsOf of, BlockScratch& scratch,
                std::uint32_t* out) {
  const Words d;
  const auto places = [&](int y, int c) {
    const std::ptrdiff_t a = static_cast<std::ptrdiff_t>(y) * scratch.first.stride;
    const std::ptrdiff_t b = static_cast<std::ptrdiff_t>(y) * scratch.second.stride + of.b_at;
    const std::ptrdiff_t channel = of.channel + c;
    return Places{scratch.first.gray.data() + channel * scratch.first.plane + a,
                  scratch.first.valid.data() + a,
                  scratch.second.gray.data() + channel * scratch.second.plane + b,
                  scratch.second.valid.data() + b};
  };
  if (layout.tile == 1) {
    out[0] = single_sum<Term, kChannels>(tile, places);
    return;
  }
  std::uint32_t* prefix = scratch.prefix.data();
  const int line = scratch.line;
  for (int x = 0; x < tile.width; x += kBlockLanes) {
    Pair sum{hn::Zero(d), hn::Zero(d)};
    std::uint32_t* to = prefix + x;
    hn::StoreU(sum.low, d, to);
    hn::StoreU(sum.high, d, to + 4);
    for (int y = 0; y < tile.height; ++y) {
      for (int c = 0; c < kChannels; ++c) accumulate(sum, Term::at(places(y, c), x));
      to += line;
      hn::StoreU(sum.low, d, to);
      hn::StoreU(sum.high, d, to + 4);
    }
  }
  // All rows are summed down before any is summed across, so that no value is loaded right after it
  // was stored.
  std::uint32_t* columns = scratch.columns.data();
  for (int j = 0; j < tile.rows; ++j, columns += line) {
    const std::uint32_t* above = prefix + static_cast<std::ptrdiff_t>(j) * layout.step * line;
    const std::uint32_t* below = above + static_cast<std::ptrdiff_t>(layout.block) * line;
    for (int x = 0; x < tile.width; x += 4)
      hn::StoreU(hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)), d, columns + x);
  }
  columns = scratch.columns.data();
  for (int j = 0; j < tile.rows; ++j, columns += line)
    sum_across(columns, layout, tile, scratch.sums.data(), out + j * layout.tile);
}

// Copies the values of a tile's blocks from a plane of blocks; (x, y) is the first pixel of the
// first block.
template <class T, class To>
HWY_INLINE void gather(const Image<T>& plane, int x, int y, const bm::Layout& layout,
                       const BlockTile& tile, To* out) {
  const hn::FixedTag<T, 4> d;
  static_assert(sizeof(T) == sizeof(To));
  for (int j = 0; j < tile.rows; ++j) {
    const T* from = plane.row(y + j * layout.step) + x;
    T* to = reinterpret_cast<T*>(out) + static_cast<std::ptrdiff_t>(j) * layout.tile;
    if (layout.step == 1) {
      hn::StoreU(hn::LoadU(d, from), d, to);
      hn::StoreU(hn::LoadU(d, from + 4), d, to + 4);
    } else if (layout.step == 2) {
      hn::Vec<decltype(d)> even, odd;
      hn::LoadInterleaved2(d, from, even, odd);
      hn::StoreU(even, d, to);
    } else {
      for (int i = 0; i < tile.columns; ++i)
        to[i] = from[static_cast<std::ptrdiff_t>(i) * layout.step];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();
#endif
