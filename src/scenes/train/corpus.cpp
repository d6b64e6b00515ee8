// Reads images and their classes: a folder of folders, or a list.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "core/words.h"
#include "io/text/list_text.h"

namespace fovea::scenes {
namespace {

namespace fs = std::filesystem;

constexpr int kMostClasses = 65535;

// The images in the folders of some classes.
Corpus read_folders(const std::string& folder, std::vector<std::string> classes) {
  Corpus corpus;
  corpus.classes = std::move(classes);
  for (std::size_t label = 0; label < corpus.classes.size(); ++label) {
    const std::string inner = (fs::path(folder) / corpus.classes[label]).string();
    const std::vector<std::string> names = io::files_in(inner, io::image_files());
    if (names.empty())
      throw InvalidArgument(fmt::format("{}: no image in this class's folder; looked for .{}",
                                        inner, fmt::join(io::image_files().extensions, " .")));
    for (const std::string& name : names) {
      corpus.paths.push_back((fs::path(inner) / name).string());
      corpus.labels.push_back(static_cast<std::int32_t>(label));
    }
  }
  return corpus;
}

Corpus read_folder(const std::string& folder, std::size_t least_classes) {
  std::vector<std::string> classes = io::folders_in(folder);
  if (classes.size() < least_classes)
    throw InvalidArgument(
        fmt::format("{}: {} in it; expected a folder of images for each of {} classes or more",
                    folder, fovea::detail::counted(classes.size(), "folder"), least_classes));
  return read_folders(folder, std::move(classes));
}

std::optional<int> number_of(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < 0) return std::nullopt;
  return value;
}

// A list, and the folder in which its files are looked for first.
struct List {
  std::string path;
  std::string folder{};

