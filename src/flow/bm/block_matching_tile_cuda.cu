// The search of one level on CUDA in tiles, whose nodes share their candidate shifts. A team of
// threads, one warp or more, has a tile, with its pixels and those around each window in shared
// memory. A thread walks down one column of nodes for five neighboring shifts, four pixels at a
// time, and sums once what the blocks of its column share. Scores stay in shared memory.
#include "flow/bm/block_matching_pick_cuda.cuh"

namespace fovea::flow::cuda::block_search {
namespace {

using fovea::cuda::allow_shared;
using fovea::cuda::blocks_for;
using fovea::cuda::check_launch;

constexpr struct {
  int teams = 4;        // teams of one warp each per block of threads
  int most_items = 96;  // columns of nodes times runs of shifts that a single warp works on
  int warps = 4;        // warps of a larger team
  int more_warps = 16;  // warps of a team where there are few tiles
  int few_tiles = 256;
  int small_bytes = 48 << 10;  // bytes of shared memory for the teams of a block of threads
} kTuning;

constexpr int kRun = 5;  // neighboring shifts: four within a word and the first of the next word
constexpr unsigned kOnes = 0x01010101U;

// A block of the first image where not all pixels of the tile count.
__device__ Own part_own(const TilePlan& plan, const bm::Layout& layout, const Room& room, int i,
                        int j) {
  Own own{};
  unsigned n = 0, sum = 0, squares = 0;
  for (int y = j * layout.step; y < j * layout.step + layout.block; ++y) {
    const Words a(room.first + y * plan.first_stride, i * layout.step);
    const Words counts(room.first_valid + y * plan.first_stride, i * layout.step);
    for (int k = 0; k < plan.words; ++k) {
      const unsigned mask = k + 1 < plan.words ? ~0U : plan.last, pixels = a[k] & mask;
      n = __dp4a(counts[k] & mask & kOnes, kOnes, n);
      sum = __dp4a(pixels, kOnes, sum);
      squares = __dp4a(pixels, pixels, squares);
    }
  }
  own.n = static_cast<int>(n);
  own.sum = static_cast<std::int32_t>(sum), own.squares = static_cast<std::int32_t>(squares);
  own.inverse = bm::inverse_deviation(own.n, own.sum, own.squares);
  return own;
}
__device__ Own own_of(const DeviceBlockSearch& search, const TilePlan& plan, const Room& room,
                      const Tile& tile, bool full, int node) {
  const bm::Layout& layout = search.layout;
  const int i = node % layout.tile, j = node / layout.tile;
  Own own{};
  if (i >= tile.columns || j >= tile.rows) return own;
  if (full) {
    const int x = tile.x + i * layout.step, y = tile.y + j * layout.step;
    own.n = layout.block * layout.block;
    own.sum = search.first.sums.at(x, y);
    if (search.cost == BlockCost::kSsd) own.squares = search.first.squares.at(x, y);
    own.inverse = search.first.inverse.at(x, y);
  } else {
    own = part_own(plan, layout, room, i, j);
  }
  own.scale = bm::difference_scale(search.cost, own.n, own.inverse);
  return own;
}

// The sums of a pair of blocks for five neighboring shifts.
template <bool kDifferences>
__device__ std::uint32_t add_words(std::uint32_t a, std::uint32_t b, unsigned mask,
                                   std::uint32_t sum) {
  if constexpr (kDifferences) return sum + __vsadu4(a, b & mask);
  else return __dp4a(a, b, sum);  // a is 0 outside the mask
}
template <bool kDifferences, int kWords>
__device__ void add_row(const TilePlan& plan, const Words& a, const Words& b,
                        std::uint32_t (&sums)[kRun]) {
  const int words = kWords > 0 ? kWords : plan.words;
  std::uint32_t a_next = a.at[0], b_next = b.at[1];
  std::uint32_t low = __funnelshift_r(b.at[0], b_next, b.shift);
#pragma unroll kWords> 0 ? kWords : 2
  for (int k = 0; k < words; ++k) {
    const unsigned mask = k + 1 < words ? ~0U : plan.last;
    const std::uint32_t a_now = a_next, b_now = b_next;
    a_next = a.at[k + 1], b_next = b.at[k + 2];
    const std::uint32_t pixels = __funnelshift_r(a_now, a_next, a.shift) & mask;
    const std::uint32_t high = __funnelshift_r(b_now, b_next, b.shift);
    sums[0] = add_words<kDifferences>(pixels, low, mask, sums[0]);
    sums[1] = add_words<kDifferences>(pixels, __funnelshift_r(low, high, 8), mask, sums[1]);
    sums[2] = add_words<kDifferences>(pixels, __funnelshift_r(low, high, 16), mask, sums[2]);
    sums[3] = add_words<kDifferences>(pixels, __funnelshift_r(low, high, 24), mask, sums[3]);
    sums[4] = add_words<kDifferences>(pixels, high, mask, sums[4]);
    low = high;
  }
}

// A pair of blocks: where they begin in shared memory, and where the second begins in its level.
struct BlockPair {
  int first_x, first_y, second_x, second_y;  // in shared memory
  int x, y;
};
// The part of the score that depends on the block of the second image.
struct Other {
  std::int32_t sum, squares;
  float inverse;
};
__device__ Other other_at(const DeviceBlockSearch& search, int x, int y) {
  Other other{};
  if (search.cost == BlockCost::kNcc) {
    other.sum = search.second.sums.at(x, y);
    other.inverse = search.second.inverse.at(x, y);
  }
  if (search.cost == BlockCost::kSsd) other.squares = search.second.squares.at(x, y);
  return other;
}
__device__ float score_full(const DeviceBlockSearch& search, const Own& own, const Other& other,
                            std::uint32_t sum) {
  const auto product = static_cast<std::int32_t>(sum);
  if (search.cost == BlockCost::kNcc)
    return bm::ncc_score({own.n, own.sum, other.sum, 0, 0, product}, own.inverse, other.inverse);
  const std::int32_t difference =
      search.cost == BlockCost::kSsd ? own.squares + other.squares - 2 * product : product;
  return bm::difference_score(difference, 1.0F / static_cast<float>(own.n), own.scale);
}
// Sums over the pixels that count in both blocks.
__device__ float score_part(const DeviceBlockSearch& search, const TilePlan& plan, const Room& room,
                            int window, const Own& own, const BlockPair& pair,
                            std::uint32_t product) {
  const std::uint32_t* second = room.second + window * plan.second_words();
  const std::uint32_t* second_valid = room.second_valid + window * plan.second_words();
  unsigned n = 0, sum_x = 0, sum_y = 0, squares_x = 0, squares_y = 0;
  const bool differences = search.cost == BlockCost::kSad;
  if (differences) product = 0;  // the sum over the pixels that count in either block
  for (int y = 0; y < search.layout.block; ++y) {
    const int a_row = (pair.first_y + y) * plan.first_stride;
    const int b_row = (pair.second_y + y) * plan.second_stride;
    const Words a(room.first + a_row, pair.first_x);
    const Words a_valid(room.first_valid + a_row, pair.first_x);
    const Words b(second + b_row, pair.second_x), b_valid(second_valid + b_row, pair.second_x);
    for (int k = 0; k < plan.words; ++k) {
      const unsigned mask = k + 1 < plan.words ? ~0U : plan.last;
      const unsigned both = a_valid[k] & b_valid[k] & mask;
      const unsigned x = a[k] & both, y_pixels = b[k] & both;
      n = __dp4a(both & kOnes, kOnes, n);
      sum_x = __dp4a(x, kOnes, sum_x);
      sum_y = __dp4a(y_pixels, kOnes, sum_y);
      squares_x = __dp4a(x, x, squares_x);
      squares_y = __dp4a(y_pixels, y_pixels, squares_y);
      if (differences) product += __vsadu4(x, y_pixels);
    }
  }
  if (n == 0 || !bm::enough_of_pair(static_cast<int>(n), own.n)) return bm::kNoScore;
  return bm::pair_score(search.cost, {n, sum_x, sum_y, squares_x, squares_y, product}, own.scale);
}

// What a thread works on: five shifts of a row of one window, for one column of nodes.
struct Item {
  int column, du, dv, window;  // du: the first shift, counted from the first of the window
};
__device__ Item item_at(const TilePlan& plan, int tile, int index) {
  const int runs = index / tile, rows = runs / plan.runs;
  return {index % tile, runs % plan.runs * kRun, rows % plan.side, rows / plan.side};
}

struct TileState {
  Tile tile;
  bool first_full;
  unsigned second_full;  // one bit per staged window
  int first_window;      // the first window that is staged
};

struct PairPlace {
  int column, row, du,
      dv;  // the node in the tile, and the shift counted from the first of the window
};
__device__ BlockPair pair_at(const DeviceBlockSearch& search, const Tile& tile, bm::Shift center,
                             const PairPlace& at) {
  const int x = at.column * search.layout.step, y = at.row * search.layout.step;
  return {x,
          y,
          x + at.du,
          y + at.dv,
          tile.x + x + center.u + at.du - search.range,
          tile.y + y + center.v + at.dv - search.range};
}
// Whether all pixels of both blocks count.
__device__ bool is_full(const DeviceBlockSearch& search, const TileState& state, int window,
                        const BlockPair& pair) {
  const int block = search.layout.block;
  return state.first_full && ((state.second_full >> window & 1U) != 0 ||
                              (search.second.valid.data == nullptr &&
                               inside(search.second, {pair.x, pair.y, block, block})));
}

template <bool kDifferences, int kWords>
__device__ void score_item(const DeviceBlockSearch& search, const TilePlan& plan, const Room& room,
                           const TileState& state, const Item& item) {
  const bm::Layout& layout = search.layout;
  const int window = state.first_window + item.window, x = item.column * layout.step;
  const bm::Shift center = room.windows->center[window];
  const int place = (window * plan.side + item.dv) * plan.side + item.du;
  const int count = min(kRun, plan.side - item.du);
  Words a(room.first, x);
  Words b(room.second + item.window * plan.second_words() + item.dv * plan.second_stride,
          x + item.du);
  std::uint32_t sums[kRun] = {};
  int begun = 0, ended = 0;
  for (int y = 0; y < state.tile.height; ++y) {
    if (y == begun * layout.step && begun < state.tile.rows) {
      std::uint32_t* before =
          room.scores + (begun * layout.tile + item.column) * plan.pitch + place;
#pragma unroll
      for (int c = 0; c < kRun; ++c)
        if (c < count) before[c] = sums[c];
      ++begun;
    }
    add_row<kDifferences, kWords>(plan, a, b, sums);
    a.at += plan.first_stride, b.at += plan.second_stride;
    if (y + 1 != ended * layout.step + layout.block) continue;
    const int node = ended * layout.tile + item.column;
    const Own own = room.own[node];
    std::uint32_t* scores = room.scores + node * plan.pitch + place;
    Other others[kRun];
    bool full[kRun];
#pragma unroll
    for (int c = 0; c < kRun; ++c) {
      const BlockPair pair =
          pair_at(search, state.tile, center, {item.column, ended, item.du + c, item.dv});
      full[c] = c < count && is_full(search, state, item.window, pair);
      others[c] = full[c] ? other_at(search, pair.x, pair.y) : Other{};
    }
#pragma unroll
    for (int c = 0; c < kRun; ++c) {
      if (c >= count) continue;
      const std::uint32_t sum = sums[c] - scores[c];
      scores[c] = full[c] ? __float_as_uint(score_full(search, own, others[c], sum)) : sum;
    }
    ++ended;
  }
}

// Completes the scores that are still sums: those of pairs in which not all pixels count.
template <int kWarps>
__device__ void score_parts(const DeviceBlockSearch& search, const TilePlan& plan, const Room& room,
                            const TileState& state, int windows) {
  const bm::Layout& layout = search.layout;
  const int places = plan.side * plan.side, pairs = plan.nodes * windows * places;
  for (int i = Team<kWarps>::thread(); i < pairs; i += Team<kWarps>::kThreads) {
    const int node = i % plan.nodes, place = i / plan.nodes % places;
    const int window = i / plan.nodes / places, at = state.first_window + window;
    const int column = node % layout.tile, row = node / layout.tile;
    if (column >= state.tile.columns || row >= state.tile.rows) continue;
    const BlockPair pair = pair_at(search, state.tile, room.windows->center[at],
                                   {column, row, place % plan.side, place / plan.side});
    if (is_full(search, state, window, pair)) continue;
    std::uint32_t& score = room.scores[node * plan.pitch + at * places + place];
    score = __float_as_uint(score_part(search, plan, room, window, room.own[node], pair, score));
  }
}

template <int kWarps>
__device__ void finish_nodes(const DeviceBlockSearch& search, const TilePlan& plan,
                             const Room& room, const Tile& tile) {
  using Threads = Team<kWarps>;
  const int lanes = max(1, min(32, Threads::kThreads / plan.nodes));
  const int count = room.windows->count * plan.side * plan.side;
  // All threads have the same number of rounds, because they exchange results.
  for (int i = Threads::thread(); i / 32 * 32 < plan.nodes * lanes; i += Threads::kThreads) {
    const int node = min(i / lanes, plan.nodes - 1);
    const int column = node % search.layout.tile, row = node / search.layout.tile;
    const bool there = i < plan.nodes * lanes && column < tile.columns && row < tile.rows;
    const Scores scores{room.scores + node * plan.pitch, *room.windows, plan.side, search.range,
                        there ? count : 0};
    const Picked picked = pick(scores, i % lanes, lanes);
    if (there && i % lanes == 0)
      store_motion(search, {tile.column + column, tile.row + row},
                   motion_at(search, scores, room.own[node], picked),
                   search.plain && picked.best.candidate >= 0 && matchable(search, room.own[node]));
  }
}

// The nodes of a tile in which no block can be matched, such as one that the mask leaves out. Every
// thread takes the nodes whose blocks it has summed.
template <int kWarps>
__device__ void leave_nodes(const DeviceBlockSearch& search, const TilePlan& plan, const Room& room,
                            const Tile& tile) {
  using Threads = Team<kWarps>;
  for (int node = Threads::thread(); node < plan.nodes; node += Threads::kThreads) {
    const int column = node % search.layout.tile, row = node / search.layout.tile;
    if (column < tile.columns && row < tile.rows)
      store_motion(search, {tile.column + column, tile.row + row},
                   {0, 0, room.own[node].n == 0 ? -1.0F : 0.0F});
  }
}

// The windows of the tile, from priors that nine threads load at once. Where there is no neighbor,
// the tile's own prior is used, which adds no window.
template <int kWarps>
__device__ void find_windows(const DeviceBlockSearch& search, const TilePlan& plan,
                             const Room& room, int2 tile) {
  auto* priors = reinterpret_cast<bm::Shift*>(room.first);
  if (const int i = Team<kWarps>::thread(); i < 9) {
    const int x = tile.x + i % 3 - 1, y = tile.y + i / 3 - 1;
    const bool there = x >= 0 && y >= 0 && x < plan.columns && y < plan.tiles / plan.columns;
    priors[i] = search.priors[(there ? y : tile.y) * plan.columns + (there ? x : tile.x)];
  }
  Team<kWarps>::sync();
  if (Team<kWarps>::thread() == 0) {
    *room.windows = bm::windows_of(priors, 3, 3, 1, 1);
    if (!search.neighbors) room.windows->count = 1;
  }
  Team<kWarps>::sync();
}

template <int kWarps, bool kDifferences, int kWords>
__global__ void __launch_bounds__(kWarps == 1 ? 32 * kTuning.teams : 32 * kWarps)
    tile_kernel(DeviceBlockSearch search, TilePlan plan) {
  extern __shared__ std::uint32_t shared[];
  using Threads = Team<kWarps>;
  const int team = static_cast<int>(threadIdx.x) / Threads::kThreads;
  const int index = static_cast<int>(blockIdx.x * (blockDim.x / Threads::kThreads)) + team;
  if (index >= plan.tiles) return;
  const Room room(plan, shared + team * plan.team_words());
  const int tx = index % plan.columns, ty = index / plan.columns, range = search.range;
  TileState state{};
  const Tile& tile = state.tile = tile_at(search, tx, ty);
  find_windows<kWarps>(search, plan, room, {tx, ty});
  const bm::Windows& windows = *room.windows;
  const auto around = [&](int window) -> Rectangle {
    return {tile.x + windows.center[window].u - range, tile.y + windows.center[window].v - range,
            tile.width + 2 * range, tile.height + 2 * range};
  };
  const Rectangle own_place{tile.x, tile.y, tile.width, tile.height};
  bool look = search.first.valid.data != nullptr || search.second.valid.data != nullptr ||
              !inside(search.first, own_place);
  for (int w = 0; w < windows.count; ++w) look = look || !inside(search.second, around(w));
  state.first_full = Threads::all(
      stage<kWarps>(search.first, own_place,
                    {room.first, room.first_valid, plan.first_stride, plan.first_rows}, look));
  Threads::sync();
  bool any = false;
  for (int node = Threads::thread(); node < plan.nodes; node += Threads::kThreads) {
    room.own[node] = own_of(search, plan, room, tile, state.first_full, node);
    any = any || matchable(search, room.own[node]);
  }
  if (Threads::all(!any)) return leave_nodes<kWarps>(search, plan, room, tile);
  for (int w = 0; w < windows.count; w += plan.staged) {
    const int count = min(plan.staged, windows.count - w);
    state.first_window = w, state.second_full = 0;
    Threads::sync();
    for (int k = 0; k < count; ++k) {
      const Staging to{room.second + k * plan.second_words(),
                       room.second_valid + k * plan.second_words(), plan.second_stride,
                       plan.second_rows};
      if (Threads::all(stage<kWarps>(search.second, around(w + k), to, look)))
        state.second_full |= 1U << k;
    }
    Threads::sync();
    const int items = count * plan.side * plan.runs * search.layout.tile;
    for (int i = Threads::thread(); i < items; i += Threads::kThreads) {
      const Item item = item_at(plan, search.layout.tile, i);
      if (item.column < tile.columns)
        score_item<kDifferences, kWords>(search, plan, room, state, item);
    }
    if (state.first_full && state.second_full == (1U << count) - 1) continue;
    Threads::sync();
    score_parts<kWarps>(search, plan, room, state, count);
  }
  Threads::sync();
  finish_nodes<kWarps>(search, plan, room, tile);
}

TilePlan plan_of(const DeviceBlockSearch& search) {
  const bm::Layout& layout = search.layout;
  TilePlan plan{};
  plan.columns = layout.tiles(search.first.width);
  plan.tiles = plan.columns * layout.tiles(search.first.height);
  plan.side = 2 * search.range + 1;
  plan.runs = (plan.side + kRun - 1) / kRun;
  plan.nodes = layout.tile * layout.tile;
  plan.words = (layout.block + 3) / 4;
  plan.last = layout.block % 4 == 0 ? ~0U : (1U << (8 * (layout.block % 4))) - 1;
  // Odd numbers of words: rows begin in different banks.
  const int last_pixel = (layout.tile - 1) * layout.step;
  plan.first_stride = (last_pixel / 4 + plan.words + 1) | 1;
  plan.first_rows = last_pixel + layout.block;
  plan.second_stride = ((last_pixel + (plan.runs - 1) * kRun) / 4 + plan.words + 2) | 1;
  plan.second_rows = plan.first_rows + 2 * search.range;
  plan.windows = search.has_prior() ? bm::kMostWindows : 1;
  plan.staged = plan.windows;
  plan.pitch = (plan.windows * plan.side * plan.side) | 1;
  return plan;
}

template <int kWarps, bool kDifferences, int kWords>
void launch(const DeviceBlockSearch& search, const TilePlan& plan, cudaStream_t stream) {
  constexpr int kTeams = kWarps == 1 ? kTuning.teams : 1;
  const std::size_t bytes = sizeof(std::uint32_t) * kTeams * plan.team_words();
  allow_shared(tile_kernel<kWarps, kDifferences, kWords>, bytes, "looking for blocks");
  tile_kernel<kWarps, kDifferences, kWords>
      <<<blocks_for(plan.tiles, kTeams), 32 * kWarps * kTeams, bytes, stream>>>(search, plan);
  check_launch("looking for blocks");
}
template <int kWarps>
void launch(const DeviceBlockSearch& search, const TilePlan& plan, cudaStream_t stream) {
  const bool differences = search.cost == BlockCost::kSad;
  switch (plan.words) {
    case 2:
      return differences ? launch<kWarps, true, 2>(search, plan, stream)
                         : launch<kWarps, false, 2>(search, plan, stream);
    case 4:
      return differences ? launch<kWarps, true, 4>(search, plan, stream)
                         : launch<kWarps, false, 4>(search, plan, stream);
    default:
      return differences ? launch<kWarps, true, 0>(search, plan, stream)
                         : launch<kWarps, false, 0>(search, plan, stream);
  }
}

}  // namespace

bool search_tiles(const DeviceBlockSearch& search, cudaStream_t stream) {
  TilePlan plan = plan_of(search);
  const auto bytes = [&] {
    return static_cast<std::int64_t>(sizeof(std::uint32_t)) * plan.team_words();
  };
  const int items = plan.side * plan.runs * search.layout.tile;
  if (items <= kTuning.most_items && plan.tiles >= kTuning.few_tiles &&
      kTuning.teams * bytes() <= kTuning.small_bytes) {
    launch<1>(search, plan, stream);
    return true;
  }
  const int most = fovea::cuda::require_shared(0, "looking for blocks");
  if (bytes() > most) plan.staged = 1;
  if (bytes() > most) return false;
  if (plan.tiles < kTuning.few_tiles) launch<kTuning.more_warps>(search, plan, stream);
  else launch<kTuning.warps>(search, plan, stream);
  return true;
}

}  // namespace fovea::flow::cuda::block_search
