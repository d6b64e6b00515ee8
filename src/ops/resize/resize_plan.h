// What a row of the bilinear resize needs to know about its columns; made once a call, used for
// every row. Everything is counted in elements (a pixel has `step` of them).
#pragma once
#include <cstdint>
#include <vector>

#include "ops/resize/resize_math.h"

namespace fovea::detail {

// Bytes. Eight outputs at a time are picked by table look-ups from 1, 2, 4 or 8 runs of 16 source
// bytes, the more the larger the ratio.
struct FixedPlan {
  static constexpr int kGroup = 8;
  static constexpr int kRun = 16;

  FixedPlan(int source_width, int out_width, int channels);

  int groups() const { return (elements + kGroup - 1) / kGroup; }
  // Source elements that must be readable; narrower rows are copied to where they are.
  int readable() const { return kRun + step; }

  int elements;                      // of an output row
  int step;                          // from a pixel to the next
  int runs = 1;                      // of a group
  std::vector<std::int32_t> base;    // where a group's runs start
  std::vector<std::uint8_t> lookup;  // 16 a run: place in the run, then 0x80 for a zero high byte
  std::vector<std::int16_t> weight;  // of each element, whole groups

 private:
  bool fill(const std::vector<int>& index, int source_elements);
};

// Floats.
struct FloatPlan {
  FloatPlan(int source_width, int out_width, int channels);

  int width;  // of an output row, in pixels
  int channels;
  int inner;                        // this many first pixels may read a vector from each neighbor
  std::vector<std::int32_t> index;  // left neighbor of each pixel, as an element
  std::vector<std::int32_t> next;   // right neighbor
  std::vector<float> weight;        // its share
};

}  // namespace fovea::detail
