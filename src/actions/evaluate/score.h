// From matches of prototypes to distances of classes.
#pragma once
#include <fovea/actions/model.h>

#include <span>
#include <vector>

namespace fovea::actions {

// Of one clip: what each class's distance is, and the prototype that came nearest.
struct ClassDistances {
  std::vector<double> distances;  // infinite where nothing of the class fits
  std::vector<int> prototypes;    // column of the nearest, by class; -1: none
  std::vector<float> nearest;     // and how near it came
};

// The mean of the `best` least distances of each class, of the columns given.
ClassDistances nearest_prototypes(std::span<const float> row, std::span<const int> columns,
                                  std::span<const Prototype> prototypes, int classes, int best);

// Columns of a clip's prototypes, as they are and as in a mirror.
struct ClipColumns {
  std::vector<int> plain;
  std::vector<int> mirrored;
};
std::vector<ClipColumns> columns_by_clip(std::span<const Prototype> prototypes, int clips);
// How far a clip's prototypes lie from what a row stands for, on average; of both ways round the
// nearer. Infinite where one does not fit, or there are none.
double clip_distance(std::span<const float> row, const ClipColumns& columns);
// The mean of both directions; of the one that is finite where the other is not.
double symmetric_distance(double forward, double backward);
// The mean of the `best` least distances of the clips of each class.
std::vector<double> nearest_clips(std::span<const double> distances,
                                  std::span<const std::int32_t> labels, int classes, int best);

// Both as z-scores over the classes, added with the weight of the second. What is infinite lies as
// far as the farthest that is not.
std::vector<double> fused(std::span<const double> distances, std::span<const double> singles,
                          double weight);

// The least of them, the first of equal ones; -1 where none is finite.
int least_of(std::span<const double> distances);
// How much farther the second class is, over the distance of the first; 0 where there is none.
double margin_of(std::span<const double> distances);

}  // namespace fovea::actions
