#include "actions/corpus_text.h"

#include <fovea/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace fovea::actions {
namespace {

constexpr std::string_view kSpace = " \t\r";

bool parse_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw IoError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  if (text.find('\0') != std::string::npos)
    throw FormatError(path + ": is no list: it holds a byte 0; expected text");
  return text;
}

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto first = line.find_first_not_of(kSpace);
    if (first == std::string_view::npos || line[first] == '#') continue;
    lines.push_back({number, line.substr(first, line.find_last_not_of(kSpace) - first + 1)});
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const auto first = line.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return words;
    line.remove_prefix(first);
    const bool quoted = line[0] == '"' && line.find('"', 1) != std::string_view::npos;
    const auto end = quoted ? line.find('"', 1) : std::min(line.find_first_of(kSpace), line.size());
    words.emplace_back(line.substr(quoted ? 1 : 0, quoted ? end - 1 : end));
    line.remove_prefix(quoted ? end + 1 : end);
  }
}

void fail_line(const std::string& path, int line, const std::string& cause) {
  throw FormatError(fmt::format("{}: line {}: {}", path, line, cause));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 80;
  std::string result(text.substr(0, kShown));
  std::ranges::replace_if(
      result, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return result;
}

bool parse_range(std::string_view text, std::pair<int, int>& range) {
  const auto dash = text.find('-');
  return dash != std::string_view::npos && parse_number(text.substr(0, dash), range.first) &&
         parse_number(text.substr(dash + 1), range.second) && range.first >= 1 &&
         range.second >= range.first;
}

}  // namespace fovea::actions
