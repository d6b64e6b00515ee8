// The loops of a linear support vector machine over its samples, and the state that they share.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::cpu {

// One dual variable. Its fields lie together in memory, because samples are visited in random
// order.
struct SvmSample {
  double alpha = 0;  // from 0 to upper
  double upper = 0;  // cost of the sample
  double inverse_curvature = 0;
  std::int32_t row = 0;
  float label = 0;
};

// What a pass reads and changes. With `padded`, the weights and the rows are longer than the
// features and end in zeros up to a whole number of vectors.
struct SvmState {
  const float* rows = nullptr;
  std::ptrdiff_t stride = 0;
  int features = 0;
  bool padded = false;  // rows are aligned and end in zeros
  float* weights = nullptr;
  double bias = 0;
  double bias_step = 0;  // how much a unit of alpha * label adds to the bias
  std::span<SvmSample> samples;
  std::span<std::uint32_t> order;  // samples to visit, then those shrunk away
  // A sample at its bound whose gradient points outward by more than these is shrunk away.
  double shrink_above = 0;
  double shrink_below = 0;
};

struct SvmPass {
  double greatest = 0;     // greatest projected gradient
  double least = 0;        // least projected gradient
  std::size_t active = 0;  // samples of the order that remain after shrinking
};

// The length of a padded row in floats; 0 where rows have too many features to be copied.
int svm_padded_size(int features);
SvmPass svm_pass(SvmState& state);
// Computes label * (weights . x + bias) for every sample of the state, whatever its order.
void svm_margins(const SvmState& state, std::span<float> margins);
// Computes the squared length of rows. It is infinite or NaN where one of their numbers is.
void svm_norms(ImageView<const float> samples, std::span<float> norms);
// Computes weights = sum of alpha * label * x again, which removes accumulated rounding errors.
void svm_weights(const SvmState& state, std::span<double> sums);

}  // namespace fovea::cpu
