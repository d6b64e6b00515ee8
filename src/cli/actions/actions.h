// What the verbs of fovea actions share: data sets, and clips that cannot be read.
#pragma once
#include <fovea/actions/train.h>
#include <fovea/io/frames.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/jobs/units.h"
#include "cli/program/command.h"

namespace fovea::cli {

// Takes the remaining results out of a stream after its run. Where the run has failed, a stream
// that cannot be finished is not reported as a second error.
void finish_after(const io::FrameRun& run, const std::function<void()>& finish);

// The numbers and times that frames have in their source. What counts the frames that it was given
// knows nothing of those that were dropped before. Frames that nobody will ask for are forgotten,
// so that memory does not grow with a stream.
class SourceFrames {
 public:
  // The next frame that was given. Need not be called for a source that drops none.
  void add(const io::Frame& frame) { frames_.emplace_back(frame.frame, frame.seconds); }
  // Forgets frames by how many were given before them, but never the last.
  void forget_before(std::int64_t given) {
    for (; frames_.size() > 1 && forgotten_ < given; ++forgotten_) frames_.pop_front();
  }
  // Of a frame, by how many were given before it; the same number where none was added.
  std::int64_t number(std::int64_t given) const {
    return frames_.empty() ? given : at(given).first;
  }
  std::optional<double> seconds(std::int64_t given) const {
    if (frames_.empty()) return {};
    return at(given).second;
  }
  std::size_t kept() const { return frames_.size(); }

 private:
  const std::pair<std::int64_t, double>& at(std::int64_t given) const {
    return frames_.at(static_cast<std::size_t>(given - forgotten_));
  }

  std::deque<std::pair<std::int64_t, double>> frames_{};
  std::int64_t forgotten_ = 0;
};

// What a training and the measurement of its distances are asked for alike.
struct ClipTraining {
  bool paper = false;
  bool cut_first = false;
  actions::TrainOptions train{};
};
void describe(OptionVisitor& visit, ClipTraining& request);
// The paper's options come before those that are given beside --paper.
void preset_chosen(ClipTraining& request);

// Why clips of a data set cannot be read, by their index.
using ClipFailures = std::map<int, std::string>;
// The same as manifests keep them.
struct FailedClip {
  int clip = 0;
  std::string why{};
};
void describe(FieldVisitor& visit, FailedClip& failed);
std::vector<FailedClip> listed(const ClipFailures& failures);
ClipFailures by_clip(const std::vector<FailedClip>& listed);
// Names them on standard error.
void complain_of(const ClipFailures& failures, std::size_t clips, Context& context);

// Clips with their points. Those that cannot be read are named and left out.
struct ClipSet {
  actions::Corpus corpus;
  actions::PackedClips points;
  int failed = 0;
  ClipFailures failures;
  double seconds = 0;
  std::vector<std::int32_t> place;  // index of each clip of the original data set; -1: left out

  // Returns kDone, or kSomeFailed where clips were left out.
  int status() const;
};
// The clips of a data set without those that failed, and without points.
ClipSet readable_clips(actions::Corpus corpus, ClipFailures failures);
// One unit per clip. What a clip gives depends on all of them.
UnitList clip_units(const actions::Corpus& corpus);
// The files of all clips.
std::vector<std::string> clip_files(const actions::Corpus& corpus);
ClipSet load_clips(actions::Corpus corpus, const actions::PointOptions& points, bool cut_first,
                   Context& context);

}  // namespace fovea::cli
