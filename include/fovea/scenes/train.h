#pragma once
#include <fovea/io/image_set.h>
#include <fovea/scenes/model.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fovea::scenes {

// Files and the class of each.
struct Corpus {
  std::vector<std::string> paths;
  std::vector<std::int32_t> labels;
  std::vector<std::string> classes;  // names, by label
};
// A folder with a folder of images a class, in natural order of their names; or a list of lines
// "file class", where a file is named from the list's folder on and a class by name or number
// (numbers have their names from classes.txt beside the list, of lines "number name", where there
// is one). InvalidArgument where there are fewer than two classes or a class has no image; IoError
// and FormatError that name what cannot be read.
FOVEA_API Corpus read_corpus(const std::string& folder_or_list);
// One whose classes are those of another corpus or of a model (none: its own). Files of a list are
// named from `folder` on, where one is given and has them.
FOVEA_API Corpus read_corpus(const std::string& folder_or_list,
                             std::span<const std::string> classes, const std::string& folder = {});

struct TrainOptions {
  DescriptorOptions descriptor{};
  DictionaryOptions dictionary{};
  int pyramid = 0;  // levels of the spatial pyramid beyond the whole image, 0 to 2
  ClassifierOptions classifier{};
};
FOVEA_API void describe(OptionVisitor& visit, TrainOptions& options);

// Called for an image that cannot be read, by the calling thread: its number and why. The image is
// left out. Without such a function the error is thrown.
using ImageFailure = std::function<void(int index, const std::string& why)>;

// Images are decoded on all threads while earlier ones are worked on. Deterministic: the same data,
// options and seed give the same model on any device and for any number of threads.
FOVEA_API Model train(const io::ImageSet& images, std::span<const std::int32_t> labels,
                      std::span<const std::string> classes, const TrainOptions& options = {},
                      const Exec& exec = {}, const ImageFailure& failed = {});

// Features of all images of a set, one a row; rows of those that failed are zero.
struct FeatureTable {
  Image<float> features;
  std::vector<bool> usable;
  double decode_seconds = 0;  // summed over threads
  double compute_seconds = 0;
};
FOVEA_API FeatureTable make_features(const io::ImageSet& images, const Dictionary& dictionary,
                                     int pyramid, const Exec& exec = {},
                                     const ImageFailure& failed = {});

}  // namespace fovea::scenes
