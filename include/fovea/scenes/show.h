#pragma once
#include <fovea/colour.h>
#include <fovea/scenes/dictionary.h>

#include <vector>

namespace fovea::scenes {

// A colour a word, so that words which lie near each other look alike: the three directions in
// which the words differ most become lightness and two axes of hue.
FOVEA_API std::vector<report::Colour> word_colours(const Dictionary& dictionary);

// Every place in the colour of its word (figure 5 of Chen), as large as the map of words.
FOVEA_API Image<std::uint8_t> show_words(ImageView<const std::uint16_t> words,
                                         const std::vector<report::Colour>& colours);

}  // namespace fovea::scenes
