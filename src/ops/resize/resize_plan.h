// What a row of the bilinear resize needs to know about its columns. It is made once per call and
// used for every row. Everything is counted in elements (a pixel has `step` of them).
#pragma once
#include <cstdint>
#include <vector>

#include "ops/resize/resize_math.h"

namespace fovea::detail {

// The plan for bytes. Eight outputs at a time are selected by table lookups from 1, 2, 4 or 8 runs
// of 16 source bytes; larger ratios need more runs.
struct FixedPlan {
  static constexpr int kGroup = 8;
  static constexpr int kRun = 16;

  FixedPlan(int source_width, int out_width, int channels);

  int groups() const { return (elements + kGroup - 1) / kGroup; }
  // The number of source elements that must be readable; shorter rows are copied to a longer
  // buffer.
  int readable() const { return kRun + step; }

  int elements;                      // elements of an output row
  int step;                          // elements from one pixel to the next
  int runs = 1;                      // runs per group
  std::vector<std::int32_t> base;    // where a group's runs start
  std::vector<std::uint8_t> lookup;  // 16 per run: place in the run, then 0x80 for a zero high byte
  std::vector<std::int16_t> weight;  // one per element, in whole groups

 private:
  bool fill(const std::vector<int>& index, int source_elements);
};

// The plan for floats.
struct FloatPlan {
  FloatPlan(int source_width, int out_width, int channels);

  int width;  // width of an output row in pixels
  int channels;
  int inner;  // number of first pixels that may read a vector from each neighbor
  std::vector<std::int32_t> index;  // left neighbor of each pixel, as an element
  std::vector<std::int32_t> next;   // right neighbor of each pixel
  std::vector<float> weight;        // share of the right neighbor
};

}  // namespace fovea::detail
