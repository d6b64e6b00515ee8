#pragma once
#include <fovea/io/image_set.h>
#include <fovea/ops/kmeans.h>
#include <fovea/scenes/descriptors.h>

#include <string>
#include <vector>

namespace fovea::scenes {

// Visual words: the descriptors that stand for all others.
struct Dictionary {
  DescriptorOptions descriptor{};
  // Each number x of a descriptor becomes (x - mean) * scale before words are compared; both empty
  // where it is taken as it is.
  std::vector<float> mean;
  std::vector<float> scale;
  Image<float> words;  // one a row, as numbers after that step

  int size() const { return words.height(); }
};

struct DictionaryOptions {
  int words = 500;          // 2 to 65535
  int samples = 200;        // places of an image, drawn by chance, that words are learned from
  bool standardize = true;  // bring all numbers of a descriptor to mean 0 and deviation 1 first
  KmeansOptions kmeans{.max_iterations = 100};  // its clusters and exec are those given here
};
FOVEA_API void describe(OptionVisitor& visit, DictionaryOptions& options);

// Descriptors of places of an image drawn by chance, one a row, `samples` of them (an image with
// fewer places gives some twice). Which ones depends on the seed, `index` (the image's number) and
// the image's size alone.
FOVEA_API Image<float> sample_descriptors(ImageView<const std::uint8_t> image, int index,
                                          int samples, const DescriptorOptions& options,
                                          const Exec& exec = {});

// Words out of descriptors, one a row. InvalidArgument where there are fewer of them than words.
FOVEA_API Dictionary learn_dictionary(ImageView<const float> samples,
                                      const DescriptorOptions& descriptor,
                                      const DictionaryOptions& options = {}, const Exec& exec = {});

}  // namespace fovea::scenes
