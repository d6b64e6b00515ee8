#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// How similar two samples a and b are: a . b, or exp(-gamma |a - b|^2).
enum class SvmKernel : unsigned char { kLinear, kRbf };
FOVEA_API std::span<const Choice> choices(SvmKernel);

struct KernelSvmOptions {
  SvmKernel kernel = SvmKernel::kRbf;
  double gamma = 0.03;      // of the RBF kernel; > 0. A larger one follows single samples more
  double cost = 1;          // C: weight of the losses relative to the smoothness; > 0
  double tolerance = 1e-3;  // training ends when no pair of samples violates the optimality
                            // conditions by more
  std::uint64_t max_steps = 20'000'000;      // greatest number of pairs that are changed
  std::uint64_t kernel_bytes = 4ULL << 30U;  // the most memory for the matrix of the kernel, which
                                             // has four bytes per pair of samples
  Exec exec{};
};
// Lists every field but exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, KernelSvmOptions& options);

struct KernelSvm {
  SvmKernel kernel = SvmKernel::kRbf;
  double gamma = 0;
  Image<float> vectors;             // the support vectors, one per row
  std::vector<float> coefficients;  // one per vector: its dual variable times its label
  float bias = 0;           // a sample belongs to label 1 where the sum of coefficient times kernel
                            // plus bias is above 0
  std::uint64_t steps = 0;  // pairs that were changed
  double gap = 0;           // greatest violation of the optimality conditions that is left
  bool converged = false;   // the gap is within the tolerance
  double objective = 0;     // of the dual, which is greatest: sum of the dual variables minus half
                            // the squared length of the weights
};
FOVEA_API void describe(FieldVisitor& visit, KernelSvm& svm);

// A support vector machine with a kernel (Cortes and Vapnik, 1995), exact: sequential minimal
// optimization, which changes the pair of dual variables that promises the greatest gain to second
// order (Fan, Chen and Lin, JMLR 2005), over a matrix of the kernel that is computed once by all
// threads. Arguments are those of train_linear_svm(); samples with a cost of 0 are left out.
//
// It takes four bytes per pair of samples, so that 25000 samples need 2.5 GB, and time that grows
// with the square of the number of samples: use it to find out what a kernel would gain. The result
// does not depend on the number of threads. There is no CUDA twin. Throws InvalidArgument for
// numbers that are NaN, infinite or too large, for sizes that differ, where all labels are equal,
// and where the matrix does not fit into kernel_bytes.
FOVEA_API KernelSvm train_kernel_svm(ImageView<const float> samples,
                                     std::span<const std::int8_t> labels,
                                     std::span<const float> sample_costs = {},
                                     const KernelSvmOptions& options = {});

// The score of every row of `samples`, in host memory. Costs one product of numbers per sample,
// support vector and feature. Of exec, threads and stop are used.
FOVEA_API void kernel_svm_scores(const KernelSvm& svm, ImageView<const float> samples,
                                 std::span<float> scores, const Exec& exec = {});

}  // namespace fovea
