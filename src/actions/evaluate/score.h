// Computes the distances of a clip to classes from its matches with prototypes.
#pragma once
#include <fovea/actions/model.h>

#include <span>
#include <vector>

namespace fovea::actions {

// How far one clip is from every class, with the nearest prototype per class.
struct ClassDistances {
  std::vector<double> distances;  // by class; infinite where no prototype of the class fits
  std::vector<int> prototypes;    // by class: the column of the nearest prototype; -1: none
  std::vector<float> nearest;     // by class: the distance of that prototype
};

// The distance to a class is the mean of the `best` least distances among those of the given
// columns that belong to the class.
ClassDistances nearest_prototypes(std::span<const float> row, std::span<const int> columns,
                                  std::span<const Prototype> prototypes, int classes, int best);

// The columns of a clip's prototypes, as they were filmed and mirrored.
struct ClipColumns {
  std::vector<int> plain;
  std::vector<int> mirrored;
};
std::vector<ClipColumns> columns_by_clip(std::span<const Prototype> prototypes, int clips);
// The mean distance between the clip of a row and the prototypes of another clip, as they were
// filmed or mirrored, whichever is nearer. It is infinite where a prototype does not fit or there
// is none.
double clip_distance(std::span<const float> row, const ClipColumns& columns);
// The mean of both directions, or the finite one where the other is infinite.
double symmetric_distance(double forward, double backward);
// Returns one value per class: the mean of the `best` smallest distances among its clips.
std::vector<double> nearest_clips(std::span<const double> distances,
                                  std::span<const std::int32_t> labels, int classes, int best);

// The sum of both as z-scores over the classes, the second one multiplied by `weight`. An infinite
// distance counts as the greatest finite one.
std::vector<double> fused(std::span<const double> distances, std::span<const double> singles,
                          double weight);

// The index of the least distance, the first among equals; -1 where none is finite.
int least_of(std::span<const double> distances);
// The difference between the two least distances, divided by the least; 0 where there is no second.
double margin_of(std::span<const double> distances);

}  // namespace fovea::actions
