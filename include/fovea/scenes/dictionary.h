#pragma once
#include <fovea/io/image_set.h>
#include <fovea/ops/kmeans.h>
#include <fovea/scenes/descriptors.h>

#include <string>
#include <vector>

namespace fovea::scenes {

inline constexpr int kLeastWords = 2, kMostWords = 65535;

// Visual words: a few descriptors that stand for all others. A place of an image has the word that
// its descriptor is nearest to.
struct Dictionary {
  DescriptorOptions descriptor{};
  // Each number x of a descriptor becomes (x - mean) * scale before it is compared with words. Both
  // are empty where numbers are compared as they are.
  std::vector<float> mean;
  std::vector<float> scale;
  Image<float> words;  // one per row, in standardized numbers

  int size() const { return words.height(); }
};

struct DictionaryOptions {
  int words = 500;    // kLeastWords to kMostWords
  int samples = 200;  // how many places of each image, drawn at random, words are learned from
  bool standardize = true;  // bring every number of a descriptor to mean 0 and deviation 1 first
  KmeansOptions kmeans{.max_iterations = 100};  // `words` and `exec` replace its clusters and exec
  Exec exec{};  // as a part of TrainOptions: the exec given there counts instead
};
FOVEA_API void describe(OptionVisitor& visit, DictionaryOptions& options);

// The descriptors of `samples` places drawn at random, one per row (an image with fewer places
// gives some of them twice). The choice depends only on the seed, on `index` (the number of the
// image) and on the size of the image.
FOVEA_API Image<float> sample_descriptors(ImageView<const std::uint8_t> image, int index,
                                          int samples, const DescriptorOptions& options = {});

// Learns words from descriptors, one per row. Throws InvalidArgument where there are fewer of them
// than words.
FOVEA_API Dictionary learn_dictionary(ImageView<const float> samples,
                                      const DescriptorOptions& descriptor,
                                      const DictionaryOptions& options = {});

}  // namespace fovea::scenes
