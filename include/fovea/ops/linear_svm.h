#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

struct LinearSvmOptions {
  double cost = 0.01;       // C: weight of the losses relative to the length of the weights; > 0
  double bias_feature = 0;  // 0: the bias is not regularized. Otherwise the bias is the weight of
                            // one more feature with this value and is regularized like the others,
                            // as with liblinear's -B: a small value pulls the bias towards 0
  double tolerance = 0.01;  // training ends when the projected gradients of the dual differ by
                            // less; below 1e-5 the rounding of floats may prevent that
  int max_passes = 1000;    // greatest number of passes over the samples
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, LinearSvmOptions& options);

struct LinearSvm {
  std::vector<float> weights;  // one per feature
  float bias = 0;              // a sample x belongs to label 1 where weights . x + bias > 0
  int passes = 0;              // passes over the samples
  double gap = 0;              // of the projected gradients in the last pass over all samples
  bool converged = false;      // the gap is within the tolerance
  double objective = 0;        // |weights|^2 / 2 + sum of costs * losses, which is least
};
FOVEA_API void describe(FieldVisitor& visit, LinearSvm& svm);

// A linear support vector machine: weights and bias with the least
//   |weights|^2 / 2 + cost * sum of sample_cost[i] * max(0, 1 - label[i] (weights . x[i] + bias)),
// by dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008) with
// shrinking. `samples` holds one per row, in host memory; labels are 1 and -1, both present;
// sample_costs are 0 or more, or empty where all are 1. A bias that is not regularized is found by
// the method of multipliers, so that a large scale of the features does not slow it down.
//
// Each step needs the one before it, so that there is neither a second thread nor a CUDA twin:
// train many machines at once instead. It takes some 40 bytes per sample, and a copy of the samples
// where they have few features. 7000 samples of 36 features take some milliseconds. The order of
// samples comes from exec.seed, and the same machine gives the same bits. Throws InvalidArgument
// for numbers that are NaN, infinite or too large, for sizes that differ, and where all labels are
// equal.
FOVEA_API LinearSvm train_linear_svm(ImageView<const float> samples,
                                     std::span<const std::int8_t> labels,
                                     std::span<const float> sample_costs = {},
                                     const LinearSvmOptions& options = {});

}  // namespace fovea
