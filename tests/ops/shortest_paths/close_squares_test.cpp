// The order in which the CUDA twin of floyd-warshall works, walked through on the host.
#include "ops/shortest_paths/close_squares_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fovea::detail {
namespace {

// How many panels' pivots each tile of a lower half has taken, which must come in their order.
class Walk {
 public:
  explicit Walk(int panels) : panels_(panels), taken_(static_cast<std::size_t>(panels * panels)) {}

  void trail(const TrailStep& step) {
    std::vector<int> seen(taken_.size());
    for (unsigned i = 0; i < trail_tiles(step, panels_) + 3; ++i) {
      const TrailTile tile = trail_tile(step, panels_, i);
      if (tile.begin >= tile.end) continue;
      ASSERT_LE(tile.column, tile.row);
      ASSERT_LT(tile.row, panels_);
      EXPECT_EQ(++seen[index(tile.row, tile.column)], 1) << "twice in one step";
      EXPECT_EQ(taken(tile.row, tile.column) * kPanel, step.group * kPanel + tile.begin);
      taken(tile.row, tile.column) = step.group + tile.end / kPanel;
    }
  }
  void finish(int panel) {
    for (int other = 0; other < panels_; ++other) {
      int& count = taken(std::max(panel, other), std::min(panel, other));
      EXPECT_EQ(count, panel) << "tile " << other << " of panel " << panel;
      count = panel + 1;
    }
  }
  void expect_all_done() const {
    for (int row = 0; row < panels_; ++row)
      for (int column = 0; column <= row; ++column)
        EXPECT_EQ(taken_[index(row, column)], panels_) << row << " " << column;
  }

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row * panels_ + column);
  }
  int& taken(int row, int column) { return taken_[index(row, column)]; }
  int panels_;
  std::vector<int> taken_;
};

TEST(CloseSquares, EveryTileTakesEveryPanelOnceAndInOrder) {
  for (int panels = 1; panels <= 9; ++panels) {
    Walk walk(panels);
    for (int group = 0; group < panels; group += kGroup) {
      if (group > 0) walk.trail({group - kGroup, kGroup, group, kGroup, false});
      for (int panel = group; panel < std::min(panels, group + kGroup); ++panel) {
        walk.trail({group, panel - group, panel, 1, true});
        walk.finish(panel);
      }
      walk.trail({group, kGroup, group + kGroup, kGroup, true});
    }
    walk.trail({(panels - 1) / kGroup * kGroup, kGroup, panels, 0, false});
    walk.expect_all_done();
  }
}

TEST(CloseSquares, RowsOfATriangle) {
  unsigned number = 0;
  for (int row = 0; row < 300; ++row)
    for (int column = 0; column <= row; ++column) EXPECT_EQ(triangle_row(number++), row);
  for (const unsigned row : {5000U, 40000U, 60000U}) {
    EXPECT_EQ(triangle_row(row * (row + 1) / 2), static_cast<int>(row));
    EXPECT_EQ(triangle_row(row * (row + 1) / 2 - 1), static_cast<int>(row - 1));
  }
}

}  // namespace
}  // namespace fovea::detail
