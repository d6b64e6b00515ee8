// Medians of small windows by exchanging numbers in registers.
#pragma once

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

// Of the first kHeld numbers the least goes to the front, the greatest to the end.
template <int kHeld, int kCount>
__device__ void drop_ends(float (&set)[kCount]) {
#pragma unroll
  for (int i = 0; i < kHeld / 2; ++i) order(set[i], set[kHeld - 1 - i]);
#pragma unroll
  for (int i = 1; i < (kHeld + 1) / 2; ++i) order(set[0], set[i]);
#pragma unroll
  for (int i = kHeld / 2; i < kHeld - 1; ++i) order(set[i], set[kHeld - 1]);
}

// The middle of kCount numbers by forgetful selection: of one more than half of those that are left
// the least and the greatest cannot be the middle; they make room for the next.
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

}  // namespace fovea::flow::cuda
