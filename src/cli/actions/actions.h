// What the verbs of fovea actions share: models, corpora, and clips that cannot be read.
#pragma once
#include <fovea/actions/train.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The shipped model weizmann, or a file.
actions::Model read_actions_model(const std::string& word);

// Options as the paper has them, except for those that were asked for: those that are not the usual
// ones.
actions::TrainOptions paper_unless_asked(const actions::TrainOptions& asked);

// Clips with their points. Those that cannot be read are named and left out.
struct ClipSet {
  actions::Corpus corpus;
  std::vector<actions::PointSet> points;
  int failed = 0;
  double seconds = 0;
  std::vector<std::int32_t> place;  // of each clip asked for; -1: left out

  // kDone, or kSomeFailed where clips were left out.
  int status() const;
};
struct ClipRequest {
  actions::PointOptions points{};
  bool cut_first = false;
};
ClipSet load_clips(actions::Corpus corpus, const ClipRequest& request, Context& context);

}  // namespace fovea::cli
