#include "actions/train/corpus_text.h"

#include <algorithm>
#include <charconv>

#include "io/text/list_text.h"

namespace fovea::actions {
namespace {

bool parse_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const auto first = line.find_first_not_of(io::kListSpace);
    if (first == std::string_view::npos) return words;
    line.remove_prefix(first);
    const bool quoted = line[0] == '"' && line.find('"', 1) != std::string_view::npos;
    const auto end =
        quoted ? line.find('"', 1) : std::min(line.find_first_of(io::kListSpace), line.size());
    words.emplace_back(line.substr(quoted ? 1 : 0, quoted ? end - 1 : end));
    line.remove_prefix(quoted ? end + 1 : end);
  }
}

bool parse_range(std::string_view text, std::pair<int, int>& range) {
  const auto dash = text.find('-');
  return dash != std::string_view::npos && parse_number(text.substr(0, dash), range.first) &&
         parse_number(text.substr(dash + 1), range.second) && range.first >= 1 &&
         range.second >= range.first;
}

}  // namespace fovea::actions
