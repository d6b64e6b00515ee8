// Blocked Floyd-Warshall over half a matrix (Katz and Kider, Graphics Hardware 2008; the undirected
// form of Marras et al., Eurographics Italy 2010): N^3 / 2 steps, 2 N^2 bytes.
#include <algorithm>

#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/min_plus.h"
#include "ops/shortest_paths/min_plus_math.h"

namespace fovea::cpu {
namespace {

using detail::half_tile;
using detail::kPathTile;
using detail::kPathTileSize;

void mirror(const float* from, float* to) {
  constexpr int kBlock = 8;
  for (int y = 0; y < kPathTile; y += kBlock)
    for (int x = 0; x < kPathTile; x += kBlock)
      for (int i = y; i < y + kBlock; ++i)
        for (int j = x; j < x + kBlock; ++j) to[j * kPathTile + i] = from[i * kPathTile + j];
}

MinPlus of_tiles(const float* a, const float* b, float* c) {
  return {kPathTile, kPathTile, kPathTile, a, kPathTile, b, kPathTile, c, kPathTile, false};
}

// What all paths through the nodes of one tile need: d(r, k) for all r, and its mirror image d(k,
// r).
class Pivot {
 public:
  explicit Pivot(int tiles) : column_(size(tiles)), row_(size(tiles)) {}

  // Finishes tile r of column k and keeps it in both orientations.
  void finish(float* half, int k, int r) {
    const float* closed = half + half_tile(k, k);
    if (r > k) {
      float* tile = half + half_tile(r, k);
      min_plus(of_tiles(tile, closed, column(r)));
      std::copy_n(column(r), kPathTileSize, tile);
      mirror(column(r), row(r));
    } else {
      float* tile = half + half_tile(k, r);
      min_plus(of_tiles(closed, tile, row(r)));
      std::copy_n(row(r), kPathTileSize, tile);
      mirror(row(r), column(r));
    }
  }
  float* column(int r) { return column_.data() + static_cast<std::size_t>(r) * kPathTileSize; }
  float* row(int r) { return row_.data() + static_cast<std::size_t>(r) * kPathTileSize; }

 private:
  static std::size_t size(int tiles) { return static_cast<std::size_t>(tiles) * kPathTileSize; }
  Array<float> column_;
  Array<float> row_;
};

}  // namespace

void close_half(float* half, int tiles, const Exec& exec) {
  Pivot pivot(tiles);
  for (int k = 0; k < tiles; ++k) {
    close_tile(half + half_tile(k, k));
    parallel_for(exec, tiles, 4, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<int>(begin); r < static_cast<int>(end); ++r)
        if (r != k) pivot.finish(half, k, r);
    });
    // A piece of work has some rows and as many from the other end, so that all pieces take equally
    // long.
    parallel_for(exec, (tiles + 1) / 2, 1, [&](std::int64_t begin, std::int64_t) {
      const auto short_row = static_cast<int>(begin);
      const int long_row = tiles - 1 - short_row;
      const auto finish = [&](int r) {
        for (int c = 0; c <= r && r != k; ++c) {
          if (c == k) continue;
          MinPlus product = of_tiles(pivot.column(r), pivot.row(c), half + half_tile(r, c));
          product.keep = true;
          min_plus(product);
        }
      };
      finish(short_row);
      if (long_row != short_row) finish(long_row);
    });
    if (exec.progress && tiles > kPathTile)
      exec.progress({"distances", static_cast<double>(k + 1), static_cast<double>(tiles)});
  }
}

void floyd_warshall(const Graph& graph, const PathOptions& options, std::span<float> lower) {
  const int nodes = graph.nodes(), tiles = detail::path_tiles(nodes);
  Array<float> half(half_tile(tiles, 0));
  const auto rows_of = [&](auto&& body) {  // tile rows, in parallel
    parallel_for(options.exec, tiles, 1,
                 [&](std::int64_t row, std::int64_t) { body(static_cast<int>(row)); });
  };
  rows_of([&](int row) {
    std::fill(half.data() + half_tile(row, 0), half.data() + half_tile(row + 1, 0), kUnreachable);
    for (int a = row * kPathTile; a < (row + 1) * kPathTile; ++a) {
      half[detail::half_index(a, a)] = 0;
      if (a >= nodes) continue;
      const auto neighbors = graph.neighbors(a);
      const auto costs = graph.costs(a);
      for (std::size_t i = 0; i < neighbors.size(); ++i)
        if (neighbors[i] / kPathTile <= row) half[detail::half_index(a, neighbors[i])] = costs[i];
    }
  });
  close_half(half.data(), tiles, options.exec);
  rows_of([&](int row) {
    for (int a = row * kPathTile; a < std::min(nodes, (row + 1) * kPathTile); ++a) {
      float* to =
          lower.data() + static_cast<std::size_t>(a) * (static_cast<std::size_t>(a) + 1) / 2;
      for (int b = 0; b <= a; b += kPathTile)
        std::copy_n(half.data() + detail::half_index(a, b), std::min(kPathTile, a + 1 - b), to + b);
    }
  });
}

}  // namespace fovea::cpu
