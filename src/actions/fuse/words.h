// Bags of visual words of whole clips (Laptev et al., CVPR 2008): words are learned by k-means from
// descriptors of clips and of their mirror images, a clip is the histogram of its words, and one
// support vector machine per class compares histograms by the chi-squared kernel. Words are found
// and margins computed on the device of `exec`; CPU and CUDA agree to the bit.
#pragma once
#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>
#include <fovea/scenes/trained_classifier.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "actions/train/clip_source.h"

namespace fovea::actions {

// Returns the descriptors of a clip or of its mirror image, one per row, rounded as in files.
Image<float> word_rows(const PointSet& points, bool turned);

// Returns the first `most` of the numbers below `count` in the order into which shuffle() puts
// them, without a list of all.
std::vector<std::size_t> shuffled_start(std::size_t count, std::size_t most, Random random);

// Learns at most 400 words from at most 20 000 descriptors of some of the clips, drawn at random.
// Returns one word per row, and no row if none of these clips has a point.
Image<float> learn_words(const ClipSource& clips, std::span<const int> which, const Exec& exec);

// Counts words: writes which share of the descriptors belongs to each word, zeros if there are no
// descriptors.
void count_words(NearestCenter& words, const Image<float>& rows, float* histogram);

// The histograms of some clips and of their mirror images. `words` has rows.
class WordHistograms {
 public:
  WordHistograms(const ClipSource& clips, std::span<const int> which, ImageView<const float> words,
                 const Exec& exec);
  int words() const { return rows_.width(); }
  // Whether the clip is one of them and has points.
  bool has(int clip) const { return first_[static_cast<std::size_t>(clip)] >= 0; }
  std::span<const float> of(int clip, bool turned) const {
    const int y = first_[static_cast<std::size_t>(clip)] + (turned ? 1 : 0);
    return {rows_.row(y), static_cast<std::size_t>(rows_.width())};
  }

 private:
  std::vector<int> first_;  // by clip: the row of its histogram, which its mirror image follows
  Image<float> rows_;
};

// Support vector machines of the classes that some clips have.
struct WordClassifier {
  scenes::TrainedClassifier svm;
  std::vector<std::int32_t> classes;  // by label of `svm`
};
// Nothing if clips with points have fewer than two classes.
std::optional<WordClassifier> train_words(const WordHistograms& histograms,
                                          std::span<const int> train,
                                          std::span<const std::int32_t> labels, const Exec& exec);
// Returns the margins of rows of histograms, one vector per row with one margin per class; classes
// that were not trained have -infinity.
std::vector<std::vector<double>> word_margins(const WordClassifier& classifier,
                                              ImageView<const float> rows, int classes,
                                              const Exec& exec);

}  // namespace fovea::actions
