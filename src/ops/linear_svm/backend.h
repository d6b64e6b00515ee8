// The loops over samples of a linear support vector machine, and the state they share.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::cpu {

// One dual variable. Together in memory, because samples are visited in random order.
struct SvmSample {
  double alpha = 0;  // 0 to upper
  double upper = 0;  // cost of the sample
  double inverse_curvature = 0;
  std::int32_t row = 0;
  float label = 0;
};

// What a pass reads and changes. `weights` and the rows may be longer than the features: then both
// end in zeros up to `padded`, a whole number of vectors.
struct SvmState {
  const float* rows = nullptr;
  std::ptrdiff_t stride = 0;
  int features = 0;
  bool padded = false;  // rows are aligned and end in zeros
  float* weights = nullptr;
  double bias = 0;
  double bias_step = 0;  // what a unit of alpha * label adds to the bias
  std::span<SvmSample> samples;
  std::span<std::uint32_t> order;  // samples to visit; those shrunk away move behind the end
  // A sample at its bound whose gradient points outside by more than these is shrunk away.
  double shrink_above = 0;
  double shrink_below = 0;
};

struct SvmPass {
  double greatest = 0;     // projected gradient
  double least = 0;        //
  std::size_t active = 0;  // of the order, after shrinking
};

// Floats of a row where rows are copied to be padded; 0 where they have too many features for it.
int svm_padded_size(int features);
SvmPass svm_pass(SvmState& state);
// label * (weights . x + bias) of every sample of the state, whatever its order.
void svm_margins(const SvmState& state, std::span<float> margins);
// The squared length of rows; infinite or not a number where one of their numbers is.
void svm_norms(ImageView<const float> samples, std::span<float> norms);
// weights = sum of alpha * label * x, anew, free of what rounding added up.
void svm_weights(const SvmState& state, std::span<double> sums);

}  // namespace fovea::cpu
