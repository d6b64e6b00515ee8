// Words and ranges of frames in lists of clips.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::actions {

// Splits a line at spaces; text in quotation marks is one word.
std::vector<std::string> words_of(std::string_view line);
// Parses "12-95": frames counted from 1, both included. Returns false if the text is not such a
// range.
bool parse_range(std::string_view text, std::pair<int, int>& range);

}  // namespace fovea::actions
