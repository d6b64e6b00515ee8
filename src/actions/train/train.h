// Parts of training that evaluation repeats for each fold.
#pragma once
#include <fovea/actions/train.h>

#include <span>
#include <vector>

#include "actions/train/train_table.h"

namespace fovea::actions {

// InvalidArgument where clips, points and labels do not fit together.
void check_corpus(const Corpus& corpus, std::span<const PointSet> points, const char* who);

// Subjects by number, of each clip.
std::vector<int> subject_numbers(const Corpus& corpus);

// Points that become prototypes: one per frame, in the precision of files.
std::vector<PointSet> salient_points(std::span<const PointSet> points);

// A prototype's nodes as features.
Chain make_chain(const PointSet& salient, const Prototype& prototype,
                 const FeatureOptions& features);

// Clips of which prototypes are candidates, and those that they are chosen with: subjects of
// `clips` drawn by chance.
struct SelectionParts {
  std::vector<int> candidates;
  std::vector<int> validation;
};
SelectionParts selection_parts(std::span<const int> clips, std::span<const int> subjects,
                               double share, std::uint64_t seed);
// Columns chosen by floating selection among those of the candidates.
std::vector<int> select_columns(const ScoreTable& table, const SelectionParts& parts,
                                std::span<const std::int32_t> labels, const TrainOptions& options,
                                const Exec& exec);

// The most confident points' descriptors of flow, in the precision of files.
Image<float> fusion_rows(const PointSet& points, int most);

}  // namespace fovea::actions
