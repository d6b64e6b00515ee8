// Sequential floating forward selection (Pudil, Novovicova and Kittler, Pattern Recognition Letters
// 15, 1994): finds the prototypes that classify validation clips best by the nearest prototype.
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
  std::span<const std::int32_t> clips{};     // labels of clips
  std::span<const std::int32_t> candidates;  // labels of candidates
  int most = 50;                             // greatest number of candidates to choose
};

// The quality of a set: the number of correct clips, and the mean over clips of how much farther
// the nearest candidate of another class is than the nearest of its own, which breaks the many ties
// of the count.
struct SelectionValue {
  std::int64_t right = -1;
  double margin = 0;
  friend bool operator>(const SelectionValue& a, const SelectionValue& b) {
    return a.right != b.right ? a.right > b.right : a.margin > b.margin;
  }
};
SelectionValue selection_value(const SelectionTask& task, std::span<const int> chosen);

// Adds the best candidate, one at a time; then removes others as long as that gives a better set
// than any seen of that size, so that no set occurs twice. Returns the best set of all sizes, the
// smallest of equal ones, in ascending order. Each addition takes clips x candidates operations.
std::vector<int> select_floating(const SelectionTask& task, const Exec& exec);

}  // namespace fovea::actions
