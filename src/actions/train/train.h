// Parts of training that evaluation repeats for each fold.
#pragma once
#include <fovea/actions/train.h>

#include <span>
#include <vector>

#include "actions/train/train_table.h"

namespace fovea::actions {

// Throws InvalidArgument if clips, points and labels do not fit together.
void check_corpus(const Corpus& corpus, std::span<const PointSet> points, const char* who);

// Returns the number of the subject of each clip.
std::vector<int> subject_numbers(const Corpus& corpus);

// Returns the points from which prototypes are made: the most confident ones of each frame, rounded
// as in files.
std::vector<PointSet> salient_points(std::span<const PointSet> points, int most = 1);

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
// Returns the columns that floating selection chooses among those of the candidates.
std::vector<int> select_columns(const ScoreTable& table, const SelectionParts& parts,
                                std::span<const std::int32_t> labels, const TrainOptions& options,
                                const Exec& exec);

// Returns the flow descriptors of the most confident points, rounded as in files.
Image<float> fusion_rows(const PointSet& points, int most);

}  // namespace fovea::actions
