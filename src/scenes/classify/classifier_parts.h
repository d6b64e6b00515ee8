// The parts that the kinds of classifiers are made of.
#pragma once
#include <fovea/scenes/trained_classifier.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scenes/classify/backend.h"
#include "scenes/classify/distance_math.h"

namespace fovea::scenes {

constexpr int kMostNeighbors = 1000;  // K of knn

// Whether features may be negative: linear functions of them, and Euclidean and cosine distances,
// take any numbers; the others compare histograms.
bool takes_negative(const TrainClassifierOptions& options);
bool takes_negative(const TrainedClassifier& classifier);

// Throws unless all histograms, which lie in host memory, are finite and have no negative values,
// or may have some.
void check_histograms(const char* what, ImageView<const float> rows, bool negative);

// Histograms and their classes.
struct LabeledRows {
  ImageView<const float> rows;
  std::span<const std::int32_t> labels;
  int classes = 0;
};

SvmClasses train_svm(const LabeledRows& data, const TrainClassifierOptions& options,
                     const Exec& exec);
LogisticClasses train_logistic(const LabeledRows& data, const TrainClassifierOptions& options,
                               const Exec& exec);

// Writes the probabilities, or margins, of rows of values of linear functions (backend.h). `scores`
// may not be the same memory.
void svm_scores(const SvmClasses& svm, ImageView<const double> values, ImageView<float> scores);
void logistic_scores(const LogisticClasses& logistic, ImageView<const double> values,
                     ImageView<float> scores);
// Writes the shares of the votes of neighbors, one row of which belongs to each row of scores.
void knn_scores(const KnnClasses& knn, ImageView<const std::int32_t> nearest,
                ImageView<float> scores);

void linear_contributions(const LinearFunctions& functions, std::span<const float> histogram,
                          ImageView<float> contributions);
void knn_contributions(const KnnClasses& knn, std::span<const float> histogram,
                       ImageView<float> contributions, const Exec& exec);
// Divides the vote of each neighbor among the bins, by what the neighbor and the histogram have in
// common there: one row per class, whose sum is the share of its votes. Votes of neighbors that
// have nothing in common with the histogram, or less than nothing, go to `rest`, one per class.
void knn_votes(const KnnClasses& knn, std::span<const float> histogram, ImageView<double> votes,
               std::span<double> rest, const Exec& exec);
// Returns the numbers of the `count` nearest samples, nearest first; of equal distances the first
// sample is first.
std::vector<std::int32_t> nearest_samples(std::span<const float> distances, int count);
// Returns their labels.
std::vector<std::int32_t> nearest_labels(std::span<const float> distances,
                                         std::span<const std::int32_t> labels, int count);
// Computes the shares of the votes of the first `count` neighbors. Of several classes with the most
// votes, the class of the nearest neighbor gets the next greater float, so that it wins.
void vote(std::span<const std::int32_t> nearest, int count, std::span<float> shares);

// The sigmoid 1 / (1 + exp(slope * margin + offset)).
struct Sigmoid {
  double slope = 0;
  double offset = 0;

  double operator()(double margin) const;
};
// Returns the most likely sigmoid for the margins of samples that belong to the class or do not
// (Platt 1999, by the Newton method with line search of Lin, Lin and Weng, Machine Learning 68,
// 2007).
Sigmoid fit_sigmoid(std::span<const float> margins, std::span<const std::int8_t> belongs);

// Represents samples as points in a space with no more dimensions than there are samples, in which
// all their products are the same. Problems that depend on samples only through products have the
// same solution there, and many such problems are solved on these short rows.
class ProductBasis {
 public:
  // `samples` has one sample per row. Takes 12 bytes of memory per pair of samples.
  ProductBasis(ImageView<const float> samples, const Exec& exec);

  ImageView<const float> rows() const { return rows_; }
  // Converts a linear function of the points to one of the samples: it is the sum of the samples
  // times these factors.
  std::vector<double> factors(std::span<const float> weights) const;

 private:
  Image<double> factor_;  // L of Cholesky's L L', row by row
  Image<float> rows_;
};

// Training samples after the map of a kernel, in the form in which linear problems over them are
// solved: as points of their span where that has fewer dimensions than mapped histograms.
class MappedSamples {
 public:
  MappedSamples(Kernel kernel, ImageView<const float> histograms, const Exec& exec);

  int width() const { return mapped_.width(); }  // numbers of a mapped histogram
  ImageView<const float> rows() const { return basis_ ? basis_->rows() : mapped_.view(); }
  // Converts a linear function of the rows to one of mapped histograms.
  std::vector<float> weights(std::span<const float> of_rows) const;

 private:
  Image<float> mapped_;
  std::optional<ProductBasis> basis_;
};

namespace cpu {

// Computes distances from rows begin .. end - 1 of `from` to all rows of `to`.
struct DistanceRows {
  Distance distance = Distance::kChiSquared;
  ImageView<const float> from{}, to{};
  ImageView<float> distances{};
  std::span<const float> from_squares{}, to_squares{};  // cosine: square_sum() of each row
  int begin = 0, end = 0;
};
void distance_rows(const DistanceRows& job);
// The sum of the squares of a row.
float square_sum(const float* row, int width);

// Adds the products of the first rows with the second rows to `sums`, which has 64 numbers per row.
struct ProductTile {
  ImageView<const float> rows;
  int first = 0, first_count = 0;    // rows of one side, at most 64
  int second = 0, second_count = 0;  // rows of the other side
};
constexpr int kTileRows = 64;
void add_products(const ProductTile& tile, std::span<double> sums);

}  // namespace cpu
}  // namespace fovea::scenes
