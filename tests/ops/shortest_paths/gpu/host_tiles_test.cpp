#include "ops/shortest_paths/gpu/host_tiles.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "ops/path_graphs.h"

namespace fovea::detail {
namespace {

TEST(HostTiles, EveryTileIsInTheStripOrVisitsOnce) {
  for (const int panels : {1, 2, 3, 5, 8, 9})
    for (const int each : {2, 4}) {
      const SuperPanels supers{panels, each};
      for (int super = 0; super < supers.count(); ++super) {
        std::map<std::pair<int, int>, int> seen;
        const auto add = [&](const std::vector<HostTile>& tiles, std::size_t room) {
          std::map<std::size_t, int> places;
          for (const HostTile& tile : tiles) {
            EXPECT_GE(tile.row, tile.column);
            EXPECT_LT(tile.row, panels);
            EXPECT_LT(tile.place, room);
            EXPECT_EQ(++places[tile.place], 1);
            EXPECT_EQ((++seen[{tile.row, tile.column}]), 1);
          }
        };
        const auto room = [&](int one, int other) {
          return static_cast<std::size_t>(supers.size(one) * supers.size(other));
        };
        for (int other = 0; other < supers.count(); ++other)
          add(strip_tiles(supers, super, other), room(super, other));
        for (int row = 0; row < supers.count(); ++row)
          for (int column = 0; column <= row; ++column)
            if (row != super && column != super)
              add(outer_tiles(supers, row, column), room(row, column));
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(panels * (panels + 1) / 2));
      }
    }
}

TEST(HostTiles, TilesHaveTheArcsAndThePadding) {
  constexpr int kNodes = 300;
  const Graph graph = test::scattered(kNodes, 2000, 8);
  DistanceMatrix matrix(kNodes);
  set_lower(graph, {}, matrix.lower());
  const std::vector<HostTile> tiles = outer_tiles({panels_of(kNodes), 4}, 0, 0);
  ASSERT_EQ(tiles.size(), 6U);
  std::vector<float> values(9 * kPanelTile, -1.F);
  load_tiles(matrix.lower(), kNodes, tiles, {}, values.data());
  for (const HostTile& tile : tiles)
    for (int i = 0; i < kPanel; ++i)
      for (int j = 0; j < kPanel; ++j) {
        const int a = tile.row * kPanel + i, b = tile.column * kPanel + j;
        float expected = a == b ? 0.F : kUnreachable;
        if (a < kNodes && b < kNodes) expected = matrix.at(a, b);
        EXPECT_EQ(values[tile.place * kPanelTile + static_cast<std::size_t>(i * kPanel + j)],
                  expected)
            << a << " " << b;
      }
  for (int a = 0; a < kNodes; ++a)
    for (std::size_t i = 0; i < graph.degree(a); ++i)
      EXPECT_EQ(matrix.at(a, graph.neighbors(a)[i]), graph.costs(a)[i]);
}

TEST(HostTiles, WhatWasLoadedComesBack) {
  constexpr int kNodes = 391;  // the last panel has 7 nodes
  DistanceMatrix matrix(kNodes), back(kNodes);
  for (std::size_t i = 0; i < matrix.lower().size(); ++i) {
    matrix.lower()[i] = static_cast<float>(i % 1000 + 1);
    back.lower()[i] = -1;
  }
  for (int a = 0; a < kNodes; ++a) matrix.set(a, a, 0);
  const SuperPanels supers{panels_of(kNodes), 2};
  std::vector<float> values(4 * kPanelTile);
  for (int row = 0; row < supers.count(); ++row)
    for (int column = 0; column <= row; ++column) {
      const std::vector<HostTile> tiles = outer_tiles(supers, row, column);
      load_tiles(matrix.lower(), kNodes, tiles, {.threads = 2}, values.data());
      store_tiles(values.data(), kNodes, tiles, {.threads = 2}, back.lower());
    }
  EXPECT_TRUE(std::equal(matrix.lower().begin(), matrix.lower().end(), back.lower().begin()));
}

}  // namespace
}  // namespace fovea::detail
