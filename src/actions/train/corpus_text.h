// Words and ranges of frames in lists of clips.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::actions {

// Words between spaces; "..." is one word.
std::vector<std::string> words_of(std::string_view line);
// "12-95": frames from 1, both included. False where it is no such range.
bool parse_range(std::string_view text, std::pair<int, int>& range);

}  // namespace fovea::actions
