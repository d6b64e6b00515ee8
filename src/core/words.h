// Splits text that comes from outside and makes it fit for messages.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::detail {

// The parts between separators; one part, which may be empty, where there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

// A user's text as it appears in a message: on one line, with control characters escaped, and cut
// with "..." at the end of a character where it is longer than `most` bytes.
std::string shown(std::string_view text, std::size_t most = 120);

// "1 frame", "2 frames"; a plural that does not end in a plain s is given: "2 classes".
std::string counted(std::int64_t count, std::string_view one, std::string_view many = {});
template <std::integral Count>
std::string counted(Count count, std::string_view one, std::string_view many = {}) {
  return counted(static_cast<std::int64_t>(count), one, many);
}

}  // namespace fovea::detail
