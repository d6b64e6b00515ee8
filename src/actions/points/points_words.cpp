// The options that points depend on, as words that points files keep, and whether two of them
// agree.
#include "actions/points/points_words.h"

#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace fovea::actions {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;  // options and their values

constexpr const char* kMostPerFrame = "--most-per-frame";
constexpr const char* kLeastConfidence = "--least-confidence";

template <class Kind>
std::string_view word_of(Kind kind) {
  for (const Choice& choice : choices(kind))
    if (choice.value == static_cast<int>(kind)) return choice.word;
  return "unknown";
}

// A GPU's block changes no point, and the other detector's options change none either.
Words words_of(const PointOptions& options) {
  const bool harris = options.detector == PointDetector::kHarris;
  PointOptions visited = options;
  Words words;
  for_each_option(visited, [&](const OptionField& field) {
    const bool other = field.name.starts_with(harris ? "periodic-" : "harris-");
    if (!other && field.name != "block" && field.name != "descriptors")
      words.emplace_back("--" + field.name, option_text(field));
  });
  return words;
}

Words words_in(const std::string& text) {
  std::istringstream in(text);
  Words words;
  for (std::string name, value; in >> name >> value;) words.emplace_back(name, value);
  return words;
}

std::string text_of(const Words& words) {
  std::string text;
  for (const auto& [name, value] : words)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, value);
  return text;
}

const std::string* value_of(const Words& words, const std::string& name) {
  const auto found = std::ranges::find(words, name, &Words::value_type::first);
  return found == words.end() ? nullptr : &found->second;
}

// The words whose values are others there, or are not there.
Words missing_in(const Words& words, const Words& there) {
  Words missing;
  for (const auto& word : words) {
    const std::string* value = value_of(there, word.first);
    if (value == nullptr || *value != word.second) missing.push_back(word);
  }
  return missing;
}

// The command that finds points with these options.
std::string command_of(const PointOptions& options) {
  PointOptions usual;
  usual.detector = options.detector;
  Words words = missing_in(words_of(options), words_of(usual));
  if (options.detector != PointOptions{}.detector)
    words.emplace(words.begin(), "--detector", word_of(options.detector));
  return fmt::format("fovea actions points VIDEO -o FILE.txt{}{}", words.empty() ? "" : " ",
                     text_of(words));
}

}  // namespace

std::string point_words(const PointOptions& options) { return text_of(words_of(options)); }

std::string words_of_selected(const std::string& found_with, const SelectOptions& selected) {
  Words words = words_in(found_with);
  if (words.empty()) return {};
  const auto set = [&](const char* name, const std::string& value) {
    const auto known = std::ranges::find(words, name, &Words::value_type::first);
    if (known == words.end()) words.emplace_back(name, value);
    else known->second = value;
  };
  const std::string* most = value_of(words, kMostPerFrame);
  const int kept = most == nullptr ? 0 : std::atoi(most->c_str());
  if (selected.most_per_frame > 0 && (kept == 0 || selected.most_per_frame < kept))
    set(kMostPerFrame, fmt::format("{}", selected.most_per_frame));
  if (selected.least_confidence > 0)
    set(kLeastConfidence, fmt::format("{}", selected.least_confidence));
  return text_of(words);
}

std::string why_not_comparable(const PointSet& points, const PointOptions& expected) {
  if (!points.points.empty() && points.descriptors.empty())
    return fmt::format(
        "the points have no descriptors, by which they are compared; expected {} numbers of HoG "
        "and HoF behind each point",
        kDescriptorSize);
  if (points.detector && *points.detector != expected.detector)
    return fmt::format(
        "points of the {} detector; expected those of {}, with which they are compared: find them "
        "again by {}",
        word_of(*points.detector), word_of(expected.detector), command_of(expected));
  if (points.votes && *points.votes != expected.votes)
    return fmt::format(
        "descriptors with the votes {}; expected {}, with which they are compared: find the points "
        "again by {}",
        word_of(*points.votes), word_of(expected.votes), command_of(expected));
  if (points.found_with.empty()) return {};
  const Words wanted = words_of(expected), given = words_in(points.found_with);
  const Words other = missing_in(given, wanted), missing = missing_in(wanted, given);
  if (other.empty() && missing.empty()) return {};
  return fmt::format(
      "points that were found with {}; expected those of {}, with which they are compared: find "
      "them again by {}",
      other.empty() ? "other options" : text_of(other),
      missing.empty() ? "no such option" : text_of(missing), command_of(expected));
}

}  // namespace fovea::actions
