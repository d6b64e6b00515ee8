#pragma once
#include <fovea/ops/confusion.h>
#include <fovea/scenes/train.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

using fovea::Confusion;

// Which images are trained on and which are tested with, by number.
struct Split {
  std::vector<int> train;
  std::vector<int> test;
};
// `count` splits drawn by chance, each with the share of every class's images to train on.
FOVEA_API std::vector<Split> random_splits(std::span<const std::int32_t> labels, int classes,
                                           int count, double train_share, std::uint64_t seed);

// What words are learned from when splits are evaluated: the images that each split trains on, or
// once from all of them, without their labels, as Chen does.
enum class DictionaryFrom : unsigned char { kSplit, kAll };
FOVEA_API std::span<const Choice> choices(DictionaryFrom);

struct EvaluateOptions {
  TrainOptions train{};
  DictionaryFrom dictionary_from = DictionaryFrom::kAll;
};

struct Evaluation {
  std::vector<Confusion> splits;  // one a split
  Confusion total;                // of all splits
  double accuracy_mean = 0;
  double accuracy_deviation = 0;           // between splits (n - 1)
  std::vector<int> neighbors;              // of knn: values of K tried,
  std::vector<double> neighbors_accuracy;  // and the mean accuracy with each
  int failed = 0;                          // images that could not be read
};
// Trains on and tests each split. The test images of a split take no part in what it is trained on
// (but see DictionaryFrom). Places for words are drawn once of each image; words from the split's
// images cost one k-means and the features of all its images a split, words of all images once.
// Decoded images are kept up to 1 GB, others are read again for each split; the drawn places take 4
// bytes a number (gray filters: 26 kB an image, Lab: 77 kB).
FOVEA_API Evaluation evaluate(const io::ImageSet& images, std::span<const std::int32_t> labels,
                              int classes, std::span<const Split> splits,
                              const EvaluateOptions& options = {}, const Exec& exec = {},
                              const ImageFailure& failed = {});

}  // namespace fovea::scenes
