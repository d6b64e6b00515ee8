// The search of one level. The nodes of a tile share their candidate shifts, so that one pass over
// the tile's pixels serves all its blocks. The scores of a tile's candidates stay in the cache; no
// cost volume is kept.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "flow/bm/block_matching_tile.h"
#include "flow/witness.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/bm/block_matching_search_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "flow/bm/block_matching_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes the sums over blocks of the first image alone.
template <int kChannels>
void own_sums(const BlockSearchPlan& plan, const BlockTile& tile, BlockScratch& scratch) {
  const BlockLevel& level = plan.search.first;
  const bm::Layout& layout = plan.layout;
  const int area = layout.block * layout.block;
  const BlockCost cost = plan.search.options.cost;
  if (scratch.first.full) {
    std::fill_n(scratch.own_count, kMostTileNodes, static_cast<std::uint32_t>(area));
    for (int c = 0; c < kChannels; ++c)
      gather(level.sums[c], tile.x, tile.y, layout, tile, scratch.own_sum[c]);
    if (cost == BlockCost::kSsd)
      gather(level.squares, tile.x, tile.y, layout, tile, scratch.own_squares);
    gather(level.inverse, tile.x, tile.y, layout, tile, scratch.own_inverse);
  } else {
    block_sums<Count>(layout, tile, {0}, scratch, scratch.own_count);
    for (int c = 0; c < kChannels; ++c)
      block_sums<Value>(layout, tile, {0, c}, scratch, scratch.own_sum[c]);
    block_sums<Square, kChannels>(layout, tile, {0}, scratch, scratch.own_squares);
  }
  for (int j = 0; j < tile.rows; ++j)
    for (int i = 0; i < tile.columns; ++i) {
      const int node = j * layout.tile + i;
      const auto n = static_cast<int>(scratch.own_count[node]);
      if (!scratch.first.full) {
        std::int64_t variance = std::int64_t{n} * scratch.own_squares[node];
        for (int c = 0; c < kChannels; ++c)
          variance -= std::int64_t{scratch.own_sum[c][node]} * scratch.own_sum[c][node];
        scratch.own_inverse[node] = bm::inverse_of_variance(variance);
      }
      scratch.own_scale[node] =
          kChannels == 1 ? bm::difference_scale(cost, n, scratch.own_inverse[node])
                         : bm::color_difference_scale(cost, n, scratch.own_inverse[node]);
    }
}

// Computes the scores of one shift from the whole sums of both blocks, one node at a time. This is
// used for few nodes, which were summed one by one, and for blocks whose covariances need more than
// 32 bits.
template <int kChannels>
void score_nodes(const BlockSearchPlan& plan, const BlockScratch& scratch, float* scores) {
  const BlockCost cost = plan.search.options.cost;
  const int area = plan.layout.block * plan.layout.block;
  const float inverse_n = 1.0F / static_cast<float>(area);
  for (int i = 0; i < plan.layout.tile * plan.layout.tile; ++i) {
    const std::uint32_t product = scratch.product[i];
    if (cost == BlockCost::kNcc) {
      std::int64_t covariance = std::int64_t{area} * product;
      for (int c = 0; c < kChannels; ++c)
        covariance -= std::int64_t{scratch.own_sum[c][i]} * scratch.sum_y[c][i];
      scores[i] = bm::correlation(covariance, scratch.own_inverse[i], scratch.inverse_y[i]);
      continue;
    }
    const std::uint32_t difference =
        cost == BlockCost::kSad ? product
                                : scratch.own_squares[i] + scratch.squares_y[i] - 2 * product;
    scores[i] = 1.0F - static_cast<float>(difference) * inverse_n * scratch.own_scale[i];
  }
}

