#pragma once
#include <fovea/report/color.h>
#include <fovea/scenes/dictionary.h>

#include <vector>

namespace fovea::scenes {

// A color a word, so that words which lie near each other look alike: the three directions in
// which the words differ most become lightness and two axes of hue.
FOVEA_API std::vector<report::Color> word_colors(const Dictionary& dictionary);

// Every place in the color of its word (figure 5 of Chen), as large as the map of words.
FOVEA_API Image<std::uint8_t> show_words(ImageView<const std::uint16_t> words,
                                         const std::vector<report::Color>& colors);

}  // namespace fovea::scenes
