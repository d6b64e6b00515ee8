// Sequential floating forward selection (Pudil, Novovicova and Kittler, Pattern Recognition Letters
// 15, 1994): which prototypes classify validation clips best by the nearest of them.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::actions {

struct SelectionTask {
  ImageView<const float>
      distances{};  // one row per clip, one column per candidate; may be infinite
  std::span<const std::int32_t> clips{};     // labels
  std::span<const std::int32_t> candidates;  // labels
  int most = 50;                             // candidates to choose
};

// How good a set is: clips right, and the mean over clips of what the nearest candidate of another
// class is farther than the nearest of its own, which breaks the many ties of a count.
struct SelectionValue {
  std::int64_t right = -1;
  double margin = 0;
  friend bool operator>(const SelectionValue& a, const SelectionValue& b) {
    return a.right != b.right ? a.right > b.right : a.margin > b.margin;
  }
};
SelectionValue selection_value(const SelectionTask& task, std::span<const int> chosen);

// One candidate is added at a time, the best one; then others are taken away as long as that gives
// a better set than any seen of that size, so that no set comes twice. The best set of all sizes,
// of equal ones the smallest, in rising order. Costs clips x candidates an addition.
std::vector<int> select_floating(const SelectionTask& task, const Exec& exec);

}  // namespace fovea::actions
