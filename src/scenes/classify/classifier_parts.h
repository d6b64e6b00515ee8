// What the kinds of classifier are made of.
#pragma once
#include <fovea/scenes/trained_classifier.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

// Histograms and their classes.
struct LabeledRows {
  ImageView<const float> rows;
  std::span<const std::int32_t> labels;
  int classes = 0;
};

SvmClasses train_svm(const LabeledRows& data, const TrainClassifierOptions& options,
                     const Exec& exec);
void svm_scores(const SvmClasses& svm, ImageView<const float> features, ImageView<float> scores,
                const Exec& exec);

void knn_scores(const KnnClasses& knn, ImageView<const float> features, ImageView<float> scores,
                const Exec& exec);
// The labels of the `count` nearest samples, nearest first, the first among equals first.
std::vector<std::int32_t> nearest_labels(std::span<const float> distances,
                                         std::span<const std::int32_t> labels, int count);
// Shares of the first `count` neighbors' votes. Among classes of most votes that of the nearest
// neighbor stands one unit of rounding above the others.
void vote(std::span<const std::int32_t> nearest, int count, std::span<float> shares);

// The sigmoid 1 / (1 + exp(slope * margin + offset)).
struct Sigmoid {
  double slope = 0;
  double offset = 0;

  double operator()(double margin) const;
};
// The likeliest one for margins of samples that belong to the class or do not (Platt 1999, by the
// Newton method with line search of Lin, Lin and Weng, Machine Learning 68, 2007).
Sigmoid fit_sigmoid(std::span<const float> margins, std::span<const std::int8_t> belongs);

// Samples as points of a space with no more dimensions than there are samples, in which all their
// products are what they were: problems that see samples through products alone have the same
// answer there, and many of them are solved on short rows.
class ProductBasis {
 public:
  // One sample per row. Takes 12 bytes per pair of samples.
  ProductBasis(ImageView<const float> samples, const Exec& exec);

  ImageView<const float> rows() const { return rows_; }
  // A linear function of the points as one of the samples: a factor a sample, whose sum it is.
  std::vector<double> factors(std::span<const float> weights) const;

 private:
  Image<double> factor_;  // L of Cholesky's L L', row after row
  Image<float> rows_;
};

namespace cpu {

// Rows of `from` begin .. end - 1 to all of `to`.
void chi_squared_rows(ImageView<const float> from, ImageView<const float> to,
                      ImageView<float> distances, int begin, int end);

// All products of some rows with some others, columns begin .. end - 1, are added to sums, 64 a
// row.
struct ProductTile {
  ImageView<const float> rows;
  int first = 0, first_count = 0;    // rows of the one side, at most 64
  int second = 0, second_count = 0;  // of the other
};
constexpr int kTileRows = 64;
void add_products(const ProductTile& tile, std::span<double> sums);

}  // namespace cpu
}  // namespace fovea::scenes
