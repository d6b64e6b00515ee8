#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

enum class ClassifierKind : unsigned char { kKnn, kSvm };
FOVEA_API std::span<const Choice> choices(ClassifierKind);
// Kernels between histograms: sum of min(a, b), or sum of 2 a b / (a + b).
enum class Kernel : unsigned char { kIntersection, kChiSquared };
FOVEA_API std::span<const Choice> choices(Kernel);

struct ClassifierOptions {
  ClassifierKind classifier = ClassifierKind::kKnn;
  int neighbors = 10;                   // K of knn; 1 to 1000, and no more than there are samples
  Kernel kernel = Kernel::kChiSquared;  // of svm, by the explicit map of Vedaldi and Zisserman
                                        // (TPAMI 2012), which comes within 2 % of chi-squared and
                                        // 7 % of intersection (root mean square)
  double cost = 10;                     // C of svm; from 3 on it hardly matters
  int folds = 5;  // of svm: scores are calibrated on samples left out in turn; 0: the margins
                  // themselves
};
FOVEA_API void describe(OptionVisitor& visit, ClassifierOptions& options);

// One linear function a class over mapped histograms, and the sigmoid that makes a probability of
// its value (Platt 1999; Lin, Lin and Weng, 2007).
struct SvmClasses {
  Kernel kernel = Kernel::kChiSquared;
  Image<float> weights;  // one class a row
  std::vector<float> bias;
  std::vector<float> slope;  // of the sigmoid 1 / (1 + exp(slope * margin + offset)), or empty
  std::vector<float> offset;
};

// The samples themselves.
struct KnnClasses {
  int neighbors = 10;
  Image<float> samples;  // one a row
  std::vector<std::int32_t> labels;
};

// Tells the class of a histogram.
struct Classifier {
  ClassifierKind kind = ClassifierKind::kKnn;
  int classes = 0;
  SvmClasses svm{};
  KnnClasses knn{};

  // Of each row of features: a score a class, all of them from 0 to 1 and in sum 1 (knn: shares of
  // the neighbors; svm: probabilities), unless folds was 0.
  FOVEA_API Image<float> scores(ImageView<const float> features, const Exec& exec = {}) const;
};

// The class with the greatest score. Among equal votes of neighbors the class of the nearest one
// counts.
FOVEA_API std::vector<std::int32_t> best_classes(ImageView<const float> scores);

// Learns from histograms, one a row in host memory, with labels from 0 on. The same data, options
// and seed give the same classifier for any number of threads. InvalidArgument where a class has no
// sample or there is one class only.
//
// svm takes 12 bytes a bin of a sample while it learns and, up to 6000 samples, 12 bytes a pair of
// samples: 1200 samples of 10500 bins and 8 classes take 170 MB and 2 seconds of one core, folds
// included. knn keeps the samples.
FOVEA_API Classifier train_classifier(ImageView<const float> features,
                                      std::span<const std::int32_t> labels, int classes,
                                      const ClassifierOptions& options = {}, const Exec& exec = {});

// The chi-squared distance of histograms, half the sum of (a - b)^2 / (a + b): rows of `from` to
// rows of `to`, in host memory.
FOVEA_API void chi_squared_distances(ImageView<const float> from, ImageView<const float> to,
                                     ImageView<float> distances, const Exec& exec = {});

}  // namespace fovea::scenes
