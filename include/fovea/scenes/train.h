#pragma once
#include <fovea/io/image_set.h>
#include <fovea/scenes/features.h>
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
// Reads either a folder with one folder of images per class, in natural order of their names, or a
// list of lines "file class". Files are named relative to the folder of the list; a class is given
// by name or number (the names of numbers are in classes.txt beside the list, in lines "number
// name"; without that file the number is the name). Throws InvalidArgument where there are fewer
// than two classes or a class has no image, and IoError or FormatError that name what cannot be
// read.
FOVEA_API Corpus read_corpus(const std::string& folder_or_list);
// A corpus with the classes of another corpus or of a model (empty: its own). The files of a list
// are looked up in `folder` first, where one is given.
FOVEA_API Corpus read_corpus(const std::string& folder_or_list,
                             std::span<const std::string> classes, const std::string& folder = {});
// The images of some classes of a corpus alone, which have the numbers of their places in the list
// (empty: all of them, as read_corpus() has them). Throws InvalidArgument for a class that the
// corpus does not have, for one that is listed twice, and for fewer than two.
FOVEA_API Corpus read_classes(const std::string& folder_or_list,
                              std::span<const std::string> classes);

struct TrainOptions {
  DescriptorOptions descriptor{};
  DictionaryOptions dictionary{};
  int pyramid = 2;  // levels of the spatial pyramid below the whole image, 0 to 2
  TrainClassifierOptions classifier{.classifier = ClassifierKind::kSvm};
  Exec exec{};  // used for all parts
};
FOVEA_API void describe(OptionVisitor& visit, TrainOptions& options);

// Called by the calling thread for each image that cannot be read, with its number and the reason.
// The image is left out. Without such a function the error is thrown.
using ImageFailure = std::function<void(int index, const std::string& why)>;

// Descriptors of places drawn at random from the images of a set, as train() draws them.
struct SampleTable {
  Image<float> rows;         // as many rows per image that could be read, in their order
  std::vector<bool> usable;  // whether an image could be read
};
FOVEA_API SampleTable draw_samples(const io::ImageSet& images, const DescriptorOptions& descriptor,
                                   int samples, const ImageFailure& failed = {});
// The same for some images of the set, in any number of calls: each has the places that it has
// among all. One entry of `usable` and as many rows as `samples` for each element of `which`; the
// rows of an image that cannot be read are zero.
FOVEA_API SampleTable draw_samples(const io::ImageSet& images, std::span<const int> which,
                                   const DescriptorOptions& descriptor, int samples,
                                   const ImageFailure& failed = {});

// Learns words from the images of a set, as train() does with the same options.
FOVEA_API Dictionary learn_dictionary(const io::ImageSet& images,
                                      const DescriptorOptions& descriptor,
                                      const DictionaryOptions& options = {},
                                      const ImageFailure& failed = {});

// Trains a model. Images are decoded on all threads while earlier ones are worked on. The same
// data, options and seed give the same model on any device and for any number of threads.
FOVEA_API Model train(const io::ImageSet& images, std::span<const std::int32_t> labels,
                      std::span<const std::string> classes, const TrainOptions& options = {},
                      const ImageFailure& failed = {});

// The features of all images of a set, one row per image. Rows of images that could not be read are
// zero.
struct FeatureTable {
  Image<float> features;
  std::vector<bool> usable;   // whether an image could be read
  double decode_seconds = 0;  // summed over threads
  double compute_seconds = 0;
};
FOVEA_API FeatureTable make_features(const io::ImageSet& images, const Dictionary& dictionary,
                                     const FeatureOptions& options = {},
                                     const ImageFailure& failed = {});

// The last step of train(): a model of words that are there and of features that make_features()
// made of labeled images. The length of the features tells the pyramid.
FOVEA_API Model train_model(const Dictionary& dictionary, ImageView<const float> features,
                            std::span<const std::int32_t> labels,
                            std::span<const std::string> classes,
                            const TrainClassifierOptions& options = {});

// Which rows of features belong to which files and classes.
struct LabelTable {
  std::vector<std::string> files;    // empty where the table has no column "file"
  std::vector<std::int32_t> labels;  // one per row
  std::vector<std::string> classes;  // names, by label
};
// A CSV table with the columns file, class and label. Reading needs the column class alone, in any
// place among others; without labels, classes are numbered in natural order of their names. Throws
// FormatError that names the line that does not fit.
FOVEA_API void write_labels(const std::string& path, const LabelTable& table);
FOVEA_API LabelTable read_labels(const std::string& path);

}  // namespace fovea::scenes
