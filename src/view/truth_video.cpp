#include "view/truth_video.h"

#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/people/mot.h>
#include <fovea/scenes/train.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>

#include "view/inputs.h"
#include "view/saved_results/find_input.h"

namespace fovea::view {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether a text begins as MOT's lines do: by the number of a frame. Lists begin with a name.
bool has_mot_lines(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::size_t end = first == text.npos ? first : text.find_first_of(",; \t", first);
  return end != text.npos && end > first &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first),
                     text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

// An annotation of one image.
bool is_pascal(const std::string& text) {
  return text.substr(0, text.find('\n')).find("PASCAL Annotation") != text.npos;
}

void take_mot(const std::string& text, const std::string& path, VideoTruth& truth) {
  if (!truth.people) truth.people.emplace();
  truth.every_frame = true;
  for (const people::MotBox& box : people::parse_mot(std::as_bytes(std::span(text)), path))
    (*truth.people)[box.frame].push_back(
        {.box = {static_cast<float>(box.box.x), static_cast<float>(box.box.y),
                 static_cast<float>(box.box.width), static_cast<float>(box.box.height)},
         .ignore = box.score == 0,
         .label = box.id < 0 ? "" : std::to_string(box.id)});
}

void take_coco(const std::string& path, const std::string& video, VideoTruth& truth) {
  const std::string stem = fs::path(video).stem().string();
  for (people::AnnotatedImage& image : people::read_annotations(path)) {
    const std::string name = fs::path(image.name).stem().string();
    const std::optional<std::int64_t> frame =
        image.frame >= 0 && name == stem ? std::optional(image.frame) : frame_number(name, stem);
    if (!frame) continue;
    if (!truth.people) truth.people.emplace();
    for (people::Annotation& person : image.people) person.label.clear();  // all are people
    std::vector<people::Annotation>& there = (*truth.people)[*frame];
    std::ranges::move(image.people, std::back_inserter(there));
  }
}

void take_events(const std::string& path, const std::string& video, VideoTruth& truth) {
  for (SavedEvent& event : parse_saved_lines(read_saved_text(path), path).events) {
    if (!event.input.empty() && fs::path(event.input).filename() != fs::path(video).filename())
      continue;
    event.truth = true;
    event.score.reset();
    truth.events.push_back(std::move(event));
  }
}

// The clips of a list; none of a list of images with their classes. FormatError where it is
// neither: a line of an image has two words, and that of a clip has more.
actions::Corpus listed_clips(const std::string& path, const std::string& text) {
  std::string cause;
  try {
    return actions::read_corpus(path);
  } catch (const Error& error) {
    cause = error.what();
  }
  try {
    (void)scenes::read_corpus(path);
    return {};
  } catch (const Error& error) {
    std::istringstream words(text.substr(0, text.find('\n')));
    std::string word;
    int count = 0;
    while (words >> word) ++count;
    throw FormatError(count == 2 ? error.what() : cause);
  }
}

// The clips of a folder with one folder per action. What is no such folder has none.
actions::Corpus clips_in(const std::string& folder) {
  try {
    return actions::read_corpus(folder);
  } catch (const Error&) {
    return {};
  }
}

// Clips of the video, or of others of its name where it is none of them, as a dropped copy is.
void take_clips(const actions::Corpus& corpus, const std::string& video, VideoTruth& truth) {
  std::vector<const actions::Clip*> same, named;
  for (const actions::Clip& clip : corpus.clips) {
    if (fs::path(clip.path).filename() != fs::path(video).filename()) continue;
    std::error_code error;
    (fs::equivalent(clip.path, video, error) ? same : named).push_back(&clip);
  }
  for (const actions::Clip* clip : same.empty() ? named : same)
    truth.events.push_back({.name = corpus.classes[static_cast<std::size_t>(clip->label)],
                            .first = clip->first,
                            .last = clip->frames > 0 ? std::int64_t{clip->first} + clip->frames - 1
                                                     : std::numeric_limits<std::int32_t>::max(),
                            .truth = true});
}

void take_file(const std::string& path, const std::string& video, VideoTruth& truth) {
  if (ends_in(path, {"json"})) return take_coco(path, video, truth);
  if (ends_in(path, {"jsonl"})) return take_events(path, video, truth);
  if (!ends_in(path, {"txt"})) return;
  const std::string text = read_saved_text(path);
  if (has_mot_lines(text)) take_mot(text, path, truth);
  else if (!is_pascal(text)) take_clips(listed_clips(path, text), video, truth);
}

}  // namespace

void check_truth(const std::string& path) {
  VideoTruth truth;
  take_file(path, {}, truth);
  if (ends_in(path, {"txt"}) && is_pascal(read_saved_text(path)))
    (void)people::read_annotations(path);
}

VideoTruth read_video_truth(const std::string& path, const std::string& video) {
  VideoTruth truth;
  if (is_there(path)) {
    take_file(path, video, truth);
    return truth;
  }
  const std::string stem = fs::path(video).stem().string();
  const fs::path folder(path);
  for (const fs::path& text : {folder / (stem + ".txt"), folder / stem / "gt" / "gt.txt",
                               folder / stem / "gt.txt", folder / (stem + ".jsonl")})
    if (is_there(text)) take_file(text.string(), video, truth);
  for (const std::string& table : files_in(path, {"json"})) take_coco(table, video, truth);
  take_clips(clips_in(path), video, truth);
  return truth;
}

}  // namespace fovea::view
