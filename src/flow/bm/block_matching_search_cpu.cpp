// The search of one level. Nodes of a tile share their candidate shifts, so that one pass over the
// tile's pixels serves all its blocks: products run into prefix sums down the columns, blocks are
// differences of them. Scores of a tile's candidates stay in the cache; no cost volume is kept.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "flow/bm/block_matching_cpu.h"

// Outside the per-target part, which is compiled once a target.
#ifndef FOVEA_BLOCK_MATCHING_SEARCH
#define FOVEA_BLOCK_MATCHING_SEARCH
namespace fovea::flow::cpu {
namespace {

constexpr int kLanes = 8;                  // 16-bit numbers in a vector
constexpr std::uint16_t kCounts = 0xffff;  // of a pixel's validity
constexpr int kGreatestTile = 64;          // nodes

inline int rounded_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// What all tiles of a level share.
struct SearchPlan {
  const BlockSearch& search;
  bm::Layout layout;
  bm::NodeField out;
  int columns, rows;  // tiles
  int side;           // candidates along a window
  std::vector<bm::Shift> priors;
  std::vector<std::int32_t> order;  // places in a window by bm::rank_of()
};

// Pixels around a tile as 16-bit numbers, and whether they count.
struct Region {
  std::vector<std::uint16_t> grey, valid;
  int stride = 0;
  int x = 0, y = 0, width = 0, height = 0;
  bool full = false;  // every pixel counts

  void reserve(int greatest_width, int greatest_height) {
    stride = rounded_up(greatest_width, kLanes) + kLanes;
    grey.resize(static_cast<std::size_t>(stride) * greatest_height);
    valid.resize(grey.size());
  }
};

// The tile that is worked on: its nodes from (column, row) on, and all pixels of their blocks from
// (x, y) on.
struct Tile {
  int column, row, columns, rows;
  int x, y, width, height;
};

// Of each node, row by row; rows are layout.tile apart.
template <class T>
using PerNode = T[kGreatestTile];

struct Scratch {
  explicit Scratch(const SearchPlan& plan) {
    const bm::Layout& layout = plan.layout;
    const int pixels = (layout.tile - 1) * layout.step + layout.block;
    const int around = 2 * plan.search.range;
    first.reserve(pixels, pixels);
    second.reserve(rounded_up(pixels, kLanes) + around, pixels + around);
    line = rounded_up(pixels, kLanes) + kLanes;
    prefix.resize(static_cast<std::size_t>(line) * (pixels + 1));
    sums.resize(static_cast<std::size_t>(line) + 1);
    columns.resize(static_cast<std::size_t>(line) * layout.tile + 2 * kLanes);
    nodes = rounded_up(layout.tile * layout.tile, 4);
    const auto candidates = static_cast<std::size_t>(plan.side) * plan.side * bm::kMostWindows;
    scores.resize(candidates * nodes);
    shift_u.resize(candidates);
    shift_v.resize(candidates);
  }

  Region first, second;
  int line;   // of prefix
  int nodes;  // of scores
  std::vector<std::uint32_t> prefix, columns, sums;
  std::vector<float> scores;  // [window][place][node]
  std::vector<std::int32_t> shift_u, shift_v;

