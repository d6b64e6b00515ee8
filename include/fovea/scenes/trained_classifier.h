#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

enum class ClassifierKind : unsigned char { kKnn, kSvm };
FOVEA_API std::span<const Choice> choices(ClassifierKind);
// A kernel compares two histograms: intersection is the sum of min(a, b), chi-squared the sum of
// 2 a b / (a + b).
enum class Kernel : unsigned char { kIntersection, kChiSquared };
FOVEA_API std::span<const Choice> choices(Kernel);

struct TrainClassifierOptions {
  ClassifierKind classifier = ClassifierKind::kKnn;
  int neighbors = 10;  // K of knn; 1 to 1000, and no more than there are samples
  // The kernel of svm. It is used through the explicit map of Vedaldi and Zisserman (TPAMI 2012),
  // whose root mean square error is 2 % for chi-squared and 7 % for intersection.
  Kernel kernel = Kernel::kChiSquared;
  double cost = 10;  // C of svm; values above 3 hardly change the result
  int folds = 5;     // svm calibrates its scores on samples left out in turn, in so many parts; 0
                     // skips this, and scores are the margins themselves
  Exec exec{};       // as a part of TrainOptions: the exec given there counts instead
};
FOVEA_API void describe(OptionVisitor& visit, TrainClassifierOptions& options);

// One linear function per class over mapped histograms, and the sigmoid that turns its value into a
// probability (Platt 1999; Lin, Lin and Weng, 2007).
struct SvmClasses {
  Kernel kernel = Kernel::kChiSquared;
  Image<float> weights;  // one row per class
  std::vector<float> bias;
  std::vector<float> slope;   // the sigmoid is 1 / (1 + exp(slope * margin + offset)); both are
  std::vector<float> offset;  // empty where scores are not calibrated
};

// The training samples themselves.
struct KnnClasses {
  int neighbors = 10;
  Image<float> samples;  // one per row
  std::vector<std::int32_t> labels;
};

// Finds the class of a histogram of words. Classifier (fovea/scenes/classifier.h) does so for whole
// images.
struct TrainedClassifier {
  ClassifierKind kind = ClassifierKind::kKnn;
  int classes = 0;
  SvmClasses svm{};  // one of the two is filled, by kind
  KnnClasses knn{};

  // One row of scores per row of features, one score per class. Scores lie between 0 and 1 and add
  // up to 1 (knn: the share of the neighbors; svm: probabilities), unless folds was 0.
  FOVEA_API Image<float> scores(ImageView<const float> features, const Exec& exec = {}) const;

  // Which bins of a histogram speak for each class: one row per class, one number per bin. The
  // numbers of a row add up to the evidence for its class. With svm that is the margin without the
  // bias; with knn every neighbor of the class counts its similarity with the histogram (1 - their
  // chi-squared distance, where both add up to 1) divided by the number of neighbors.
  FOVEA_API Image<float> contributions(std::span<const float> histogram,
                                       const Exec& exec = {}) const;
};

// The class with the greatest score in each row. Where neighbors voted equally often for several
// classes, the class of the nearest neighbor wins.
FOVEA_API std::vector<std::int32_t> best_classes(ImageView<const float> scores);

// Learns from histograms (one per row, in host memory) and their labels, which count from 0. The
// same data, options and seed give the same classifier for any number of threads. Throws
// InvalidArgument where a class has no sample or there are fewer than two classes.
//
// While it trains, svm takes 12 bytes per bin of each sample and, up to 6000 samples, 12 bytes per
// pair of samples: 1200 samples of 10500 bins and 8 classes take 170 MB and 2 seconds of one core,
// folds included. knn keeps the samples.
FOVEA_API TrainedClassifier train_classifier(ImageView<const float> features,
                                             std::span<const std::int32_t> labels, int classes,
                                             const TrainClassifierOptions& options = {});

// The chi-squared distance between histograms, half the sum of (a - b)^2 / (a + b), from every row
// of `from` to every row of `to`, in host memory.
FOVEA_API void chi_squared_distances(ImageView<const float> from, ImageView<const float> to,
                                     ImageView<float> distances, const Exec& exec = {});

}  // namespace fovea::scenes
