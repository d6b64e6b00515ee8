// Blocked Floyd-Warshall over a whole matrix (Katz and Kider, Graphics Hardware 2008), for graphs
// whose arcs lead one way: N^3 steps, 4 N^2 bytes in tiles besides the result. For a graph whose
// arcs all have a twin of the same cost it gives the bits of the undirected form.
#include <algorithm>

#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/min_plus.h"
#include "ops/shortest_paths/min_plus_math.h"

namespace fovea::cpu {
namespace {

using detail::kPathTile;
using detail::kPathTileSize;

// A matrix of tiles, row after row, each row-major. Nodes beyond the last have distance 0 to
// themselves and are infinitely far from all others.
class TiledSquare {
 public:
  explicit TiledSquare(int tiles)
      : tiles_(tiles),
        values_(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles) * kPathTileSize) {
  }
  int tiles() const { return tiles_; }
  float* tile(int row, int column) {
    const auto place = static_cast<std::size_t>(row) * static_cast<std::size_t>(tiles_) +
                       static_cast<std::size_t>(column);
    return values_.data() + place * kPathTileSize;
  }
  float& at(int a, int b) {
    return tile(a / kPathTile, b / kPathTile)[a % kPathTile * kPathTile + b % kPathTile];
  }

 private:
  int tiles_ = 0;
  Array<float> values_;
};

MinPlus tile_product(const float* a, const float* b, float* c) {
  return {kPathTile, kPathTile, kPathTile, a, kPathTile, b, kPathTile, c, kPathTile, false};
}

void set_arcs(const Graph& graph, const Exec& exec, TiledSquare& square) {
  parallel_for(exec, square.tiles(), 1, [&](std::int64_t begin, std::int64_t) {
    const auto row = static_cast<int>(begin);
    std::fill_n(square.tile(row, 0), static_cast<std::size_t>(square.tiles()) * kPathTileSize,
                kUnreachable);
    for (int a = row * kPathTile; a < (row + 1) * kPathTile; ++a) {
      square.at(a, a) = 0;
      if (a >= graph.nodes()) continue;
      const auto neighbors = graph.neighbors(a);
      const auto costs = graph.costs(a);
      for (std::size_t i = 0; i < neighbors.size(); ++i) square.at(a, neighbors[i]) = costs[i];
    }
  });
}

// Finishes row k and column k of the tiles beside the closed tile (k, k).
void finish_cross(TiledSquare& square, int k, const Exec& exec) {
  parallel_for(exec, 2 * std::int64_t{square.tiles()}, 4,
               [&](std::int64_t begin, std::int64_t end) {
                 Array<float> before(kPathTileSize);
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto other = static_cast<int>(i / 2);
                   if (other == k) continue;
                   float* tile = i % 2 == 0 ? square.tile(k, other) : square.tile(other, k);
                   std::copy_n(tile, kPathTileSize, before.data());
                   min_plus(i % 2 == 0 ? tile_product(square.tile(k, k), before.data(), tile)
                                       : tile_product(before.data(), square.tile(k, k), tile));
                 }
               });
}

void close_square(TiledSquare& square, const Exec& exec) {
  for (int k = 0; k < square.tiles(); ++k) {
    throw_if_stopped(exec);
    close_tile(square.tile(k, k));
    finish_cross(square, k, exec);
    parallel_for(exec, square.tiles(), 1, [&](std::int64_t row, std::int64_t) {
      const auto r = static_cast<int>(row);
      for (int c = 0; c < square.tiles() && r != k; ++c) {
        if (c == k) continue;
        MinPlus product = tile_product(square.tile(r, k), square.tile(k, c), square.tile(r, c));
        product.keep = true;
        min_plus(product);
      }
    });
    if (exec.progress && square.tiles() > kPathTile)
      exec.progress({"distances", static_cast<double>(k + 1), static_cast<double>(square.tiles())});
  }
}

}  // namespace

void floyd_warshall_directed(const Graph& graph, const PathOptions& options,
                             detail::TakeRows take) {
  const int nodes = graph.nodes();
  TiledSquare square(detail::path_tiles(nodes));
  set_arcs(graph, options.exec, square);
  close_square(square, options.exec);
  const int most = std::min(nodes, detail::rows_at_a_time(nodes));
  Image<float> rows(nodes, most);
  for (int first = 0; first < nodes; first += most) {
    const auto part = rows.view().crop(0, 0, nodes, std::min(most, nodes - first));
    parallel_for(options.exec, part.height, kPathTile, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i)
        for (int b = 0; b < nodes; b += kPathTile)
          std::copy_n(&square.at(first + i, b), std::min(kPathTile, nodes - b), part.row(i) + b);
    });
    take({first, part});
  }
}

}  // namespace fovea::cpu