// Does the same for four nodes at a time.
template <int kChannels>
void score_vectors(const BlockSearchPlan& plan, const BlockScratch& scratch, float* scores) {
  const Floats d;
  const Words words;
  // Sums may wrap around as unsigned numbers; their differences fit.
  const auto to_float = [&](hn::Vec<Words> value)
                            HWY_ATTR { return hn::ConvertTo(d, hn::BitCast(Integers(), value)); };
  const BlockCost cost = plan.search.options.cost;
  const int area = plan.layout.block * plan.layout.block;
  const auto n = hn::Set(words, static_cast<std::uint32_t>(area));
  const auto inverse_n = hn::Set(d, 1.0F / static_cast<float>(area));
  for (int i = 0; i < scratch.nodes; i += 4) {
    const auto product = hn::LoadU(words, scratch.product + i);
    if (cost == BlockCost::kNcc) {
      auto covariance = hn::Mul(n, product);
      for (int c = 0; c < kChannels; ++c)
        covariance = hn::Sub(covariance, hn::Mul(hn::LoadU(words, scratch.own_sum[c] + i),
                                                 hn::LoadU(words, scratch.sum_y[c] + i)));
      const auto inverse_x = hn::LoadU(d, scratch.own_inverse + i);
      const auto inverse_y = hn::LoadU(d, scratch.inverse_y + i);
      const auto score = hn::Mul(hn::Mul(to_float(covariance), inverse_x), inverse_y);
      const auto both = hn::Gt(hn::Min(inverse_x, inverse_y), hn::Zero(d));
      hn::StoreU(hn::IfThenElse(both, score, hn::Set(d, bm::kNoScore)), d, scores + i);
      continue;
    }
    auto difference = product;
    if (cost == BlockCost::kSsd)
      difference = hn::Sub(hn::Add(hn::LoadU(words, scratch.own_squares + i),
                                   hn::LoadU(words, scratch.squares_y + i)),
                           hn::Add(product, product));
    const auto apart =
        hn::Mul(hn::Mul(to_float(difference), inverse_n), hn::LoadU(d, scratch.own_scale + i));
    hn::StoreU(hn::Sub(hn::Set(d, 1.0F), apart), d, scores + i);
  }
}

// Computes the scores of one shift if every pixel of both images counts.
template <int kChannels>
void score_full(const BlockSearchPlan& plan, const BlockTile& tile, bm::Shift shift,
                BlockScratch& scratch, float* scores) {
  const bm::Layout& layout = plan.layout;
  const BlockLevel& level = plan.search.second;
  const int x = tile.x + shift.u, y = tile.y + shift.v;
  const BlockCost cost = plan.search.options.cost;
  if (cost == BlockCost::kNcc) {
    for (int c = 0; c < kChannels; ++c) gather(level.sums[c], x, y, layout, tile, scratch.sum_y[c]);
    gather(level.inverse, x, y, layout, tile, scratch.inverse_y);
  } else if (cost == BlockCost::kSsd) {
    gather(level.squares, x, y, layout, tile, scratch.squares_y);
  }
  constexpr int kNarrow = kChannels == 1 ? bm::kGreatestNarrowBlock : bm::kGreatestNarrowColorBlock;
  if (layout.tile <= 2 || layout.block > kNarrow) score_nodes<kChannels>(plan, scratch, scores);
  else score_vectors<kChannels>(plan, scratch, scores);
}

