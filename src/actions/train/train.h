// Parts of training that evaluation repeats for each fold.
#pragma once
#include <fovea/actions/distances.h>
#include <fovea/actions/train.h>

#include <span>
#include <vector>

#include "actions/train/clip_source.h"
#include "actions/train/train_table.h"

namespace fovea::actions {

// Throws InvalidArgument if clips, their points and labels do not fit together.
void check_corpus(const Corpus& corpus, int clips, const char* who);

// Returns the number of the subject of each clip.
std::vector<int> subject_numbers(const Corpus& corpus);

// Returns the points of a prototype's frames with their features.
Chain make_chain(const PointSet& salient, const Prototype& prototype,
                 const FeatureOptions& features);

// The clips whose prototypes are candidates, and the clips with which they are selected: those of
// subjects of `clips` that are drawn at random.
struct SelectionParts {
  std::vector<int> candidates;
  std::vector<int> validation;
};
SelectionParts selection_parts(std::span<const int> clips, std::span<const int> subjects,
                               double share, std::uint64_t seed);

// Clips to learn from. The features of `options` have their scale.
struct ClipTask {
  const ClipSource& clips;
  std::span<const std::int32_t> labels;  // by clip
  const TrainOptions& options;
  const Exec& exec;
};
// Returns the prototypes of some of the clips.
std::vector<Prototype> cut_clips(const ClipTask& task, std::span<const int> clips);
// Matches prototypes with clips, some at a time, so that only the distances are held: one row per
// clip, one column per prototype.
Image<float> clip_table(const ClipTask& task, std::span<const Prototype> prototypes,
                        std::span<const int> clips);
// Returns the prototypes of the candidates. If there are more than fifty million pairs of them and
// validation clips, every n-th counts.
std::vector<Prototype> selection_candidates(const ClipTask& task, const SelectionParts& parts);
// Returns those of them that floating selection chooses by their distances to validation clips, one
// row per clip.
std::vector<Prototype> select_prototypes(const ClipTask& task,
                                         std::span<const Prototype> candidates,
                                         std::span<const int> validation,
                                         const Image<float>& distances);
// Does both.
std::vector<Prototype> selected_prototypes(const ClipTask& task, const SelectionParts& parts);

// Trains, with distances that are known or, where `known` is null, measured here.
Model train_clips(const Corpus& corpus, const ClipSource& clips, const TrainOptions& options,
                  const TrainDistances* known);

// Returns the flow descriptors of the most confident points, rounded as in files.
Image<float> fusion_rows(const PointSet& points, int most);

}  // namespace fovea::actions
