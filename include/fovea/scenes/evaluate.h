#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/ops/confusion.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/train.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea::scenes {

// Which images are trained on and which are tested with, by number.
struct Split {
  std::vector<int> train;
  std::vector<int> test;
};
// `count` random splits, each of which trains on the same share of every class.
FOVEA_API std::vector<Split> random_splits(std::span<const std::int32_t> labels, int classes,
                                           int count, double train_share, std::uint64_t seed);

// How images are divided at random.
struct SplitOptions {
  int splits = 20;     // how many times
  double share = 0.8;  // of the images per class that are trained on
};
FOVEA_API void describe(OptionVisitor& visit, SplitOptions& options);

// Images, their classes, and how they are divided.
struct SplitCorpus {
  Corpus corpus;
  std::vector<Split> splits;
};
// Divides the images of a folder or list (see read_corpus()) at random.
FOVEA_API SplitCorpus split_corpus(const std::string& folder_or_list, const SplitOptions& options,
                                   std::uint64_t seed);
// The same for a corpus that was read already.
FOVEA_API SplitCorpus split_corpus(Corpus corpus, const SplitOptions& options, std::uint64_t seed);
// One split, which two lists give: the images to train on and those to test with. The files of
// both are looked up in `folder` first.
FOVEA_API SplitCorpus given_split(const std::string& folder, const std::string& train_list,
                                  const std::string& test_list);

// What words are learned from: anew from the images that each split trains on, or once from all
// images without their labels, as Chen does.
enum class DictionaryFrom : unsigned char { kSplit, kAll };
FOVEA_API std::span<const Choice> choices(DictionaryFrom);

struct EvaluateOptions {
  TrainOptions train{};
  DictionaryFrom dictionary_from = DictionaryFrom::kAll;
  Exec exec{};  // also that of training
};
FOVEA_API void describe(OptionVisitor& visit, EvaluateOptions& options);

// What an image was classified as when it was tested.
struct Prediction {
  int image = 0;           // its number
  std::int32_t label = 0;  // the class
};
FOVEA_API void describe(FieldVisitor& visit, Prediction& prediction);

struct EvaluateReport {
  std::vector<fovea::Confusion> splits;    // one per split
  fovea::Confusion total;                  // their sum
  double accuracy_mean = 0;                // over the splits
  double accuracy_deviation = 0;           // between the splits (n - 1)
  std::vector<int> neighbors;              // knn: the values of K that were tried,
  std::vector<double> neighbors_accuracy;  // and the mean accuracy with each
  // How words were learned: once for all splits, or once per split; empty for a trained model that
  // does not know it.
  std::vector<WordLearning> learning;
  int failed = 0;                         // how many images could not be read
  std::vector<Prediction> predictions{};  // of all splits, one after the other
};

// What people and programs are told of an evaluation.
struct NeighborsAccuracy {
  int k = 0;
  double accuracy = 0;
};
FOVEA_API void describe(FieldVisitor& visit, NeighborsAccuracy& accuracy);
struct EvaluationSummary {
  int images = 0;
  int failed = 0;  // how many images could not be read
  int splits = 0;
  double accuracy_mean = 0;       // over the splits
  double accuracy_deviation = 0;  // between the splits
  // With 95 % confidence, of a single split: the test images of several are not independent.
  std::optional<std::array<double, 2>> accuracy_interval{};
  std::vector<double> accuracies{};                           // one per split
  std::vector<NeighborsAccuracy> accuracy_against_k{};        // of knn
  std::vector<WordLearning> kmeans{};                         // EvaluateReport::learning
  std::vector<std::string> classes{};                         // names, by label
  std::vector<std::vector<std::int64_t>> confusion_matrix{};  // a row per true class
  std::vector<double> recall{};                               // the share of each that is right
};
FOVEA_API void describe(FieldVisitor& visit, EvaluationSummary& summary);
FOVEA_API EvaluationSummary summarize(const EvaluateReport& report, int images,
                                      const std::vector<std::string>& classes);

// How one split was classified, and how its words were learned: for it alone, or once for all.
struct SplitReport {
  fovea::Confusion confusion{};
  // knn: how many test images were classified correctly with 1, 2, ... neighbors.
  std::vector<std::int64_t> right_by_neighbors{};
  std::vector<WordLearning> learning{};   // one, or none where features were given
  std::vector<Prediction> predictions{};  // of its test images that can be read
};
FOVEA_API void describe(FieldVisitor& visit, SplitReport& report);
// Gets the report of each split as soon as it is there.
using SplitFinished = std::function<void(std::size_t split, const SplitReport& report)>;
// The report of an evaluation from those of its splits, which may have been evaluated one by one.
// Where words come from all images, they were learned once. How many images could not be read is
// left to the caller.
FOVEA_API EvaluateReport summarize_splits(std::span<const SplitReport> splits,
                                          DictionaryFrom words);

// Trains and tests each split. The test images of a split take no part in its training (but see
// DictionaryFrom). Samples for words are drawn once per image. Words from each split cost one
// k-means per split and the features of all its images; words from all images cost that once.
// Decoded images are kept up to 1 GB, others are read again for each split; samples take 4 bytes
// per number (26 kB per image with gray filters, 77 kB in Lab).
FOVEA_API EvaluateReport evaluate(const io::ImageSet& images, std::span<const std::int32_t> labels,
                                  int classes, std::span<const Split> splits,
                                  const EvaluateOptions& options = {},
                                  const ImageFailure& failed = {},
                                  const SplitFinished& finished = {});

// The same for features that are there (one histogram per row, in host memory): trains and tests a
// classifier on each split.
FOVEA_API EvaluateReport evaluate_features(ImageView<const float> features,
                                           std::span<const std::int32_t> labels, int classes,
                                           std::span<const Split> splits,
                                           const TrainClassifierOptions& options = {},
                                           const SplitFinished& finished = {});

// Tests a trained classifier with all images, whose labels count its classes. The report has one
// split.
FOVEA_API EvaluateReport evaluate(Classifier& classifier, const io::ImageSet& images,
                                  std::span<const std::int32_t> labels,
                                  const ImageFailure& failed = {});

}  // namespace fovea::scenes
