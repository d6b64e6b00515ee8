#include "io/input_list.h"

#include <fovea/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/json_text.h"

namespace fovea::io {

std::vector<std::string> parse_input_list(std::string_view text, const std::string& name) {
  if (text.find('\0') != text.npos)
    throw FormatError(name + ": is not a list of names: it holds a byte 0; expected text");
  std::vector<std::string> words;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '#') continue;
    const std::string_view word = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (word[0] == '@' || word == "-")
      throw IoError(fmt::format("{}: line {} is {}; a list holds files, folders and globs only",
                                name, number, fovea::detail::json_quote(word)));
    words.emplace_back(word);
  }
  return words;
}

}  // namespace fovea::io
