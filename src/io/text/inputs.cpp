#include <fovea/core/error.h>
#include <fovea/io/input_list.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/words.h"
#include "io/text/address.h"
#include "io/text/extension.h"
#include "io/text/input_list.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The run of digits at `i`, without leading zeros.
std::string_view number_at(std::string_view text, std::size_t& i) {
  while (i < text.size() && text[i] == '0') ++i;
  const std::size_t begin = i;
  while (i < text.size() && is_digit(text[i])) ++i;
  return text.substr(begin, i - begin);
}

void sort_naturally(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end(), natural_less);
}

std::vector<std::string> inputs_in(const std::string& folder, const InputKind& kind) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unreadable;  // a dangling link is no file
    if (name[0] != '.' && has_extension(name, kind) && !entry->is_directory(unreadable))
      paths.push_back(entry->path().string());
  }
  if (error) throw IoError(fmt::format("{}: cannot list: {}", folder, error.message()));
  if (paths.empty())
    throw IoError(fmt::format("{}: no {} in this folder; looked for .{}", folder, kind.name,
                              fmt::join(kind.extensions, " .")));
  sort_naturally(paths);
  return paths;
}

// Expands folder/** or folder/**/pattern; hidden folders are skipped.
std::vector<std::string> files_below(const std::string& word, const InputKind& kind) {
  const auto stars = word.find("**");
  const std::string folder = stars == 0 ? "." : word.substr(0, stars);
  const std::string pattern = word.size() > stars + 2 ? word.substr(stars + 3) : "";
  if ((word.size() > stars + 2 && word[stars + 2] != '/') || pattern.find('/') != pattern.npos ||
      (stars > 0 && word[stars - 1] != '/'))
    throw IoError(
        fmt::format("{}: ** stands for all folders below, as in photos/** or "
                    "photos/**/*.png",
                    fovea::detail::shown(word)));
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unreadable;
    const bool is_folder = entry->is_directory(unreadable);
    if (is_folder && name[0] == '.') entry.disable_recursion_pending();
    if (is_folder || name[0] == '.') continue;
    if (pattern.empty() ? has_extension(name, kind)
                        : fnmatch(pattern.c_str(), name.c_str(), 0) == 0)
      paths.push_back(stars == 0 ? entry->path().lexically_relative(".").string()
                                 : entry->path().string());
  }
  if (error) throw IoError(fmt::format("{}: cannot list: {}", folder, error.message()));
  if (paths.empty())
    throw IoError(
        fmt::format("{}: no {} in this folder or below it", fovea::detail::shown(word), kind.name));
  sort_naturally(paths);
  return paths;
}

bool is_glob(const std::string& word) { return word.find_first_of("*?[") != word.npos; }

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    std::error_code unreadable;
    if (!fs::is_directory(found.gl_pathv[i], unreadable)) paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  if (status == GLOB_NOSPACE || status == GLOB_ABORTED)
    throw IoError(pattern + ": cannot search: a folder in it could not be read");
  if (paths.empty())
    throw IoError(fovea::detail::shown(pattern) + ": no file matches this pattern");
  sort_naturally(paths);
  return paths;
}

// status() reports no error for a missing file.
std::string missing_reason(std::error_code error) {
  return error ? error.message() : std::strerror(ENOENT);
}

// Whether a word is a camera or a stream that this kind of inputs may be.
bool is_live_input(const std::string& word, const InputKind& kind) {
  if (!is_camera_name(word) && !is_address(word)) return false;
  if (!kind.live)
    throw IoError(
        fmt::format("{}: is a camera or the address of a stream, but expected a file; save {} "
                    "files from it first",
                    fovea::detail::shown(source_name(word)), kind.name));
  if (is_address(word) && find_protocol(protocol_of(word)) == nullptr)
    throw IoError(unknown_protocol(word));
  return true;
}

