#include "io/text/list_text.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/words.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

template <class Wanted>
std::vector<std::string> names_in(const std::string& folder, const Wanted& wanted) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code unreadable;  // a dangling link is no folder
    if (name[0] != '.' && wanted(name, entry->is_directory(unreadable)))
      names.push_back(std::move(name));
  }
  if (error) throw IoError(fmt::format("{}: cannot list: {}", folder, error.message()));
  std::ranges::sort(names, natural_less);
  return names;
}

}  // namespace

std::string read_list(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw IoError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  if (text.find('\0') != std::string::npos)
    throw FormatError(path + ": is no list: it holds a byte 0; expected text");
  return text;
}

std::vector<ListLine> list_lines(std::string_view text) {
  std::vector<ListLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto first = line.find_first_not_of(kListSpace);
    if (first == std::string_view::npos || line[first] == '#') continue;
    lines.push_back({number, line.substr(first, line.find_last_not_of(kListSpace) - first + 1)});
  }
  return lines;
}

void fail_line(const std::string& path, int line, const std::string& cause) {
  throw FormatError(fmt::format("{}: line {}: {}", path, line, cause));
}

std::string shown(std::string_view text) { return fovea::detail::shown(text, 80); }

std::vector<std::string> folders_in(const std::string& folder) {
  return names_in(folder, [](const std::string&, bool is_folder) { return is_folder; });
}

std::vector<std::string> files_in(const std::string& folder, const InputKind& kind) {
  return names_in(folder, [&](const std::string& name, bool is_folder) {
    return !is_folder && has_extension(name, kind);
  });
}

}  // namespace fovea::io
