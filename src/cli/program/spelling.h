// "did you mean": finds the known word nearest to a mistyped one.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::cli {

// The number of insertions, deletions, substitutions and swaps of neighbors that turn one word into
// the other (Damerau 1964, in the optimal string alignment form: no letter is edited twice).
int edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, the first among equals, or empty where none is near enough.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

// Returns "; did you mean X?", or `otherwise` where no word is near enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise = "");

}  // namespace fovea::cli
