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

// Throws where words cannot be learned from so many samples.
void check_learning(std::int64_t samples, const DescriptorOptions& descriptor,
                    const DictionaryOptions& options);
// Throws where the options ask for more than samples have.
void require_samples_only(const DictionaryOptions& options);
// The options with which k-means finds words.
KmeansOptions word_kmeans(const DictionaryOptions& options);
void take_words(Kmeans&& found, std::int64_t samples, const DictionaryOptions& options,
                LearnedWords& learned);

// Learns how places are coded (options.coding) from the samples that words were learned from; the
// words are those of the dictionary.
void learn_code(ImageView<const float> samples, const DictionaryOptions& options,
                Dictionary& dictionary);
// The same in two steps, for samples that lie elsewhere: which of `count` samples are needed, in
// ascending order (none for hard coding), and what is learned from these once they are
// standardized.
std::vector<std::int64_t> code_samples(std::int64_t count, const DictionaryOptions& options);
void learn_code_from(ImageView<const float> points, const DictionaryOptions& options,
                     Dictionary& dictionary);

// Throws where there are too many or too few words for the coding.
void check_coding(const DictionaryOptions& options);

}  // namespace fovea::scenes
