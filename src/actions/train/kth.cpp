// Reads the sequence file of the KTH set (Schuldt, Laptev and Caputo, ICPR 2004): which frames of
// which video show an action, and which people are for training, validation and testing. Lines are
// recognized by their content and not by their number, because copies have different headers.
#include <fovea/actions/train.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

#include "actions/train/corpus_text.h"
#include "core/words.h"
#include "io/text/list_text.h"

namespace fovea::actions {
namespace {

constexpr std::array<std::string_view, 6> kActions{"boxing",  "handclapping", "handwaving",
                                                   "jogging", "running",      "walking"};
constexpr int kVideos = 599;
constexpr std::size_t kClips = 2391, kTrainClips = 760, kValidationClips = 768, kTestClips = 863;

enum class Part : unsigned char { kTrain, kValidation, kTest };

// Returns "person07" for "person07" or "7"; empty if it is neither.
std::string person_of(std::string_view word) {
  if (word.starts_with("person")) word.remove_prefix(6);
  while (!word.empty() && word.back() == ',') word.remove_suffix(1);
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (word.empty() || word.size() > 2 || !std::ranges::all_of(word, digit)) return {};
  return fmt::format("person{:0>2}", word);
}

// Reads a line such as "Training: person11, 12, ..."; returns false for any other line.
bool read_part(std::string_view text, std::map<std::string, Part>& parts) {
  static constexpr std::array<std::pair<std::string_view, Part>, 3> kHeads{
      {{"Training:", Part::kTrain}, {"Validation:", Part::kValidation}, {"Test:", Part::kTest}}};
  for (const auto& [head, part] : kHeads) {
    if (!text.starts_with(head)) continue;
    std::string list(text.substr(head.size()));
    std::ranges::replace(list, ',', ' ');
    for (const std::string& word : words_of(list))
      if (const std::string person = person_of(word); !person.empty()) parts[person] = part;
    return true;
  }
  return false;
}

// The parts of a name such as "person01_boxing_d1".
struct VideoName {
  std::string person, action, scenario;
};
bool parse_name(const std::string& word, VideoName& name) {
  const auto first = word.find('_'), last = word.rfind('_');
  if (first == std::string::npos || first == last) return false;
  name = {person_of(word.substr(0, first)), word.substr(first + 1, last - first - 1),
          word.substr(last + 1)};
  return word.starts_with("person") && !name.person.empty();
}

class SequenceReader {
 public:
  SequenceReader(const std::string& path, const std::string& folder)
      : path_(path), folder_(folder) {
    for (const std::string_view action : kActions) result_.corpus.classes.emplace_back(action);
  }

  KthSequences read() {
    const std::string text = io::read_list(path_);
    for (const io::ListLine& line : io::list_lines(text)) {
      if (read_part(line.text, parts_)) continue;
      // All other lines are prose in the header.
      if (line.text.starts_with("person") && line.text.find('_') != std::string_view::npos)
        read_video(line);
    }
    if (result_.corpus.clips.empty())
      throw FormatError(path_ +
                        ": no line such as \"person01_boxing_d1 frames 1-95, 96-185\"; is this "
                        "KTH's 00sequences.txt?");
    divide();
    return std::move(result_);
  }

 private:
  void read_video(const io::ListLine& line) {
    std::string ranges(line.text);
    std::ranges::replace(ranges, ',', ' ');
    const std::vector<std::string> words = words_of(ranges);
    VideoName name;
    if (!parse_name(words[0], name))
      io::fail_line(
          path_, line.number,
          fmt::format("\"{}\", expected a name such as person01_boxing_d1", io::shown(words[0])));
    const auto& classes = result_.corpus.classes;
    const auto known = std::ranges::find(classes, name.action);
    if (known == classes.end())
      io::fail_line(path_, line.number,
                    fmt::format("action \"{}\", expected {}", io::shown(name.action),
                                fmt::join(classes, ", ")));
    if (words.size() == 2 && words[1].find("missing") != std::string::npos) return;
    if (words.size() < 3 || words[1] != "frames")
      io::fail_line(
          path_, line.number,
          fmt::format("\"{}\", expected \"frames\" and ranges of them", io::shown(line.text)));
    ++result_.videos;
    for (std::size_t i = 2; i < words.size(); ++i) {
      std::pair<int, int> range;
      if (!parse_range(words[i], range))
        io::fail_line(
            path_, line.number,
            fmt::format("frames \"{}\", expected first-last, counted from 1", io::shown(words[i])));
      const auto file = std::filesystem::path(folder_) / name.action / (words[0] + "_uncomp.avi");
      result_.corpus.clips.push_back({.path = file.string(),
                                      .label = static_cast<std::int32_t>(known - classes.begin()),
                                      .subject = name.person,
                                      .scenario = name.scenario,
                                      .first = range.first - 1,
                                      .frames = range.second - range.first + 1});
    }
  }

  void divide() {
    for (std::size_t i = 0; i < result_.corpus.clips.size(); ++i) {
      const auto part = parts_.find(result_.corpus.clips[i].subject);
      if (part == parts_.end())
        throw FormatError(fmt::format(
            "{}: {} stands in none of the lines Training:, Validation: and Test:", path_,
            result_.corpus.clips[i].subject));
      auto& clips = part->second == Part::kTrain        ? result_.train
                    : part->second == Part::kValidation ? result_.validation
                                                        : result_.test;
      clips.push_back(static_cast<std::int32_t>(i));
    }
  }

  const std::string& path_;
  const std::string& folder_;
  std::map<std::string, Part> parts_;
  KthSequences result_;
};

}  // namespace

KthSequences read_kth(const std::string& sequences, const std::string& folder, bool whole) {
  KthSequences result = SequenceReader(sequences, folder).read();
  if (whole && (result.videos != kVideos || result.corpus.clips.size() != kClips ||
                result.train.size() != kTrainClips ||
                result.validation.size() != kValidationClips || result.test.size() != kTestClips))
    throw FormatError(
        fmt::format("{}: {} and {}, {} to train, {} to choose and {} to test with; the whole set "
                    "has {}, {}, {}, {} and {}",
                    sequences, fovea::detail::counted(result.videos, "video"),
                    fovea::detail::counted(result.corpus.clips.size(), "clip"), result.train.size(),
                    result.validation.size(), result.test.size(), kVideos, kClips, kTrainClips,
                    kValidationClips, kTestClips));
  return result;
}

}  // namespace fovea::actions
