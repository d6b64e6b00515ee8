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

// Learns how places are coded (options.coding) from the samples that words were learned from; the
// words are those of the dictionary.
void learn_code(ImageView<const float> samples, const DictionaryOptions& options,
                Dictionary& dictionary);

// Throws where there are too many or too few words for the coding.
void check_coding(const DictionaryOptions& options);

// Brings descriptors, one per row, to the numbers that are compared with words.
void standardize(const Dictionary& dictionary, ImageView<float> descriptors);

}  // namespace fovea::scenes