// Computes the scores of one shift at the border of the image or of a mask: over the pixels that
// count in both images.
template <int kChannels>
void score_part(const BlockSearchPlan& plan, const BlockTile& tile, std::ptrdiff_t b_at,
                BlockScratch& scratch, float* scores) {
  const bm::Layout& layout = plan.layout;
  const BlockCost cost = plan.search.options.cost;
  block_sums<CountOfBoth>(layout, tile, {b_at}, scratch, scratch.count);
  if (cost != BlockCost::kSad) {
    block_sums<FirstSquareOfBoth, kChannels>(layout, tile, {b_at}, scratch, scratch.squares_x);
    block_sums<SecondSquareOfBoth, kChannels>(layout, tile, {b_at}, scratch, scratch.squares_y);
  }
  for (int c = 0; cost == BlockCost::kNcc && c < kChannels; ++c) {
    block_sums<FirstOfBoth>(layout, tile, {b_at, c}, scratch, scratch.sum_x[c]);
    block_sums<SecondOfBoth>(layout, tile, {b_at, c}, scratch, scratch.sum_y[c]);
  }
  for (int i = 0; i < layout.tile * layout.tile; ++i) {
    const std::uint32_t n = scratch.count[i];
    scores[i] = bm::kNoScore;
    if (n == 0 || !bm::enough_of_pair(static_cast<int>(n), static_cast<int>(scratch.own_count[i])))
      continue;
    if constexpr (kChannels == 1) {
      const bm::PairSums sums{n,
                              scratch.sum_x[0][i],
                              scratch.sum_y[0][i],
                              scratch.squares_x[i],
                              scratch.squares_y[i],
                              scratch.product[i]};
      scores[i] = bm::pair_score(cost, sums, scratch.own_scale[i]);
    } else {
      bm::ColorSums sums{n, scratch.squares_x[i], scratch.squares_y[i], scratch.product[i], 0, 0,
                         0};
      for (int c = 0; c < kChannels; ++c) {
        const std::int64_t x = scratch.sum_x[c][i], y = scratch.sum_y[c][i];
        sums.x_x += x * x, sums.y_y += y * y, sums.x_y += x * y;
      }
      scores[i] = bm::color_pair_score(cost, sums, scratch.own_scale[i]);
    }
  }
}

// Whether a block has enough pixels that count, and enough texture, to be matched.
HWY_INLINE bool can_match(const BlockSearchPlan& plan, const BlockScratch& scratch, int node) {
  const auto n = static_cast<int>(scratch.own_count[node]);
  const float channels = plan.search.options.channels == 1 ? 1.0F : bm::kColorDeviation;
  return n > 0 && bm::enough_of_block(n, plan.layout.block) &&
         bm::has_texture(scratch.own_inverse[node], n,
                         plan.search.options.least_texture * channels);
}

