#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/ops/kernel_svm.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/train.h>

#include <cstdint>
#include <vector>

// What a kernel would gain over the linear support vector machine of HOG: the question that Dalal
// and Triggs (CVPR 2005) answer with "about 3 % at 1e-4 false positives per window, at the cost of
// much higher run times". No detector uses kernels; this measures them.
namespace fovea::people {

struct CompareKernelsOptions {
  HogOptions hog{};
  int random_windows = 10;    // windows per negative of the training
  int hard_windows = 10000;   // the most further windows, those that a linear machine finds hardest
  int tuning_windows = 6000;  // the most windows with which cost and gamma are chosen
  std::vector<double> linear_costs{0.0005, 0.002, 0.01, 0.05, 0.2};  // C of the linear machine
  std::vector<double> costs{1, 3, 10};            // to choose C of the RBF kernel from
  std::vector<double> gammas{0.008, 0.03, 0.07};  // to choose its gamma from
  ScanOptions scan{.ratio = 1.2, .stride = 8};    // of the test's images without people
  std::uint64_t kernel_bytes = 4ULL << 30U;  // as KernelSvmOptions::kernel_bytes; the samples of
                                             // the training come on top
  Exec exec{};                               // its device searches the negatives of the training
};
// Lists every field but exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, CompareKernelsOptions& options);

// Settings of a machine, and how it does on windows of the training that it did not learn from.
struct KernelTrial {
  double cost = 0;
  double gamma = 0;      // 0 for the linear machine
  double miss_rate = 1;  // mean where 0.5, 1, 2, 5 and 10 % of the held-out negatives pass
};
FOVEA_API void describe(FieldVisitor& visit, KernelTrial& trial);

struct KernelMeasurement {
  std::vector<KernelTrial> trials;
  KernelTrial chosen;       // the first trial with the least miss rate
  WindowReport report;      // on the test's windows
  int support_vectors = 0;  // 0 for the linear machine, which has weights instead
  bool converged = false;
  double train_seconds = 0;  // of the machine with the chosen settings
  double score_seconds = 0;  // of the test's windows, once their descriptors are computed
};

struct KernelComparison {
  int positives = 0;  // windows that both machines learned from, mirror images included
  int random_windows = 0;
  int hard_windows = 0;
  KernelMeasurement linear;
  KernelMeasurement rbf;

  // By how much the RBF kernel lowers the miss rate at so many false positives per window.
  double gain(double false_positives) const {
    return linear.report.miss_rate_at(false_positives) - rbf.report.miss_rate_at(false_positives);
  }
};

// Trains a linear machine and one with an RBF kernel on the same HOG windows and measures both on
// the windows of a test. The windows are those of `people train`: crops and their mirror images,
// random windows of the negatives, and windows that a first linear machine scores above -1, the
// highest first. Costs and gamma are chosen on the training alone: machines learn from two thirds
// of its images and are measured on the rest. The result depends on neither device nor threads,
// except for its times. Throws InvalidArgument as train_linear() does, and where the kernel does
// not fit into kernel_bytes.
FOVEA_API KernelComparison compare_kernels(const TrainData& training, const TrainData& test,
                                           const CompareKernelsOptions& options = {});

}  // namespace fovea::people
