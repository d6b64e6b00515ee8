// A tile in shared memory: what its team of threads keeps there, and how pixels are loaded.
#pragma once
#include "flow/bm/block_matching_search_cuda.cuh"

namespace fovea::flow::cuda::block_search {

// What is known about a block of the first image.
struct Own {
  int n;
  std::int32_t sum, squares;
  float inverse, scale;
};

// Sizes that all tiles of a level share; words are four pixels.
struct TilePlan {
  int columns, tiles;
  int side, runs;  // shifts of a window along a row, and runs of them
  int nodes;       // nodes per tile
  int words;       // words per row of a block
  unsigned last;   // the pixels of the last word that belong to the block
  int first_stride, first_rows;
  int second_stride, second_rows;
  int windows;  // greatest number of windows
  int staged;   // windows whose pixels are in shared memory at once
  int pitch;    // distance between the scores of two nodes

  // Includes memory for the priors of nine tiles.
  FOVEA_HD int first_words() const {
    const int words = first_stride * first_rows;
    return words > 18 ? words : 18;
  }
  FOVEA_HD int second_words() const { return second_stride * second_rows; }
  FOVEA_HD int team_words() const {
    return static_cast<int>(sizeof(bm::Windows) + sizeof(Own) * nodes) / 4 + 2 * first_words() +
           2 * staged * second_words() + nodes * pitch;
  }
};

template <int kWarps>
struct Team {
  static constexpr int kThreads = 32 * kWarps;
  static __device__ int thread() { return static_cast<int>(threadIdx.x) % kThreads; }
  static __device__ void sync() {
    if constexpr (kWarps == 1) __syncwarp();
    else __syncthreads();
  }
  // Whether a condition holds for all threads of the group, which wait for each other.
  static __device__ bool all(bool value) {
    if constexpr (kWarps == 1) return __all_sync(~0U, value) != 0;
    else return __syncthreads_and(value) != 0;
  }
};

// The part of the shared memory that belongs to a team.
struct Room {
  bm::Windows* windows;
  Own* own;
  std::uint32_t *first, *first_valid;
  std::uint32_t *second, *second_valid;  // one window after another
  std::uint32_t* scores;  // one node after another; they are sums until they become scores

  __device__ Room(const TilePlan& plan, std::uint32_t* at)
      : windows(reinterpret_cast<bm::Windows*>(at)),
        own(reinterpret_cast<Own*>(windows + 1)),
        first(reinterpret_cast<std::uint32_t*>(own + plan.nodes)),
        first_valid(first + plan.first_words()),
        second(first_valid + plan.first_words()),
        second_valid(second + plan.staged * plan.second_words()),
        scores(second_valid + plan.staged * plan.second_words()) {}
};

// The nodes that begin at (column, row), and the pixels of their blocks, which begin at (x, y).
struct Tile {
  int column, row, columns, rows;
  int x, y, width, height;
};
__device__ inline Tile tile_at(const DeviceBlockSearch& search, int tx, int ty) {
  const bm::Layout& layout = search.layout;
  Tile tile{};
  tile.column = tx * layout.tile, tile.row = ty * layout.tile;
  tile.columns = min(layout.tile, search.out.u.width - tile.column);
  tile.rows = min(layout.tile, search.out.u.height - tile.row);
  tile.x = layout.first(tile.column), tile.y = layout.first(tile.row);
  tile.width = (tile.columns - 1) * layout.step + layout.block;
  tile.height = (tile.rows - 1) * layout.step + layout.block;
  return tile;
}

struct Rectangle {
  int x, y, width, height;
};
__device__ inline bool inside(const DeviceBlockLevel& level, const Rectangle& at) {
  return at.x >= 0 && at.y >= 0 && at.x + at.width <= level.width &&
         at.y + at.height <= level.height;
}

// Four pixels that begin at (x, y); 0 outside the level.
__device__ inline std::uint32_t word_at(const ImageView<std::uint8_t>& plane, int x, int y) {
  if (y < 0 || y >= plane.height) return 0;
  const std::uint8_t* row = plane.row(y);
  if (x >= 0 && x + 4 <= plane.width) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(row) + x / 4;
    const unsigned off = static_cast<unsigned>(x) % 4;
    return off == 0 ? words[0] : __funnelshift_r(words[0], words[1], 8 * off);
  }
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i)
    if (x + i >= 0 && x + i < plane.width)
      word |= static_cast<std::uint32_t>(row[x + i]) << (8 * i);
  return word;
}
// The first `count` pixels of a word, or all.
__device__ inline std::uint32_t first_pixels(int count) {
  return count >= 4 ? ~0U : (count <= 0 ? 0U : (1U << (8 * count)) - 1);
}
// 255 where a pixel counts.
__device__ inline std::uint32_t valid_word(const DeviceBlockLevel& level, int x, int y) {
  if (level.valid.data != nullptr) return word_at(level.valid, x, y);
  if (y < 0 || y >= level.height) return 0;
  return first_pixels(level.width - x) & ~first_pixels(-x);
}

// Copies a part of a level. Returns whether all pixels of `at` count, where the caller wants to
// know.
struct Staging {
  std::uint32_t *words, *valid;
  int stride, rows;
};
template <int kWarps>
__device__ bool stage(const DeviceBlockLevel& level, const Rectangle& at, const Staging& to,
                      bool look) {
  bool all = true;
  for (int i = Team<kWarps>::thread(); i < to.stride * to.rows; i += Team<kWarps>::kThreads) {
    const int x = i % to.stride * 4, y = i / to.stride;
    to.words[i] = word_at(level.gray, at.x + x, at.y + y);
    if (!look) continue;
    const std::uint32_t valid = valid_word(level, at.x + x, at.y + y);
    to.valid[i] = valid;
    if (y < at.height) all = all && (~valid & first_pixels(at.width - x)) == 0;
  }
  return all;
}

// The words of a row of pixels, beginning at any pixel.
struct Words {
  const std::uint32_t* at;
  unsigned shift;
  __device__ Words(const std::uint32_t* row, int pixel)
      : at(row + pixel / 4), shift(static_cast<unsigned>(pixel) % 4 * 8) {}
  __device__ std::uint32_t operator[](int k) const {
    return __funnelshift_r(at[k], at[k + 1], shift);
  }
};

}  // namespace fovea::flow::cuda::block_search
