// Medians of few numbers, in registers.
#pragma once
#include "flow/lk/lucas_kanade_cuda.cuh"

namespace fovea::flow::cuda {

__device__ inline void order(float& a, float& b) {
  const float low = fminf(a, b);
  b = fmaxf(a, b);
  a = low;
}

__device__ inline void sort5(float (&v)[5]) {
  order(v[0], v[1]);
  order(v[3], v[4]);
  order(v[2], v[4]);
  order(v[2], v[3]);
  order(v[1], v[4]);
  order(v[0], v[3]);
  order(v[0], v[2]);
  order(v[1], v[3]);
  order(v[1], v[2]);
}

// Moves the least of the first kHeld numbers to the front and the greatest to the end.
template <int kHeld, int kCount>
__device__ void drop_ends(float (&set)[kCount]) {
#pragma unroll
  for (int i = 0; i < kHeld / 2; ++i) order(set[i], set[kHeld - 1 - i]);
#pragma unroll
  for (int i = 1; i < (kHeld + 1) / 2; ++i) order(set[0], set[i]);
#pragma unroll
  for (int i = kHeld / 2; i < kHeld - 1; ++i) order(set[i], set[kHeld - 1]);
}

// The median of kCount numbers by forgetful selection. Among one more than half of the remaining
// numbers, the least and the greatest cannot be the median; the next numbers take their places.
template <int kCount, int kHeld = kCount / 2 + 2>
__device__ float middle(float (&set)[kCount]) {
  drop_ends<kHeld>(set);
  if constexpr (kHeld == 3) {
    return set[1];
  } else {
    set[0] = set[2 * (kCount / 2 + 2) - kHeld];
    return middle<kCount, kHeld - 1>(set);
  }
}

// The median of 25 numbers whose columns are sorted. After the rows of equal rank are sorted too,
// only 13 can be the median; six are certainly below it and six above.
__device__ inline float middle_of_sorted(float (&v)[5][5]) {
#pragma unroll
  for (int rank = 0; rank < 5; ++rank) sort5(v[rank]);
  float set[13] = {v[0][3], v[0][4], v[1][2], v[1][3], v[1][4], v[2][1], v[2][2],
                   v[2][3], v[3][0], v[3][1], v[3][2], v[4][0], v[4][1]};
  return middle(set);
}

}  // namespace fovea::flow::cuda
