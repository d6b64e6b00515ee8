// The text of an @list of inputs: one word per line.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

// The words of a list, without blank lines and comments. Throws IoError where a line names another
// list or the standard input, and FormatError where the text holds a byte 0, which no list does.
std::vector<std::string> parse_input_list(std::string_view text, const std::string& name);

}  // namespace fovea::io