// Finds the best shift of four nodes at a time, and the best of those that are not adjacent to it.
void pick(const BlockSearchPlan& plan, int windows, BlockScratch& scratch) {
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

// Returns the scores around the best shift of a node, which has one.
bm::Peak peak_of(const BlockSearchPlan& plan, int node, const BlockScratch& scratch) {
  const std::int32_t index = scratch.index[node];
  const int side = plan.side, place = index % (side * side);
  const int column = place % side, row = place / side;
  bm::Peak peak{{scratch.shift_u[index], scratch.shift_v[index]}, scratch.second_best[node], {}};
  for (int k = 0; k < 9; ++k) {
    const int du = k % 3 - 1, dv = k / 3 - 1;
    const bool inside = column + du >= 0 && column + du < side && row + dv >= 0 && row + dv < side;
    const std::ptrdiff_t at = index + dv * side + du;
    peak.around[k] = inside ? scratch.scores[at * scratch.nodes + node] : bm::kNoScore;
  }
  return peak;
}

// Returns a node's flow from the best shift, or the prior.
bm::Motion finish(const BlockSearchPlan& plan, const BlockTile& tile, int node,
                  BlockScratch& scratch) {
  const bm::Settings& options = plan.search.options;
  const int i = node % plan.layout.tile, j = node / plan.layout.tile;
  const auto n = static_cast<int>(scratch.own_count[node]);
  if (n == 0) return {0, 0, -1};
  const std::int32_t index = scratch.index[node];
  if (index >= 0 && can_match(plan, scratch, node)) {
    const bm::Peak peak = peak_of(plan, node, scratch);
    const bm::PeakParams params{options.margin, options.subpixel ? 1 : 0};
    if (options.trust == BlockTrust::kScore) return bm::plain_motion_of(peak, params);
    const bm::Motion motion = bm::motion_of(peak, params);
    if (motion.confidence > 0) return motion;
  }
  if (plan.search.prior == nullptr) return {0, 0, 0};
  const bm::Motion prior = bm::prior_at(*plan.search.prior, plan.layout.middle(tile.column + i),
                                        plan.layout.middle(tile.row + j));
  return {prior.u, prior.v, 0};
}

void store_node(const BlockSearchPlan& plan, int column, int row, const bm::Motion& motion) {
  plan.out.u.at(column, row) = motion.u;
  plan.out.v.at(column, row) = motion.v;
  plan.out.confidence.at(column, row) = motion.confidence;
}

// Stores the results of a tile whose best shifts are known.
void store_tile(const BlockSearchPlan& plan, const BlockTile& tile, BlockScratch& scratch) {
  for (int j = 0; j < tile.rows; ++j)
    for (int i = 0; i < tile.columns; ++i)
      store_node(plan, tile.column + i, tile.row + j,
                 scratch.first.any ? finish(plan, tile, j * plan.layout.tile + i, scratch)
                                   : bm::Motion{0, 0, -1});
}

// Writes down what was tried for a node of the tile, whose best shifts are known where any shift
// was tried.
void witness_node(const BlockSearchPlan& plan, const BlockTile& tile, int candidates,
                  const BlockScratch& scratch) {
  Witness::Blocks& seen = plan.search.witness->blocks;
  const int i = seen.column - tile.column, j = seen.row - tile.row;
  if (i < 0 || j < 0 || i >= tile.columns || j >= tile.rows) return;
  const int node = j * plan.layout.tile + i;
  seen.known = true;
  seen.x = plan.layout.first(seen.column), seen.y = plan.layout.first(seen.row);
  seen.count = static_cast<int>(scratch.own_count[node]);
  seen.inverse = scratch.own_inverse[node];
  seen.matched = candidates > 0 && scratch.index[node] >= 0 && can_match(plan, scratch, node);
  seen.shifts.clear();
  seen.scores.clear();
  for (int k = 0; k < candidates; ++k) {
    seen.shifts.push_back({scratch.shift_u[k], scratch.shift_v[k]});
    seen.scores.push_back(scratch.scores[static_cast<std::size_t>(k) * scratch.nodes + node]);
  }
  if (seen.matched) seen.peak = peak_of(plan, node, scratch);
}

// Whether any block of the tile can be matched. If none can, no shift is tried.
bool any_can_match(const BlockSearchPlan& plan, const BlockTile& tile,
                   const BlockScratch& scratch) {
  for (int j = 0; j < tile.rows; ++j)
    for (int i = 0; i < tile.columns; ++i)
      if (can_match(plan, scratch, j * plan.layout.tile + i)) return true;
  return false;
}

template <int kChannels>
void search_tile(const BlockSearchPlan& plan, int tx, int ty, BlockScratch& scratch) {
  const bm::Layout& layout = plan.layout;
  const int range = plan.search.range;
  BlockTile tile{};
  tile.column = tx * layout.tile, tile.row = ty * layout.tile;
  tile.columns = std::min(layout.tile, plan.out.u.width - tile.column);
  tile.rows = std::min(layout.tile, plan.out.u.height - tile.row);
  tile.x = layout.first(tile.column), tile.y = layout.first(tile.row);
  tile.width = (tile.columns - 1) * layout.step + layout.block;
  tile.height = (tile.rows - 1) * layout.step + layout.block;
  scratch.first.x = tile.x, scratch.first.y = tile.y;
  scratch.first.width = tile.width, scratch.first.height = tile.height;
  load_region(plan.search.first, scratch.first);
  if (!scratch.first.any) return store_tile(plan, tile, scratch);
  own_sums<kChannels>(plan, tile, scratch);
  if (!any_can_match(plan, tile, scratch)) {
    std::fill_n(scratch.index, kMostTileNodes, -1);
    if (plan.search.witness != nullptr) witness_node(plan, tile, 0, scratch);
    return store_tile(plan, tile, scratch);
  }
  const bool differences = plan.search.options.cost == BlockCost::kSad;
  const BlockLevel& second = plan.search.second;
  bm::Windows windows = bm::windows_of(plan.priors.data(), plan.columns, plan.rows, tx, ty);
  if (!plan.search.options.neighbors) windows.count = 1;
  BlockRegion& region = scratch.second;
  int candidate = 0;
  for (int w = 0; w < windows.count; ++w) {
    const bm::Shift center = windows.center[w];
    region.x = tile.x + center.u - range, region.y = tile.y + center.v - range;
    region.width = tile.width + 2 * range, region.height = tile.height + 2 * range;
    load_region(second, region);
    for (int dv = -range; dv <= range; ++dv)
      for (int du = -range; du <= range; ++du, ++candidate) {
        const bm::Shift shift{center.u + du, center.v + dv};
        scratch.shift_u[candidate] = shift.u, scratch.shift_v[candidate] = shift.v;
        const std::ptrdiff_t b_at =
            static_cast<std::ptrdiff_t>(dv + range) * region.stride + du + range;
        float* scores =
            scratch.scores.data() + static_cast<std::ptrdiff_t>(candidate) * scratch.nodes;
        const int x = tile.x + shift.u, y = tile.y + shift.v;
        const bool inside = !second.has_mask() && x >= 0 && y >= 0 &&
                            x + tile.width <= second.width && y + tile.height <= second.height;
        const bool full = scratch.first.full && (region.full || inside);
        std::uint32_t* sums = scratch.product;
        if (!differences) block_sums<Product, kChannels>(layout, tile, {b_at}, scratch, sums);
        else if (full) block_sums<Difference, kChannels>(layout, tile, {b_at}, scratch, sums);
        else block_sums<DifferenceOfBoth, kChannels>(layout, tile, {b_at}, scratch, sums);
        if (full) score_full<kChannels>(plan, tile, shift, scratch, scores);
        else score_part<kChannels>(plan, tile, b_at, scratch, scores);
      }
  }
  pick(plan, windows.count, scratch);
  if (plan.search.witness != nullptr) witness_node(plan, tile, candidate, scratch);
  store_tile(plan, tile, scratch);
}

void search_tile_row(const BlockSearchPlan& plan, int ty, BlockScratch& scratch) {
  for (int tx = 0; tx < plan.columns; ++tx)
    if (plan.search.options.channels == 1) search_tile<1>(plan, tx, ty, scratch);
    else search_tile<bm::kColors>(plan, tx, ty, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(search_tile_row);

std::vector<bm::Shift> tile_priors(const BlockSearchPlan& plan, const Exec& exec) {
  std::vector<bm::Shift> priors(static_cast<std::size_t>(plan.columns) * plan.rows);
  const bm::CoarseField* prior = plan.search.prior;
  if (prior == nullptr) return priors;
  const int width = plan.search.first.width, height = plan.search.first.height;
  parallel_for(exec, plan.rows, 8, [&](std::int64_t first, std::int64_t last) {
    for (int ty = static_cast<int>(first); ty < last; ++ty)
      for (int tx = 0; tx < plan.columns; ++tx) {
        const int x = bm::tile_middle(tx, plan.layout, width);
        const int y = bm::tile_middle(ty, plan.layout, height);
        const bm::Motion motion =
            bm::prior_at(*prior, static_cast<float>(x), static_cast<float>(y));
        priors[static_cast<std::size_t>(ty) * plan.columns + tx] = {
            bm::whole_shift(motion.u, x, width), bm::whole_shift(motion.v, y, height)};
      }
  });
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
  BlockSearchPlan plan{search,
                       layout,
                       found.view(),
                       layout.tiles(width),
                       layout.tiles(height),
                       2 * search.range + 1,
                       {},
                       ranked_places(search.range)};
  plan.priors = tile_priors(plan, exec);
  parallel_for(exec, plan.rows, 1, [&](std::int64_t first, std::int64_t last) {
    BlockScratch scratch(plan);
    for (int ty = static_cast<int>(first); ty < last; ++ty)
      HWY_DYNAMIC_DISPATCH(search_tile_row)(plan, ty, scratch);
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
