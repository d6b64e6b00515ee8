// A row with its ends repeated on both sides, for sums along it.
#pragma once
#include <algorithm>
#include <vector>

#include "actions/points/points_rows_cpu.h"

namespace fovea::actions::cpu {

class WideRow {
 public:
  WideRow(int width, int radius)
      : width_(width),
        radius_(radius),
        values_(static_cast<std::size_t>(padded(width) + 2 * radius + 2 * kRowPadding)) {}
  float* inside() { return values_.data() + radius_; }
  void repeat_first() { std::fill(values_.data(), inside(), inside()[0]); }
  void repeat_last() {
    std::fill(inside() + width_, values_.data() + values_.size(), inside()[width_ - 1]);
  }
  void repeat_ends() {
    repeat_first();
    repeat_last();
  }
  // The rows that are summed for the columns from x on: each is shifted by one.
  void shifted(int x, std::vector<const float*>& rows) const {
    rows.resize(2 * static_cast<std::size_t>(radius_) + 1);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = values_.data() + x + static_cast<std::ptrdiff_t>(i);
  }

 private:
  int width_, radius_;
  std::vector<float> values_;
};

inline Taps taps_of(const std::vector<float>& kernel) {
  return {kernel.data(), static_cast<int>(kernel.size())};
}

}  // namespace fovea::actions::cpu
