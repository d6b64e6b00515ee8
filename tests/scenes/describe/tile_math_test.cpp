// How the CUDA twin divides places among blocks, checked on the host: every place once.
#include "scenes/describe/tile_math.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace fovea::scenes {
namespace {

TEST(Tiles, RunOfFindsTheRunThatHoldsAnItem) {
  const std::vector<std::int32_t> firsts{0, 0, 3, 3, 3, 10, 11, 11};  // 7 runs, some empty
  const int count = static_cast<int>(firsts.size()) - 1;
  for (std::int32_t item = 0; item < firsts.back(); ++item) {
    const int run = run_of(firsts.data(), count, item);
    ASSERT_GE(run, 0);
    ASSERT_LT(run, count);
    EXPECT_LE(firsts[static_cast<std::size_t>(run)], item);
    EXPECT_GT(firsts[static_cast<std::size_t>(run) + 1], item);
  }
}

template <class Tiles>
class EveryPlace : public testing::Test {};
using AllTiles = testing::Types<SquareTiles<32, 16>, SquareTiles<32, 8>, SquareTiles<16, 4>,
                                RunTiles<256>, RunTiles<64>, TileParts<SquareTiles<32, 28>, 128>,
                                TileParts<SquareTiles<16, 4>, 16>>;
TYPED_TEST_SUITE(EveryPlace, AllTiles);

TYPED_TEST(EveryPlace, StandsInOneTile) {
  using Tiles = TypeParam;
  for (const auto& [columns, rows] : {std::pair{1, 1}, {32, 16}, {33, 17}, {3, 100}, {257, 30}}) {
    const PlaceGrid grid{.columns = columns, .rows = rows};
    std::vector<int> seen(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    const auto tiles = static_cast<std::int32_t>(Tiles::count(columns, rows));
    for (std::int32_t tile = 0; tile < tiles; ++tile) {
      int inside = 0;
      for (int point = 0; point < Tiles::kPoints; ++point) {
        int column = 0, row = 0;
        if (!Tiles::place(grid, tile, point, column, row)) continue;
        ASSERT_TRUE(column >= 0 && column < columns && row >= 0 && row < rows);
        ++seen[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column)];
        ++inside;
      }
      EXPECT_EQ(Tiles::is_empty(grid, tile), inside == 0)
          << "tile " << tile << " of " << columns << "x" << rows;
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << columns << "x" << rows;
  }
}

TEST(Tiles, OnlyPartsAreEmpty) {
  const PlaceGrid grid{.columns = 40, .rows = 30};  // two lines in the tiles below
  using Parts = TileParts<SquareTiles<32, 28>, 128>;
  EXPECT_EQ(Parts::count(grid.columns, grid.rows), 28);
  int empty = 0;
  for (std::int32_t part = 0; part < 28; ++part) empty += Parts::is_empty(grid, part) ? 1 : 0;
  EXPECT_EQ(empty, 12);
}

TEST(Tiles, ClampIndexStaysInside) {
  EXPECT_EQ(clamp_index(-3, 5), 0);
  EXPECT_EQ(clamp_index(0, 5), 0);
  EXPECT_EQ(clamp_index(4, 5), 4);
  EXPECT_EQ(clamp_index(5, 5), 4);
  EXPECT_EQ(clamp_index(9, 1), 0);
}

}  // namespace
}  // namespace fovea::scenes
