// The first trees of a model over a row of windows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "people/trees/scan_trees.h"

namespace fovea::people::cpu {

// The windows of a row; cells[0] is the first cell of the first window.
template <int kDepth>
struct TreeRow {
  const std::uint8_t* cells;
  int count;                   // number of places, one per cell
  const std::uint8_t* wanted;  // for each place: 255 where a window begins
  const ScanTree<kDepth>* trees;
  int tree_count;      // greatest number of trees that are evaluated
  std::int16_t limit;  // a score that cannot leave 16 bits within kTreesBetween trees
  bool every_other;    // windows begin at every second place
};
struct TreeSurvivor {
  int place;
  int score;
  int trees;  // that were evaluated
};

constexpr int kPlacesTogether = 16;  // windows that are evaluated together
// How often it is looked at whether a score could leave 16 bits or few windows are left.
constexpr int kTreesBetween = 4;

// The first trees, as far as they can be evaluated with scores of 16 bits. Scores that could leave
// them upward are found by `limit`; those that leave them downward stop at -32768, which every
// rejection score must be above.
struct TreesTogether {
  static constexpr int kMostTrees = 256;
  int count = 0;
  std::int16_t limit = 0;
  template <class Tree>
  static TreesTogether of(const std::vector<Tree>& trees) {
    constexpr int kMost = 32767;
    TreesTogether first;
    int largest = 0;
    for (const Tree& tree : trees) {
      int change = largest;
      for (const std::int16_t leaf : tree.leaf) change = std::max(change, std::abs(int{leaf}));
      if (first.count == kMostTrees || change * kTreesBetween > kMost || tree.rejection > kMost ||
          tree.rejection < -kMost)
        break;
      largest = change;
      ++first.count;
    }
    first.limit = static_cast<std::int16_t>(kMost - largest * kTreesBetween);
    return first;
  }
};

// Evaluates the first trees for every wanted place, adds what is left to `survivors`, and returns
// how many trees were evaluated. Up to 2 * kPlacesTogether bytes beyond the last place are read.
std::int64_t walk_row(const TreeRow<2>& row, std::vector<TreeSurvivor>& survivors);
std::int64_t walk_row(const TreeRow<3>& row, std::vector<TreeSurvivor>& survivors);
std::int64_t walk_row(const TreeRow<4>& row, std::vector<TreeSurvivor>& survivors);
std::int64_t walk_row(const TreeRow<5>& row, std::vector<TreeSurvivor>& survivors);

}  // namespace fovea::people::cpu
