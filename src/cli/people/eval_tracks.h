// The request of fovea people eval-tracks, and what fovea view shows of its result.
#pragma once
#include <fovea/people/evaluate_tracks.h>
#include <fovea/report/evaluation.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

struct EvalTracksRequest {
  std::vector<std::string> truths{};
  std::vector<std::string> videos{};
  std::string output{};
  bool pedestrians = true;
  people::EvaluateTracksOptions evaluate{};
};
void describe(OptionVisitor& visit, EvalTracksRequest& request);

// True and found boxes of one video.
struct TrackedVideo {
  std::string found{};  // the file of found boxes
  std::string video{};  // a video, or a folder or glob of its frames; may be empty
  std::vector<people::MotBox> truth{}, boxes{};
};

// The curve over least scores of found boxes, and switches, people who are missed and tracks of
// nobody, each of which opens at its frame.
report::Evaluation tracks_evaluation(const std::vector<TrackedVideo>& videos,
                                     const people::TrackReport& all,
                                     const EvalTracksRequest& request);

}  // namespace fovea::cli
