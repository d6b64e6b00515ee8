// The weights of the anti-aliased resize along one direction: a triangle that reaches one output
// pixel to either side of the center (one source pixel where the image grows), cut at the border
// and scaled to sum 1. They are computed once on the host for both twins.
#pragma once
#include <vector>

namespace fovea::detail {

// Output i is the sum of source pixels from first[i] on with weights [begin[i], begin[i + 1]) of
// `weight`.
struct AreaTaps {
  std::vector<int> first;
  std::vector<int> begin;
  std::vector<float> weight;

  int count(int i) const { return begin[i + 1] - begin[i]; }
};

AreaTaps area_taps(int source_size, int out_size);

}  // namespace fovea::detail
