#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/io/image_set.h>
#include <fovea/ops/kmeans.h>
#include <fovea/scenes/coding.h>
#include <fovea/scenes/descriptors.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::scenes {

inline constexpr int kLeastWords = 2, kMostWords = 65535;
inline constexpr int kColorStep = 4;  // pixels between places of DictionaryOptions::color_words

struct DictionaryOptions {
  int words = 500;    // kLeastWords to kMostWords
  int samples = 200;  // how many places of each image, drawn at random, words are learned from
  // Learn words from every place of every image, by mini-batches (fovea/ops/kmeans_stream.h): the
  // samples give the words that it begins with and the standardization. This needs images.
  bool all_places = false;
  int passes = 1;           // with all_places: how often every place is looked at, 1 to 1000
  bool standardize = true;  // bring every number of a descriptor to mean 0 and deviation 1 first
  Coding coding = Coding::kHard;  // how places become features
  // soft, vlad, fisher: how many numbers a descriptor is projected to, 1 to kMostComponents, or as
  // many as it has
  int components = 64;
  // Above 0, so many words of Lab filters are learned as well, from the same images, with a place
  // every kColorStep pixels. Their features follow those of the other words. This needs images.
  int color_words = 0;
  // `words` and `exec` replace its clusters and exec. The limit is far above what samples of photos
  // take until no sample changes its word. With all_places, `batch` is the number of places in a
  // mini-batch (0 stands for 65536), and k-means looks at all samples.
  KmeansOptions kmeans{.max_iterations = 2000};
  Exec exec{};  // as a part of TrainOptions: the exec given there counts instead
};
FOVEA_API void describe(OptionVisitor& visit, DictionaryOptions& options);

// How words were learned.
struct WordLearning {
  DictionaryOptions options{};  // without its exec
  int iterations = 0;           // of the start of k-means that counts; 0 where nothing is known
  double inertia = 0;           // sum of the squared distances of the samples from their words, in
                                // standardized numbers
  bool converged = false;       // whether k-means ended by itself, before the limit of iterations
  std::int64_t samples = 0;     // how many descriptors the words were learned from
  // With all_places: passes over all places and mini-batches in them. `inertia` then adds up the
  // last pass, in which each place counts with the words of its time, and `samples` counts the
  // places of a pass; `iterations` and `converged` are those of the words that it began with.
  int passes = 0;
  int batches = 0;
};
FOVEA_API void describe(FieldVisitor& visit, WordLearning& learning);

// Visual words: a few descriptors that stand for all others. A place of an image has the word that
// its descriptor is nearest to.
struct Dictionary {
  DescriptorOptions descriptor{};
  // Each number x of a descriptor becomes (x - mean) * scale before it is compared with words. Both
  // are empty where numbers are compared as they are.
  std::vector<float> mean;
  std::vector<float> scale;
  Image<float> words;  // one per row, in standardized numbers
  WordLearning learning{};
  WordCode code{};
  // Further words, whose features follow; they have no others beside them. At most one: write() and
  // FeatureMaker throw InvalidArgument where there are more.
  std::vector<Dictionary> beside{};

  int size() const { return words.height(); }

  // A safetensors file of its own. Reading takes the words of a model (fovea/scenes/model.h) as
  // well, trusts nothing and throws as Model::read() does.
  FOVEA_API static Dictionary read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

FOVEA_API Dictionary clone(const Dictionary& dictionary);

// The descriptors of `samples` places drawn at random, one per row (an image with fewer places
// gives some of them twice). The choice depends only on the seed, on `index` (the number of the
// image) and on the size of the image.
FOVEA_API Image<float> sample_descriptors(ImageView<const std::uint8_t> image, int index,
                                          int samples, const DescriptorOptions& options = {});

// Learns words from descriptors, one per row. Throws InvalidArgument where there are fewer of them
// than words, and where options.all_places or options.color_words ask for more than samples.
FOVEA_API Dictionary learn_dictionary(ImageView<const float> samples,
                                      const DescriptorOptions& descriptor,
                                      const DictionaryOptions& options = {});

}  // namespace fovea::scenes
