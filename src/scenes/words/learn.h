// The parts of learn_dictionary() that learning from every place needs as well.
#pragma once
#include <fovea/scenes/dictionary.h>

#include <cstdint>
#include <vector>

namespace fovea::scenes {

// Words, and how many samples each of them stands for.
struct LearnedWords {
  Dictionary dictionary;
  std::vector<std::int64_t> counts;
};
LearnedWords learn_words(ImageView<const float> samples, const DescriptorOptions& descriptor,
                         const DictionaryOptions& options);

// Brings descriptors, one per row, to the numbers that are compared with words.
void standardize(const Dictionary& dictionary, ImageView<float> descriptors);

}  // namespace fovea::scenes
