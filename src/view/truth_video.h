// What is true about a video: who is in its frames, and what happens in it.
#pragma once
#include <fovea/people/annotations.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "view/saved_results/saved_file.h"

namespace fovea::view {

struct VideoTruth {
  // By frame; nothing where nobody says who is there.
  std::optional<std::map<std::int64_t, std::vector<people::Annotation>>> people{};
  bool every_frame = false;  // a frame that is not listed shows nobody, as in MOT texts
  std::vector<SavedEvent> events{};
};

// Reads what a file, or a folder, knows about a video. A file is MOT challenge text, COCO JSON
// whose images are frames of the video (by "frame", or by names such as walk_000012.jpg), events as
// actions recognize prints them (.jsonl), or a list of clips as actions train takes it. In a folder
// they are called NAME.txt, NAME/gt/gt.txt, NAME/gt.txt, NAME.jsonl and *.json, or the folder has
// one folder of videos per action. Throws FormatError where a file that belongs to the video is
// damaged.
VideoTruth read_video_truth(const std::string& truth, const std::string& video);

// Reads a file of one of these forms, an annotation of an image or a list of images with their
// classes as read_video_truth() and Truth would. Throws FormatError where it is damaged.
void check_truth(const std::string& file);

}  // namespace fovea::view
