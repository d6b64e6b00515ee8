// Gathers tiles from half a matrix, a few hundred bytes at a time, and puts them back.
#include "ops/shortest_paths/gpu/host_tiles.h"

#include "core/parallel.h"
#include "ops/shortest_paths/at.h"

namespace fovea::detail {
namespace {

constexpr std::int64_t kTileGrain = 8;  // tiles per piece of work

std::size_t row_begin(int node) { return at(node) * (at(node) + 1) / 2; }

// How many distances of row a lie in a tile: up to the node itself.
int in_tile(const HostTile& tile, int a) { return std::min(kPanel, a + 1 - tile.column * kPanel); }

void load_tile(std::span<const float> lower, int nodes, const HostTile& tile, float* to) {
  for (int i = 0; i < kPanel; ++i, to += kPanel) {
    const int a = tile.row * kPanel + i, b = tile.column * kPanel;
    const int count = a < nodes ? in_tile(tile, a) : 0;
    std::copy_n(lower.data() + (count > 0 ? row_begin(a) + at(b) : 0), count, to);
    std::fill(to + count, to + kPanel, kUnreachable);
    if (tile.row != tile.column) continue;
    for (int j = i + 1; j < kPanel && a < nodes && b + j < nodes; ++j)
      to[j] = lower[row_begin(b + j) + at(a)];
    to[i] = 0;
  }
}

void store_tile(const float* from, int nodes, const HostTile& tile, std::span<float> lower) {
  for (int i = 0; i < kPanel && tile.row * kPanel + i < nodes; ++i, from += kPanel) {
    const int a = tile.row * kPanel + i;
    std::copy_n(from, in_tile(tile, a), lower.data() + row_begin(a) + at(tile.column * kPanel));
  }
}

}  // namespace

std::vector<HostTile> strip_tiles(const SuperPanels& panels, int super, int other) {
  std::vector<HostTile> tiles;
  tiles.reserve(at(panels.size(super)) * at(panels.size(other)));
  for (int j = 0; j < panels.size(other); ++j)
    for (int k = 0; k < panels.size(super); ++k) {
      const int mine = panels.first(super) + k, others = panels.first(other) + j;
      const bool twice = super == other && mine < others;  // the mirrored tile is there
      if (!twice)
        tiles.push_back({std::max(mine, others), std::min(mine, others),
                         at(j) * at(panels.size(super)) + at(k)});
    }
  return tiles;
}

std::vector<HostTile> outer_tiles(const SuperPanels& panels, int row, int column) {
  std::vector<HostTile> tiles;
  tiles.reserve(at(panels.size(row)) * at(panels.size(column)));
  for (int j = 0; j < panels.size(column); ++j)
    for (int i = 0; i < panels.size(row); ++i)
      if (panels.first(row) + i >= panels.first(column) + j)
        tiles.push_back({panels.first(row) + i, panels.first(column) + j,
                         at(j) * at(panels.size(row)) + at(i)});
  return tiles;
}

void set_lower(const Graph& graph, const Exec& exec, std::span<float> lower) {
  constexpr std::int64_t kRows = 64;
  parallel_for(exec, graph.nodes(), kRows, [&](std::int64_t begin, std::int64_t end) {
    for (auto a = static_cast<int>(begin); a < static_cast<int>(end); ++a) {
      float* row = lower.data() + row_begin(a);
      std::fill_n(row, a, kUnreachable);
      row[a] = 0;
      const auto neighbors = graph.neighbors(a);
      const auto costs = graph.costs(a);
      for (std::size_t i = 0; i < neighbors.size(); ++i)
        if (neighbors[i] < a) row[neighbors[i]] = costs[i];
    }
  });
}

void load_tiles(std::span<const float> lower, int nodes, std::span<const HostTile> tiles,
                const Exec& exec, float* to) {
  parallel_for(exec, static_cast<std::int64_t>(tiles.size()), kTileGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (const HostTile& tile : tiles.subspan(at(begin), at(end - begin)))
                   load_tile(lower, nodes, tile, to + tile.place * kPanelTile);
               });
}

void store_tiles(const float* from, int nodes, std::span<const HostTile> tiles, const Exec& exec,
                 std::span<float> lower) {
  parallel_for(exec, static_cast<std::int64_t>(tiles.size()), kTileGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (const HostTile& tile : tiles.subspan(at(begin), at(end - begin)))
                   store_tile(from + tile.place * kPanelTile, nodes, tile, lower);
               });
}

}  // namespace fovea::detail
