// What the verbs of fovea actions share: corpora, and clips that cannot be read.
#pragma once
#include <fovea/actions/train.h>
#include <fovea/io/frames.h>

#include <functional>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The paper's options, except for those that differ from the defaults: these were set on purpose.
actions::TrainOptions paper_unless_set(const actions::TrainOptions& given);

// Frames in flight for a stream that one worker follows: reading and writing go on beside it,
// unless there is but one thread.
int stream_in_flight(const Exec& exec);
// Takes the rest out of a stream after its run. Where the run has failed, a stream that cannot be
// finished is no second error.
void finish_after(const io::FrameRun& run, const std::function<void()>& finish);

// Clips with their points. Those that cannot be read are named and left out.
struct ClipSet {
  actions::Corpus corpus;
  std::vector<actions::PointSet> points;
  int failed = 0;
  double seconds = 0;
  std::vector<std::int32_t> place;  // of each clip of the original corpus; -1: left out

  // kDone, or kSomeFailed where clips were left out.
  int status() const;
};
ClipSet load_clips(actions::Corpus corpus, const actions::PointOptions& points, bool cut_first,
                   Context& context);

}  // namespace fovea::cli
