// Pieces of text that others wrote: taken apart, and made fit to stand in a message.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fovea::detail {

// The parts between separators; one part, which may be empty, where there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

// A user's text as it stands in a message: on one line, control characters escaped, what is longer
// than `most` bytes cut with "..." at the end of a character.
std::string shown(std::string_view text, std::size_t most = 120);

}  // namespace fovea::detail
