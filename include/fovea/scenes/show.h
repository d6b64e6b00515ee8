#pragma once
#include <fovea/report/color.h>
#include <fovea/scenes/dictionary.h>

#include <vector>

namespace fovea::scenes {

// One color per word, chosen so that words with similar descriptors have similar colors: the three
// directions in which the words differ most become lightness and the two color axes of OKLab.
FOVEA_API std::vector<report::Color> word_colors(const Dictionary& dictionary);

// Paints every place in the color of its word (figure 5 of Chen). The picture is as large as the
// map of words.
FOVEA_API Image<std::uint8_t> show_words(ImageView<const std::uint16_t> words,
                                         const std::vector<report::Color>& colors);

}  // namespace fovea::scenes
