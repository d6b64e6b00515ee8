#include "io/text/input_list.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include "core/json_text.h"
#include "core/words.h"
#include "io/text/list_text.h"

namespace fovea::io {

std::vector<std::string> parse_input_list(std::string_view text, const std::string& name) {
  if (text.find('\0') != text.npos)
    throw FormatError(name + ": is not a list of names: it holds a byte 0; expected text");
  std::vector<std::string> words;
  const std::vector<ListLine> lines = list_lines(text);
  words.reserve(lines.size());
  for (const auto& [number, word] : lines) {
    if (word[0] == '@' || word == "-")
      throw IoError(fmt::format("{}: line {} is {}; a list holds files, folders and globs only",
                                name, number,
                                fovea::detail::json_quote(fovea::detail::shown(word))));
    words.emplace_back(word);
  }
  return words;
}

}  // namespace fovea::io
