#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/report/explanation.h>
#include <fovea/scenes/classifier.h>

#include <cstdint>
#include <string>
#include <vector>

// Why an image counts as one kind of place rather than another. Explanations are computed on the
// host, whatever the device: the CPU and a GPU give an image the same scores to the bit.
namespace fovea::scenes {

// What the shares of an explanation add up to: the first class's value minus the second's.
enum class Evidence : unsigned char {
  kLogOdds,  // svm with calibrated scores: the logarithm of p / (1 - p), where p is the probability
             // of the class before those of all classes are scaled to a sum of 1; it is a linear
             // function of the margin
  kMargin,   // svm without calibration: the margins, which are the scores themselves
  kLogits,   // logistic: the linear functions; their difference is log(first score / second score)
  kVotes     // knn: the shares of the neighbors' votes, which are the scores themselves
};
FOVEA_API std::span<const Choice> choices(Evidence);

// Words of a dictionary that are shown by a part of the image: those with the largest values,
// whatever their signs.
inline constexpr int kShownWords = 32;

// What a visual word adds, over all cells of the pyramid. With vlad and fisher it is what the
// numbers of the word add.
struct WordShare {
  int dictionary = 0;  // 1 for words that stand beside the others (color words)
  int word = 0;        // from 0, in its dictionary
  double value = 0;
  double places = 0;  // which share of the image's places has the word, 0 to 1; with soft and
                      // fisher a place counts for its words by their weights
  // The square of the image that has most of the word, of those kShownWords words of a dictionary
  // whose values are the largest, whatever their signs. Empty for others, and where no place has
  // it.
  Rect<double> place{};
};

// What a cell of the spatial pyramid adds, over all words of all dictionaries.
struct CellShare {
  int level = 0;  // 0: the whole image, 1: its quarters, 2: its sixteenths
  int column = 0;
  int row = 0;
  Rect<double> place{};  // pixels of the image
  double value = 0;
};

struct ExplainOptions {
  int first = -1;   // label of the class that is explained; -1: the one with the greatest score
  int second = -1;  // the class that it is compared with; -1: the greatest score of the others
  Exec exec{};      // its device is not used
};
FOVEA_API void describe(OptionVisitor& visit, ExplainOptions& options);

// Every feature (a bin of a histogram, or a number of a vlad or fisher vector) adds its own part to
// both classes' values, because the kernels are sums over features. `words`, `cells` and `heat` are
// three ways to sum up these parts: each of them plus `bias` is `total`, within rounding.
//
// A place of the image (a pixel, unless a step was chosen) has a share of each feature that it
// counts in. With hard and soft coding a feature is proportional to a count, so that places share
// it by their counts. With vlad and fisher a feature is the signed root of a sum over places,
// divided by the length of its cell: places share the feature in proportion to their terms of the
// sum, and the root and the length, which depend on all places of the cell together, count as one
// factor that all of them have in common. Terms of one sum may cancel each other, so that a place
// may speak strongly for a class while its neighbor speaks strongly against it.
struct SceneExplanation {
  ClassifyResult result{};  // as Classifier::classify() gives it
  int first = -1;           // labels of the two classes
  int second = -1;
  std::string first_name{};
  std::string second_name{};
  std::vector<std::string> names{};  // of all classes, by label
  Evidence evidence = Evidence::kLogOdds;
  double total = 0;
  // What does not depend on the image: the difference of the classes' biases and, with log odds,
  // of the offsets of their sigmoids. With knn, votes of neighbors that have no bin in common with
  // the image.
  double bias = 0;
  std::vector<WordShare> words{};  // one per word, dictionary after dictionary
  std::vector<CellShare> cells{};  // line after line, level after level
  // One value per pixel. A place that stands for several pixels is shared among those nearest to
  // it; places of several scales are added up.
  Image<float> heat{};
};

// The image has 1 or 3 channels of bytes and lies in host memory. Throws InvalidArgument for a
// class that the model does not have, and where both classes are the same.
FOVEA_API SceneExplanation explain(const Model& model, ImageView<const std::uint8_t> image,
                                   const ExplainOptions& options = {});

FOVEA_API void describe(FieldVisitor& visit, SceneExplanation& why);

// The explanation in the common form: words as reasons, the heat as a layer, and the cells and all
// classes as tables.
FOVEA_API report::Explanation present(const SceneExplanation& explanation);

}  // namespace fovea::scenes
