// Computes the distances of a clip to classes from its matches with prototypes.
#pragma once
#include <fovea/actions/model.h>

#include <cmath>
#include <span>
#include <vector>

#include "actions/infinity.h"

namespace fovea::actions {

// Returns the scene of a whole clip. Its descriptors are rounded as in files, so that a clip has
// the same distances whether it comes out of a model or was just found.
Scene clip_scene(const PointSet& points, int most, const FeatureOptions& options);

// Returns the distance of a prototype with so many nodes; infinite if there is no match.
inline float distance_per_node(const MatchScore& match, Score score, int nodes) {
  if (!std::isfinite(match.energy)) return kInfinity<float>;
  return (score == Score::kEnergy ? match.energy : match.appearance) / static_cast<float>(nodes);
}

// How far one clip is from every class, with the nearest prototype per class.
struct ClassDistances {
  std::vector<double> distances;  // by class; infinite if no prototype of the class fits
  std::vector<int>
      prototypes;  // by class: the column of the nearest prototype, or -1 if there is none
  std::vector<float> nearest;      // by class: the distance of that prototype
  std::vector<double> matching{};  // by class: `distances` without fusion
};

// The distance to a class is the mean of the `best` least distances among those of the given
// columns that belong to the class.
ClassDistances nearest_prototypes(std::span<const float> row, std::span<const int> columns,
                                  std::span<const Prototype> prototypes, int classes, int best);

// The columns of a clip's prototypes, both original and mirrored.
struct ClipColumns {
  std::vector<int> plain;
  std::vector<int> mirrored;
};
std::vector<ClipColumns> columns_by_clip(std::span<const Prototype> prototypes, int clips);
// Returns the mean distance between the clip of a row and the prototypes of another clip, original
// or mirrored, whichever is nearer. It is infinite if a prototype does not fit or there is none.
double clip_distance(std::span<const float> row, const ClipColumns& columns);
// Returns the mean of both directions, or the finite one if the other is infinite.
double symmetric_distance(double forward, double backward);
// Returns one value per class: the mean of the `best` smallest distances among its clips.
std::vector<double> nearest_clips(std::span<const double> distances,
                                  std::span<const std::int32_t> labels, int classes, int best);

// Returns distances with the mean 0 and the deviation 1 over the classes. An infinite distance
// counts as the greatest finite one.
std::vector<double> z_scores(std::span<const double> distances);
// Returns the sum of both as z-scores over the classes, the second one multiplied by `weight`. An
// infinite distance counts as the greatest finite one.
std::vector<double> fused(std::span<const double> distances, std::span<const double> singles,
                          double weight);

// What is known of a clip before it is classified.
struct ClipEvidence {
  std::span<const float> row{};    // its distance to each prototype
  std::span<const int> columns{};  // the prototypes that count
  std::span<const Prototype> prototypes{};
  std::span<const double> clips{};  // for symmetric distances: those to the training clips,
  std::span<const std::int32_t> clip_labels{};  // and their labels
  std::span<const double> singles{};  // for fusion: distances of single descriptors, by class
};
// Returns the distances of a clip to classes as the options define them. The nearest prototypes are
// those of the plain distances. Evaluation and classification by a model both use this function.
ClassDistances class_distances(const ClipEvidence& evidence, const ScoreOptions& options,
                               int classes);

// Returns the index of the least distance, the first of equals; -1 if none is finite.
int least_of(std::span<const double> distances);
// Returns the index of the least distance but one; -1 if there is none.
int second_of(std::span<const double> distances);
// Returns the difference between the two least distances, divided by the least; 0 if there is no
// second, and infinite if the least is 0 and the second is not.
double margin_of(std::span<const double> distances);
// Returns the difference between the two least distances; 0 if there is no second. Of minus the
// logarithms of probabilities it is the logarithm of the odds.
double log_odds_of(std::span<const double> distances);

}  // namespace fovea::actions