// A name that exists stands for itself, even where it looks like a glob.
void expand_word(std::string word, const InputKind& kind, std::vector<std::string>& paths) {
  const auto append = [&](std::vector<std::string> more) {
    std::move(more.begin(), more.end(), std::back_inserter(paths));
  };
  std::error_code error;
  const fs::file_status status = fs::status(word, error);
  if (fs::is_directory(status)) append(inputs_in(word, kind));
  else if (fs::exists(status)) paths.push_back(std::move(word));
  else if (is_live_input(word, kind)) paths.push_back(std::move(word));
  else if (word.find("**") != word.npos) append(files_below(word, kind));
  else if (is_glob(word)) append(matches_of(word));
  else paths.push_back(std::move(word));  // it is missing, which reading it will report
}

// Reading would fail as well, but later and with a less helpful message.
void refuse_missing(const std::string& path) {
  std::error_code error;
  if (path == "-" || is_live_source(path) || fs::exists(fs::status(path, error))) return;
  throw IoError(
      fmt::format("{}: cannot open: {}", fovea::detail::shown(path, 300), missing_reason(error)));
}

InputKind kind_of(std::string name, std::initializer_list<const char*> extensions) {
  return {std::move(name), {extensions.begin(), extensions.end()}};
}

}  // namespace

std::vector<std::string> read_input_list(const std::string& list) {
  std::ifstream file(list, std::ios::binary);
  std::error_code error;
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", list, std::strerror(errno)));
  if (fs::is_directory(list, error))
    throw IoError(list + ": is a folder; expected a file that lists inputs");
  std::string text;  // room for all of it at once: lists may have millions of names
  if (const auto size = fs::file_size(list, error); !error) text.reserve(size);
  std::array<char, std::size_t{1} << 16U> block{};
  while (file.read(block.data(), block.size()) || file.gcount() > 0)
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  std::vector<std::string> words = parse_input_list(text, list);
  if (words.empty()) throw IoError(list + ": this list names no file");
  const fs::path folder = fs::path(list).parent_path();
  for (std::string& word : words) {
    if (is_camera_name(word) || is_address(word))
      throw IoError(fmt::format(
          "{}: names the camera or stream {}; these are read only where they are given as the "
          "input itself",
          list, fovea::detail::shown(source_name(word))));
    word = (folder / word).string();
  }
  return words;
}

InputKind image_files() {
  return kind_of("image", {"png", "jpg", "jpeg", "tif", "tiff", "ppm", "pgm", "pbm", "pnm", "pam",
                           "pfm", "npy", "bmp", "webp"});
}

InputKind video_files() {
  InputKind kind = kind_of("video", {"mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts",
                                     "mts", "wmv", "flv", "ogv", "3gp", "y4m"});
  kind.live = true;
  return kind;
}

InputKind image_and_video_files() {
  InputKind kind = image_files();
  kind.name = "image or video";
  kind.live = true;
  for (std::string& extension : video_files().extensions)
    kind.extensions.push_back(std::move(extension));
  return kind;
}

bool has_extension(std::string_view path, const InputKind& kind) {
  const std::string extension = extension_of(path);
  return std::any_of(kind.extensions.begin(), kind.extensions.end(),
                     [&](const std::string& known) { return extension == "." + known; });
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = number_at(a, i), y = number_at(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      // A slash sorts before every other character, so that the files of a folder stay together.
      if (a[i] == '/' || b[j] == '/') return a[i] == '/';
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    } else {
      ++i, ++j;
    }
  }
  const std::size_t rest_a = a.size() - i, rest_b = b.size() - j;
  return rest_a != rest_b ? rest_a < rest_b : a < b;  // 7 and 007 are equal: compare the text
}

std::vector<std::string> expand_inputs(std::span<const std::string> words, const InputKind& kind) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    if (word.empty()) throw IoError("an input is empty; expected a file, folder or glob");
    if (word == "-") paths.push_back(word);
    else if (word[0] != '@') expand_word(word, kind, paths);
    else {
      std::vector<std::string> listed = read_input_list(word.substr(1));
      paths.reserve(paths.size() + listed.size());  // lists may have millions of names
      for (std::string& name : listed) expand_word(std::move(name), kind, paths);
    }
  }
  if (paths.size() == 1) refuse_missing(paths[0]);
  return paths;
}

}  // namespace fovea::io
