// Points and features, which training, evaluation and recognition share.
#pragma once
#include <fovea/actions/model.h>

#include <span>
#include <vector>

namespace fovea::actions {

// Returns the length of a feature.
int feature_size(Appearance appearance);

// Returns the most confident points of each frame that has some.
PointSet most_salient(const PointSet& points, int most = 1);
// Returns the index of the first point of each frame that has points, and the number of points.
std::vector<int> frame_starts(const PointSet& points);
// Returns the points with the given indices, in that order.
PointSet chosen_points(const PointSet& points, std::span<const int> which);
// Returns a copy; point sets cannot be copied implicitly.
PointSet clone(const PointSet& points);

// Mirrors a descriptor; `from` and `to` must not be the same.
void mirror_hog(const float* from, float* to);
void mirror_hof(const float* from, float* to);

// Rounds descriptors to 16 bits per number, as a file stores them.
void round_to_file(ImageView<float> descriptors);

}  // namespace fovea::actions
