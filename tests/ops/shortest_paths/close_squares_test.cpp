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
  // The tiles that do not touch the panels from `first` to `end` take their pivots.
  void visit(int first, int end) {
    const auto inside = [&](int panel) { return panel >= first && panel < end; };
    for (int row = 0; row < panels_; ++row)
      for (int column = 0; column <= row; ++column) {
        if (inside(row) || inside(column)) continue;
        EXPECT_EQ(taken(row, column), first);
        taken(row, column) = end;
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

TEST(CloseSquares, AStripTakesItsOwnPanelsOnceAndInOrder) {
  for (int panels = 1; panels <= 9; ++panels)
    for (const int each : {2, 4}) {
      Walk walk(panels);
      for (int first = 0; first < panels; first += each) {
        const int end = std::min(panels, first + each);
        for (int group = first; group < end; group += kGroup) {
          for (int panel = group; panel < std::min(end, group + kGroup); ++panel) {
            walk.trail({group, panel - group, panel, 1, true});
            walk.finish(panel);
          }
          walk.trail({group, kGroup, first, end - first, true});
        }
        walk.visit(first, end);
      }
      walk.expect_all_done();
    }
}

// As above, over all tiles of a square.
TEST(CloseSquares, EveryTileOfADirectedSquareTakesEveryPanelOnceAndInOrder) {
  for (int panels = 1; panels <= 7; ++panels) {
    std::vector<int> taken(static_cast<std::size_t>(panels * panels));
    const auto trail = [&](const TrailStep& step) {
      std::vector<int> seen(taken.size());
      for (unsigned i = 0; i < directed_tiles(step, panels) + 3; ++i) {
        const TrailTile tile = directed_tile(step, panels, i);
        if (tile.begin >= tile.end) continue;
        const auto place = static_cast<std::size_t>(tile.row * panels + tile.column);
        EXPECT_EQ(++seen[place], 1) << "twice in one step";
        EXPECT_EQ(taken[place] * kPanel, step.group * kPanel + tile.begin);
        taken[place] = step.group + tile.end / kPanel;
      }
    };
    for (int group = 0; group < panels; group += kGroup) {
      if (group > 0) trail({group - kGroup, kGroup, group, kGroup, false});
      for (int panel = group; panel < std::min(panels, group + kGroup); ++panel) {
        trail({group, panel - group, panel, 1, true});
        for (int other = 0; other < panels; ++other)
          for (const int place : {panel * panels + other, other * panels + panel}) {
            int& count = taken[static_cast<std::size_t>(place)];
            EXPECT_TRUE(count == panel || (other == panel && count == panel + 1));
            count = panel + 1;
          }
      }
      trail({group, kGroup, group + kGroup, kGroup, true});
    }
    trail({(panels - 1) / kGroup * kGroup, kGroup, panels, 0, false});
    for (const int count : taken) EXPECT_EQ(count, panels);
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