  // Of the first image's blocks.
  PerNode<std::uint32_t> own_count{}, own_sum{}, own_squares{};
  PerNode<float> own_inverse{}, own_scale{};
  // Of the pair.
  PerNode<std::uint32_t> count{}, sum_x{}, sum_y{}, squares_x{}, squares_y{}, product{};
  PerNode<float> inverse_y{};
  // What was picked.
  PerNode<float> second_best{};
  PerNode<std::int32_t> index{};
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/bm/block_matching_search_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::FixedTag<std::uint16_t, kLanes>;
using Words = hn::FixedTag<std::uint32_t, 4>;
using Integers = hn::FixedTag<std::int32_t, 4>;
using Floats = hn::FixedTag<float, 4>;
using ShortVec = hn::Vec<Shorts>;

// What is summed over a block, of a pixel of each image and whether it counts. Pixels that do not
// count are 0.
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

// From prefix sums down the columns to a row of blocks that begin `step` apart.
HWY_INLINE void sum_across(const std::uint32_t* line, const bm::Layout& layout, const Tile& tile,
                           std::uint32_t* running, std::uint32_t* out) {
  const Words d;
  const int block = layout.block;
  constexpr int kFewColumns = 16;  // beyond, prefixes along the row are quicker
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

// Sums of Term over every block of the tile, the second image shifted by `b_at` elements of its
// region.
template <class Term>
void block_sums(const bm::Layout& layout, const Tile& tile, std::ptrdiff_t b_at, Scratch& scratch,
                std::uint32_t* out) {
  const Words d;
  const auto places = [&](int y) {
    const std::ptrdiff_t a = static_cast<std::ptrdiff_t>(y) * scratch.first.stride;
    const std::ptrdiff_t b = static_cast<std::ptrdiff_t>(y) * scratch.second.stride + b_at;
    return Places{scratch.first.grey.data() + a, scratch.first.valid.data() + a,
                  scratch.second.grey.data() + b, scratch.second.valid.data() + b};
  };
  if (layout.tile == 1) {
    Pair sum{hn::Zero(d), hn::Zero(d)};
    for (int y = 0; y < tile.height; ++y) {
      const Places row = places(y);
      for (int x = 0; x < tile.width; x += kLanes) accumulate(sum, Term::at(row, x));
    }
    out[0] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum.low, sum.high)));
    return;
  }
  std::uint32_t* prefix = scratch.prefix.data();
  const int line = scratch.line;
  for (int x = 0; x < tile.width; x += kLanes) {
    Pair sum{hn::Zero(d), hn::Zero(d)};
    std::uint32_t* to = prefix + x;
    hn::StoreU(sum.low, d, to);
    hn::StoreU(sum.high, d, to + 4);
    for (int y = 0; y < tile.height; ++y) {
      accumulate(sum, Term::at(places(y), x));
      to += line;
      hn::StoreU(sum.low, d, to);
      hn::StoreU(sum.high, d, to + 4);
    }
  }
  // All rows down before any across: what was just stored is not loaded at once.
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

// A tile's blocks of a plane of blocks; (x, y) is the first's first pixel.
template <class T, class To>
HWY_INLINE void gather(const Image<T>& plane, int x, int y, const bm::Layout& layout,
                       const Tile& tile, To* out) {
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

// Pixels [x, x + width) x [y, y + height) of a level; outside of it nothing counts.
void load_region(const BlockLevel& level, Region& region) {
  const int left = std::clamp(-region.x, 0, region.width);
  const int right = std::clamp(level.width - region.x, left, region.width);
  region.full = left == 0 && right == region.width && region.y >= 0 &&
                region.y + region.height <= level.height;
  for (int y = 0; y < region.height; ++y) {
    std::uint16_t* grey = region.grey.data() + static_cast<std::ptrdiff_t>(y) * region.stride;
    std::uint16_t* valid = region.valid.data() + static_cast<std::ptrdiff_t>(y) * region.stride;
    const int from_y = region.y + y;
    if (from_y < 0 || from_y >= level.height || left == right) {
      std::fill_n(grey, region.stride, std::uint16_t{0});
      std::fill_n(valid, region.stride, std::uint16_t{0});
      continue;
    }
    std::fill_n(grey, left, std::uint16_t{0});
    std::fill_n(valid, left, std::uint16_t{0});
    std::fill_n(grey + right, region.stride - right, std::uint16_t{0});
    std::fill_n(valid + right, region.stride - right, std::uint16_t{0});
    const std::uint8_t* from = level.grey.row(from_y) + region.x;
    for (int x = left; x < right; ++x) grey[x] = from[x];
    if (!level.has_mask()) {
      std::fill_n(valid + left, right - left, kCounts);
      continue;
    }
    const std::uint8_t* counts = level.valid.row(from_y) + region.x;
    int all = 255;
    for (int x = left; x < right; ++x) {
      valid[x] = static_cast<std::uint16_t>(counts[x] * 257);
      all &= counts[x];
    }
    region.full = region.full && all == 255;
  }
}

// Sums of the first image's blocks alone.
void own_sums(const SearchPlan& plan, const Tile& tile, Scratch& scratch) {
  const BlockLevel& level = plan.search.first;
  const bm::Layout& layout = plan.layout;
  const int area = layout.block * layout.block;
  const BlockCost cost = plan.search.options.cost;
  if (scratch.first.full) {
    std::fill_n(scratch.own_count, kGreatestTile, static_cast<std::uint32_t>(area));
    gather(level.sums, tile.x, tile.y, layout, tile, scratch.own_sum);
    gather(level.squares, tile.x, tile.y, layout, tile, scratch.own_squares);
    gather(level.inverse, tile.x, tile.y, layout, tile, scratch.own_inverse);
  } else {
    block_sums<Count>(layout, tile, 0, scratch, scratch.own_count);
    block_sums<Value>(layout, tile, 0, scratch, scratch.own_sum);
    block_sums<Square>(layout, tile, 0, scratch, scratch.own_squares);
  }
  for (int j = 0; j < tile.rows; ++j)
    for (int i = 0; i < tile.columns; ++i) {
      const int node = j * layout.tile + i;
      const auto n = static_cast<int>(scratch.own_count[node]);
      if (!scratch.first.full)
        scratch.own_inverse[node] =
            bm::inverse_deviation(n, scratch.own_sum[node], scratch.own_squares[node]);
      scratch.own_scale[node] = bm::difference_scale(cost, n, scratch.own_inverse[node]);
    }
}

// Scores of one shift where every pixel of both images counts.
void score_full(const SearchPlan& plan, const Tile& tile, bm::Shift shift, Scratch& scratch,
                float* scores) {
  const bm::Layout& layout = plan.layout;
  const BlockLevel& level = plan.search.second;
  const Floats d;
  const Integers integers;
  const Words words;
  const int area = layout.block * layout.block, x = tile.x + shift.u, y = tile.y + shift.v;
  const auto load_words = [&](const std::uint32_t* from)
                              HWY_ATTR { return hn::BitCast(integers, hn::LoadU(words, from)); };
  const std::int32_t* product = reinterpret_cast<const std::int32_t*>(scratch.product);
  if (plan.search.options.cost == BlockCost::kNcc) {
    gather(level.sums, x, y, layout, tile, scratch.sum_y);
    gather(level.inverse, x, y, layout, tile, scratch.inverse_y);
    if (layout.block > bm::kGreatestNarrowBlock) {
      for (int i = 0; i < scratch.nodes; ++i)
        scores[i] =
            bm::ncc_score({area, scratch.own_sum[i], scratch.sum_y[i], 0, 0, scratch.product[i]},
                          scratch.own_inverse[i], scratch.inverse_y[i]);
      return;
    }
    const auto n = hn::Set(integers, area);
    for (int i = 0; i < scratch.nodes; i += 4) {
      const auto covariance =
          hn::Sub(hn::Mul(n, hn::LoadU(integers, product + i)),
                  hn::Mul(load_words(scratch.own_sum + i), load_words(scratch.sum_y + i)));
      const auto inverse_x = hn::LoadU(d, scratch.own_inverse + i);
      const auto inverse_y = hn::LoadU(d, scratch.inverse_y + i);
      const auto score = hn::Mul(hn::Mul(hn::ConvertTo(d, covariance), inverse_x), inverse_y);
      const auto both = hn::Gt(hn::Min(inverse_x, inverse_y), hn::Zero(d));
      hn::StoreU(hn::IfThenElse(both, score, hn::Set(d, bm::kNoScore)), d, scores + i);
    }
    return;
  }
  const bool squared = plan.search.options.cost == BlockCost::kSsd;
  if (squared) gather(level.squares, x, y, layout, tile, scratch.squares_y);
  const auto inverse_n = hn::Set(d, 1.0F / static_cast<float>(area));
  for (int i = 0; i < scratch.nodes; i += 4) {
    auto sum = hn::LoadU(integers, product + i);
    if (squared)
      sum = hn::Sub(hn::Add(load_words(scratch.own_squares + i), load_words(scratch.squares_y + i)),
                    hn::Add(sum, sum));
    const auto apart =
        hn::Mul(hn::Mul(hn::ConvertTo(d, sum), inverse_n), hn::LoadU(d, scratch.own_scale + i));
    hn::StoreU(hn::Sub(hn::Set(d, 1.0F), apart), d, scores + i);
  }
}

// Scores of one shift at the image's border or a mask's: over the pixels that count in both.
void score_part(const SearchPlan& plan, const Tile& tile, std::ptrdiff_t b_at, Scratch& scratch,
                float* scores) {
  const bm::Layout& layout = plan.layout;
  const BlockCost cost = plan.search.options.cost;
  block_sums<CountOfBoth>(layout, tile, b_at, scratch, scratch.count);
  if (cost != BlockCost::kSad) {
    block_sums<FirstSquareOfBoth>(layout, tile, b_at, scratch, scratch.squares_x);
    block_sums<SecondSquareOfBoth>(layout, tile, b_at, scratch, scratch.squares_y);
  }
  if (cost == BlockCost::kNcc) {
    block_sums<FirstOfBoth>(layout, tile, b_at, scratch, scratch.sum_x);
    block_sums<SecondOfBoth>(layout, tile, b_at, scratch, scratch.sum_y);
  }
  for (int i = 0; i < layout.tile * layout.tile; ++i) {
    const bm::PairSums sums{scratch.count[i],     scratch.sum_x[i],     scratch.sum_y[i],
                            scratch.squares_x[i], scratch.squares_y[i], scratch.product[i]};
    scores[i] = bm::kNoScore;
    if (sums.n > 0 &&
        bm::enough_of_pair(static_cast<int>(sums.n), static_cast<int>(scratch.own_count[i])))
      scores[i] = bm::pair_score(cost, sums, scratch.own_scale[i]);
  }
}

// The best shift of four nodes at a time, and the best of those that are not beside it.
void pick(const SearchPlan& plan, int windows, Scratch& scratch) {
  const Floats d;
  const Integers integers;
  const int places = plan.side * plan.side;
  for (int node = 0; node < scratch.nodes; node += 4) {
    auto best = hn::Set(d, bm::kNoScore);
    auto index = hn::Set(integers, -1);
    for (int w = 0; w < windows; ++w)
      for (const std::int32_t place : plan.order) {
        const std::int32_t candidate = w * places + place;
        const auto score =
            hn::LoadU(d, scratch.scores.data() +
                             static_cast<std::ptrdiff_t>(candidate) * scratch.nodes + node);
        const auto better = hn::Gt(score, best);
        best = hn::IfThenElse(better, score, best);
        index =
            hn::IfThenElse(hn::RebindMask(integers, better), hn::Set(integers, candidate), index);
      }
    hn::StoreU(index, integers, scratch.index + node);
    HWY_ALIGN std::int32_t at_u[4], at_v[4];
    for (int i = 0; i < 4; ++i) {
      const std::int32_t at = std::max(scratch.index[node + i], 0);
      at_u[i] = scratch.shift_u[at], at_v[i] = scratch.shift_v[at];
    }
    const auto u = hn::Load(integers, at_u), v = hn::Load(integers, at_v);
    const auto beside = hn::Set(integers, 1);
    auto second = hn::Set(d, bm::kNoScore);
    for (int candidate = 0; candidate < windows * places; ++candidate) {
      const auto away_u = hn::Abs(hn::Sub(hn::Set(integers, scratch.shift_u[candidate]), u));
      const auto away_v = hn::Abs(hn::Sub(hn::Set(integers, scratch.shift_v[candidate]), v));
      const auto apart = hn::RebindMask(d, hn::Gt(hn::Max(away_u, away_v), beside));
      const auto score = hn::LoadU(
          d, scratch.scores.data() + static_cast<std::ptrdiff_t>(candidate) * scratch.nodes + node);
      second = hn::IfThenElse(apart, hn::Max(second, score), second);
    }
    hn::StoreU(second, d, scratch.second_best + node);
  }
}

// A node's flow from what was picked, or the prior.
bm::Motion finish(const SearchPlan& plan, const Tile& tile, int node, Scratch& scratch) {
  const BlockMatchingOptions& options = plan.search.options;
  const int i = node % plan.layout.tile, j = node / plan.layout.tile;
  const auto n = static_cast<int>(scratch.own_count[node]);
  if (n == 0) return {0, 0, -1};
  const std::int32_t index = scratch.index[node];
  if (index >= 0 && bm::enough_of_block(n, plan.layout.block) &&
      bm::has_texture(scratch.own_inverse[node], n, options.least_texture)) {
    const int side = plan.side, place = index % (side * side);
    const int column = place % side, row = place / side;
    bm::Peak peak{{scratch.shift_u[index], scratch.shift_v[index]}, scratch.second_best[node], {}};
    for (int k = 0; k < 9; ++k) {
      const int du = k % 3 - 1, dv = k / 3 - 1;
      const bool inside =
          column + du >= 0 && column + du < side && row + dv >= 0 && row + dv < side;
      const std::ptrdiff_t at = index + dv * side + du;
      peak.around[k] = inside ? scratch.scores[at * scratch.nodes + node] : bm::kNoScore;
    }
    const bm::Motion motion = bm::motion_of(peak, {options.margin, options.subpixel ? 1 : 0});
    if (motion.confidence > 0) return motion;
  }
  if (plan.search.prior == nullptr) return {0, 0, 0};
  const bm::Motion prior =
      bm::prior_at(*plan.search.prior, plan.search.prior_scale, plan.layout.middle(tile.column + i),
                   plan.layout.middle(tile.row + j));
  return {prior.u, prior.v, 0};
}

void search_tile(const SearchPlan& plan, int tx, int ty, Scratch& scratch) {
  const bm::Layout& layout = plan.layout;
  const int range = plan.search.range;
  Tile tile{};
  tile.column = tx * layout.tile, tile.row = ty * layout.tile;
  tile.columns = std::min(layout.tile, plan.out.u.width - tile.column);
  tile.rows = std::min(layout.tile, plan.out.u.height - tile.row);
  tile.x = layout.first(tile.column), tile.y = layout.first(tile.row);
  tile.width = (tile.columns - 1) * layout.step + layout.block;
  tile.height = (tile.rows - 1) * layout.step + layout.block;
  scratch.first.x = tile.x, scratch.first.y = tile.y;
  scratch.first.width = tile.width, scratch.first.height = tile.height;
  load_region(plan.search.first, scratch.first);
  own_sums(plan, tile, scratch);
  const bool differences = plan.search.options.cost == BlockCost::kSad;
  const BlockLevel& second = plan.search.second;
  const bm::Windows windows = bm::windows_of(plan.priors.data(), plan.columns, plan.rows, tx, ty);
  Region& region = scratch.second;
  int candidate = 0;
  for (int w = 0; w < windows.count; ++w) {
    const bm::Shift centre = windows.centre[w];
    region.x = tile.x + centre.u - range, region.y = tile.y + centre.v - range;
    region.width = tile.width + 2 * range, region.height = tile.height + 2 * range;
    load_region(second, region);
    for (int dv = -range; dv <= range; ++dv)
      for (int du = -range; du <= range; ++du, ++candidate) {
        const bm::Shift shift{centre.u + du, centre.v + dv};
        scratch.shift_u[candidate] = shift.u, scratch.shift_v[candidate] = shift.v;
        const std::ptrdiff_t b_at =
            static_cast<std::ptrdiff_t>(dv + range) * region.stride + du + range;
        float* scores =
            scratch.scores.data() + static_cast<std::ptrdiff_t>(candidate) * scratch.nodes;
        const int x = tile.x + shift.u, y = tile.y + shift.v;
        const bool inside = !second.has_mask() && x >= 0 && y >= 0 &&
                            x + tile.width <= second.width && y + tile.height <= second.height;
        const bool full = scratch.first.full && (region.full || inside);
        if (!differences) block_sums<Product>(layout, tile, b_at, scratch, scratch.product);
        else if (full) block_sums<Difference>(layout, tile, b_at, scratch, scratch.product);
        else block_sums<DifferenceOfBoth>(layout, tile, b_at, scratch, scratch.product);
        if (full) score_full(plan, tile, shift, scratch, scores);
        else score_part(plan, tile, b_at, scratch, scores);
      }
  }
  pick(plan, windows.count, scratch);
  for (int j = 0; j < tile.rows; ++j)
    for (int i = 0; i < tile.columns; ++i) {
      const bm::Motion motion = finish(plan, tile, j * layout.tile + i, scratch);
      plan.out.u.at(tile.column + i, tile.row + j) = motion.u;
      plan.out.v.at(tile.column + i, tile.row + j) = motion.v;
      plan.out.confidence.at(tile.column + i, tile.row + j) = motion.confidence;
    }
}

void search_tile_row(const SearchPlan& plan, int ty, Scratch& scratch) {
  for (int tx = 0; tx < plan.columns; ++tx) search_tile(plan, tx, ty, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(search_tile_row);

std::vector<bm::Shift> tile_priors(const SearchPlan& plan) {
  std::vector<bm::Shift> priors(static_cast<std::size_t>(plan.columns) * plan.rows);
  const bm::NodeField* prior = plan.search.prior;
  if (prior == nullptr) return priors;
  const int width = plan.search.first.width, height = plan.search.first.height;
  for (int ty = 0; ty < plan.rows; ++ty)
    for (int tx = 0; tx < plan.columns; ++tx) {
      const int x = bm::tile_middle(tx, plan.layout, width);
      const int y = bm::tile_middle(ty, plan.layout, height);
      const bm::Motion motion = bm::prior_at(*prior, plan.search.prior_scale, static_cast<float>(x),
                                             static_cast<float>(y));
      priors[static_cast<std::size_t>(ty) * plan.columns + tx] = {
          bm::whole_shift(motion.u, x, width), bm::whole_shift(motion.v, y, height)};
    }
  return priors;
}

std::vector<std::int32_t> ranked_places(int range) {
  const int side = 2 * range + 1;
  std::vector<std::int32_t> order(static_cast<std::size_t>(side) * side);
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int32_t>(k);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return bm::rank_of(0, a % side - range, a / side - range, range) <
           bm::rank_of(0, b % side - range, b / side - range, range);
  });
  return order;
}

}  // namespace

void search_blocks(const BlockSearch& search, BlockField& found, const Exec& exec) {
  const bm::Layout layout = bm::layout_of(search.options.block, search.options.step);
  const int width = search.first.width, height = search.first.height;
  found.resize(layout.nodes(width), layout.nodes(height), layout.step);
  SearchPlan plan{search,
                  layout,
                  found.view(),
                  layout.tiles(width),
                  layout.tiles(height),
                  2 * search.range + 1,
                  {},
                  ranked_places(search.range)};
  plan.priors = tile_priors(plan);
  parallel_for(exec, plan.rows, 1, [&](std::int64_t first, std::int64_t last) {
    Scratch scratch(plan);
    for (int ty = static_cast<int>(first); ty < last; ++ty)
      HWY_DYNAMIC_DISPATCH(search_tile_row)(plan, ty, scratch);
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
