#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

enum class ClassifierKind : unsigned char { kKnn, kSvm, kLogistic };
FOVEA_API std::span<const Choice> choices(ClassifierKind);
// How far two histograms are from each other: chi-squared is half the sum of (a - b)^2 / (a + b),
// Euclidean the root of the sum of (a - b)^2, and cosine 1 minus the cosine of the angle between
// them (1 where one of them is empty).
enum class Distance : unsigned char { kChiSquared, kEuclidean, kCosine };
FOVEA_API std::span<const Choice> choices(Distance);
// A kernel compares two histograms: intersection is the sum of min(a, b), chi-squared the sum of
// 2 a b / (a + b), linear the sum of a b.
enum class Kernel : unsigned char { kIntersection, kChiSquared, kLinear };
FOVEA_API std::span<const Choice> choices(Kernel);

struct TrainClassifierOptions {
  ClassifierKind classifier = ClassifierKind::kKnn;
  int neighbors = 10;  // K of knn; 1 to 1000, and no more than there are samples
  Distance distance = Distance::kChiSquared;  // of knn
  // The kernel of svm and logistic. Intersection and chi-squared are used through the explicit map
  // of Vedaldi and Zisserman (TPAMI 2012), whose root mean square error is 7 % and 2 %; linear
  // takes histograms as they are.
  Kernel kernel = Kernel::kChiSquared;
  // C of svm and logistic: both minimize |weights|^2 / 2 + C * (sum of the losses of all samples).
  double cost = 10;
  int folds = 5;  // svm calibrates its scores on samples left out in turn, in so many parts; 0
                  // skips this, and scores are the margins themselves
  Exec exec{};    // as a part of TrainOptions: the exec given there counts instead
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

// Multinomial logistic regression: one linear function per class over mapped histograms, whose
// values become probabilities by exp(value) / (sum over all classes).
struct LogisticClasses {
  Kernel kernel = Kernel::kChiSquared;
  Image<float> weights;  // one row per class
  std::vector<float> bias;
};

// The training samples themselves.
struct KnnClasses {
  int neighbors = 10;
  Distance distance = Distance::kChiSquared;
  Image<float> samples;  // one per row
  std::vector<std::int32_t> labels;
};

// Finds the class of a histogram of words. Classifier (fovea/scenes/classifier.h) does so for whole
// images.
struct TrainedClassifier {
  ClassifierKind kind = ClassifierKind::kKnn;
  int classes = 0;
  SvmClasses svm{};  // one of the three is filled, by kind
  KnnClasses knn{};
  LogisticClasses logistic{};

  // One row of scores per row of features, one score per class. Scores lie between 0 and 1 and add
  // up to 1 (knn: the share of the neighbors; svm, logistic: probabilities), except for svm with 0
  // folds. Features lie in host or device memory, scores in host memory. CPU and CUDA agree to the
  // bit.
  FOVEA_API Image<float> scores(ImageView<const float> features, const Exec& exec = {}) const;

  // Which bins of a histogram speak for each class: one row per class, one number per bin. The
  // numbers of a row add up to the evidence for its class. With svm and logistic that is the value
  // of the linear function without the bias. With knn every neighbor of the class counts its
  // similarity with the histogram divided by the number of neighbors: 1 - their chi-squared
  // distance (where both add up to 1), the cosine, or for Euclidean neighbors the product of both.
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
// While they train, svm and logistic take 12 bytes per bin of each sample (4 with the linear
// kernel) and, up to 6000 samples, 12 bytes per pair of samples: 1200 samples of 10500 bins and 8
// classes take 170 MB and, with svm, 2 seconds of one core, folds included. knn keeps the samples.
FOVEA_API TrainedClassifier train_classifier(ImageView<const float> features,
                                             std::span<const std::int32_t> labels, int classes,
                                             const TrainClassifierOptions& options = {});

struct DistanceOptions {
  Distance distance = Distance::kChiSquared;
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, DistanceOptions& options);
// The distance from every row of `from` to every row of `to`, which are histograms in host or
// device memory: one row per row of `from`. CPU and CUDA agree to the bit.
FOVEA_API void histogram_distances(ImageView<const float> from, ImageView<const float> to,
                                   ImageView<float> distances, const DistanceOptions& options = {});
// The same with the chi-squared distance.
FOVEA_API void chi_squared_distances(ImageView<const float> from, ImageView<const float> to,
                                     ImageView<float> distances, const Exec& exec = {});

}  // namespace fovea::scenes
