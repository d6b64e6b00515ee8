// Reads clips, who acts in them and which action: a folder of folders, or a list.
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "actions/train/clip_file.h"
#include "actions/train/corpus_text.h"
#include "core/words.h"
#include "io/text/list_text.h"

namespace fovea::actions {
namespace {

namespace fs = std::filesystem;

Corpus read_folder(const std::string& folder) {
  Corpus corpus;
  corpus.classes = io::folders_in(folder);
  if (corpus.classes.size() < 2)
    throw InvalidArgument(
        fmt::format("{}: {} in it; expected a folder of videos for each of two actions or more",
                    folder, fovea::detail::counted(corpus.classes.size(), "folder")));
  for (std::size_t label = 0; label < corpus.classes.size(); ++label) {
    const std::string inner = (fs::path(folder) / corpus.classes[label]).string();
    const std::vector<std::string> names = clip_files_in(inner);
    if (names.empty())
      throw InvalidArgument(
          fmt::format("{}: no video and no file of points in this action's folder; looked for .{} "
                      ".txt .stip",
                      inner, fmt::join(io::video_files().extensions, " .")));
    for (const std::string& name : names) {
      const std::string stem = fs::path(name).stem().string();
      corpus.clips.push_back({.path = (fs::path(inner) / name).string(),
                              .label = static_cast<std::int32_t>(label),
                              .subject = stem.substr(0, stem.find('_')),
                              .scenario = {}});
    }
  }
  return corpus;
}

// A line of a list, with its class as a name.
struct Entry {
  Clip clip;
  std::string class_name;
};

Entry entry_of(const std::string& list, const io::ListLine& line) {
  const std::vector<std::string> words = words_of(line.text);
  if (words.size() < 3 || words.size() > 5)
    io::fail_line(list, line.number,
                  fmt::format("\"{}\", expected \"file class subject [first-last [scenario]]\"",
                              io::shown(line.text)));
  Entry entry{{.path = (fs::path(list).parent_path() / words[0]).string(),
               .subject = words[2],
               .scenario = words.size() > 4 ? words[4] : ""},
              words[1]};
  if (words.size() > 3) {
    std::pair<int, int> range;
    if (!parse_range(words[3], range))
      io::fail_line(
          list, line.number,
          fmt::format("frames \"{}\", expected first-last, counted from 1", io::shown(words[3])));
    entry.clip.first = range.first - 1;
    entry.clip.frames = range.second - range.first + 1;
  }
  std::error_code error;
  if (!fs::exists(entry.clip.path, error))
    throw IoError(
        fmt::format("{}: line {}: {} is not there", list, line.number, io::shown(entry.clip.path)));
  return entry;
}

Corpus read_list(const std::string& list) {
  const std::string text = io::read_list(list);
  std::vector<Entry> entries;
  Corpus corpus;
  for (const io::ListLine& line : io::list_lines(text)) {
    entries.push_back(entry_of(list, line));
    corpus.classes.push_back(entries.back().class_name);
  }
  if (entries.empty()) throw InvalidArgument(list + ": this list names no video");
  std::ranges::sort(corpus.classes, io::natural_less);
  corpus.classes.erase(std::unique(corpus.classes.begin(), corpus.classes.end()),
                       corpus.classes.end());
  if (corpus.classes.size() < 2)
    throw InvalidArgument(fmt::format("{}: all clips are of class {}; expected two or more", list,
                                      corpus.classes.front()));
  for (Entry& entry : entries) {
    const auto known = std::ranges::find(corpus.classes, entry.class_name);
    entry.clip.label = static_cast<std::int32_t>(known - corpus.classes.begin());
    corpus.clips.push_back(std::move(entry.clip));
  }
  return corpus;
}

}  // namespace

std::vector<std::string> Corpus::subjects() const {
  std::vector<std::string> names;
  for (const Clip& clip : clips) names.push_back(clip.subject);
  std::ranges::sort(names, io::natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Corpus read_corpus(const std::string& folder_or_list) {
  std::error_code error;
  if (fs::is_directory(folder_or_list, error)) return read_folder(folder_or_list);
  return read_list(folder_or_list);
}

}  // namespace fovea::actions