  // Returns the path of a file that the list names.
  std::string find(const fs::path& name) const {
    std::error_code error;
    if (!folder.empty() && fs::exists(fs::path(folder) / name, error))
      return (fs::path(folder) / name).string();
    return (fs::path(path).parent_path() / name).string();
  }
};

// Returns the names of classes by number from the classes.txt beside a list; empty if there is
// none.
std::vector<std::string> names_beside(const List& list) {
  const std::string path = list.find("classes.txt");
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  const std::string text = io::read_list(path);
  std::vector<std::string> names;
  for (const io::ListLine& line : io::list_lines(text)) {
    const auto gap = line.text.find_first_of(io::kListSpace);
    const std::optional<int> number = number_of(line.text.substr(0, gap));
    if (!number || gap == std::string_view::npos || *number > kMostClasses)
      io::fail_line(
          path, line.number,
          fmt::format("\"{}\", expected a class's number and name", io::shown(line.text)));
    const auto at = static_cast<std::size_t>(*number);
    if (names.size() <= at) names.resize(at + 1);
    if (!names[at].empty())
      io::fail_line(path, line.number, fmt::format("class {} for the second time", at));
    names[at] = line.text.substr(line.text.find_first_not_of(io::kListSpace, gap));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty()) throw FormatError(fmt::format("{}: class {} has no name", path, i));
  return names;
}

// A file and the name of its class.
struct Entry {
  int line = 0;
  std::string path;
  std::string class_name;
};

std::vector<Entry> entries_in(const List& list) {
  const std::string text = io::read_list(list.path);
  const std::vector<std::string> names = names_beside(list);
  std::vector<Entry> entries;
  for (const io::ListLine& line : io::list_lines(text)) {
    // A file's name may contain spaces: the class is the last word.
    const auto gap = line.text.find_last_of(io::kListSpace);
    if (gap == std::string_view::npos)
      io::fail_line(list.path, line.number,
                    fmt::format("\"{}\", expected a file and its class", io::shown(line.text)));
    const std::string_view file =
        line.text.substr(0, line.text.find_last_not_of(io::kListSpace, gap) + 1);
    const std::string_view word = line.text.substr(gap + 1);
    Entry entry{line.number, list.find(file), std::string(word)};
    if (const std::optional<int> number = number_of(word); number && !names.empty()) {
      if (static_cast<std::size_t>(*number) >= names.size())
        io::fail_line(list.path, line.number,
                      fmt::format("class {}, but classes.txt beside the list ends with {}", *number,
                                  names.size() - 1));
      entry.class_name = names[static_cast<std::size_t>(*number)];
    }
    std::error_code error;
    if (!fs::is_regular_file(entry.path, error))
      throw IoError(
          fmt::format("{}: line {}: {} is no file", list.path, line.number, io::shown(entry.path)));
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) throw InvalidArgument(list.path + ": this list names no image");
  return entries;
}

Corpus corpus_of(const std::string& list, std::vector<Entry> entries,
                 std::vector<std::string> classes) {
  Corpus corpus;
  corpus.classes = std::move(classes);
  for (Entry& entry : entries) {
    const auto known = std::ranges::find(corpus.classes, entry.class_name);
    if (known == corpus.classes.end())
      io::fail_line(list, entry.line,
                    fmt::format("class \"{}\" is none of {}", io::shown(entry.class_name),
                                fmt::join(corpus.classes, ", ")));
    corpus.paths.push_back(std::move(entry.path));
    corpus.labels.push_back(static_cast<std::int32_t>(known - corpus.classes.begin()));
  }
  return corpus;
}

// Reads the images of a folder. Their classes have the numbers of `classes`, if any are given.
Corpus read_folder_of(const std::string& folder, std::span<const std::string> classes) {
  if (classes.empty()) return read_folder(folder, 2);
  Corpus corpus = read_folder(folder, 1);
  std::vector<std::int32_t> label_of;
  for (const std::string& name : corpus.classes) {
    const auto known = std::ranges::find(classes, name);
    if (known == classes.end())
      throw InvalidArgument(fmt::format("{}: class \"{}\" is none of {}", folder, io::shown(name),
                                        fmt::join(classes, ", ")));
    label_of.push_back(static_cast<std::int32_t>(known - classes.begin()));
  }
  for (std::int32_t& label : corpus.labels) label = label_of[static_cast<std::size_t>(label)];
  corpus.classes.assign(classes.begin(), classes.end());
  return corpus;
}

// The classes that the entries of a list have, in natural order.
std::vector<std::string> classes_of(const std::vector<Entry>& entries) {
  std::vector<std::string> classes(entries.size());
  std::ranges::transform(entries, classes.begin(), &Entry::class_name);
  std::ranges::sort(classes, io::natural_less);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

// Reads the images of a list, with the classes that classes.txt or the list itself names.
Corpus own_classes(const List& list, std::vector<Entry> entries) {
  std::vector<std::string> classes = names_beside(list);
  if (classes.empty()) classes = classes_of(entries);
  if (classes.size() < 2)
    throw InvalidArgument(fmt::format("{}: all images are of class {}; expected two or more",
                                      list.path, classes.front()));
  Corpus corpus = corpus_of(list.path, std::move(entries), std::move(classes));
  for (std::size_t label = 0; label < corpus.classes.size(); ++label)
    if (std::ranges::find(corpus.labels, static_cast<std::int32_t>(label)) == corpus.labels.end())
      throw InvalidArgument(
          fmt::format("{}: class {} has no image", list.path, corpus.classes[label]));
  return corpus;
}

// Throws unless each of the chosen classes is there, once.
void check_choice(const std::string& source, std::span<const std::string> chosen,
                  std::span<const std::string> there) {
  for (auto name = chosen.begin(); name != chosen.end(); ++name) {
    if (std::ranges::find(there, *name) == there.end())
      throw InvalidArgument(fmt::format("{}: has no class \"{}\"; its classes are {}", source,
                                        io::shown(*name), fmt::join(there, ", ")));
    if (std::find(chosen.begin(), name, *name) != name)
      throw InvalidArgument(
          fmt::format("{}: class \"{}\" is chosen twice", source, io::shown(*name)));
  }
  if (chosen.size() < 2)
    throw InvalidArgument(fmt::format("{}: \"{}\" is the only class chosen; expected two or more",
                                      source, io::shown(chosen.front())));
}

}  // namespace

Corpus read_corpus(const std::string& folder_or_list) { return read_corpus(folder_or_list, {}); }

Corpus read_corpus(const std::string& folder_or_list, std::span<const std::string> classes,
                   const std::string& folder) {
  std::error_code error;
  if (fs::is_directory(folder_or_list, error)) return read_folder_of(folder_or_list, classes);
  const List list{folder_or_list, folder};
  std::vector<Entry> entries = entries_in(list);
  if (classes.empty()) return own_classes(list, std::move(entries));
  return corpus_of(list.path, std::move(entries), {classes.begin(), classes.end()});
}

Corpus read_classes(const std::string& folder_or_list, std::span<const std::string> classes) {
  if (classes.empty()) return read_corpus(folder_or_list);
  std::error_code error;
  if (fs::is_directory(folder_or_list, error)) {
    check_choice(folder_or_list, classes, io::folders_in(folder_or_list));
    return read_folders(folder_or_list, {classes.begin(), classes.end()});
  }
  const List list{folder_or_list};
  std::vector<Entry> entries = entries_in(list);
  check_choice(folder_or_list, classes, classes_of(entries));
  std::erase_if(entries, [&](const Entry& entry) {
    return std::ranges::find(classes, entry.class_name) == classes.end();
  });
  return corpus_of(list.path, std::move(entries), {classes.begin(), classes.end()});
}

}  // namespace fovea::scenes
