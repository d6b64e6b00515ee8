// Points and features, as training, evaluation and recognition share them.
#pragma once
#include <fovea/actions/model.h>

#include <span>

namespace fovea::actions {

// Numbers of a feature.
int feature_size(Appearance appearance);

// The most confident point of each frame that has one.
PointSet most_salient(const PointSet& points);
// Points whose numbers are given, in that order.
PointSet chosen_points(const PointSet& points, std::span<const int> which);
// A copy, which point sets do not make by themselves.
PointSet clone(const PointSet& points);

// A descriptor in a mirror; `from` and `to` are not the same.
void mirror_hog(const float* from, float* to);
void mirror_hof(const float* from, float* to);

// Descriptors as they come back from a file with 16 bits per number.
void round_to_file(ImageView<float> descriptors);

// learn_scale() of some of the clips.
double choose_scale(std::span<const PointSet> clips, std::span<const int> which, int most,
                    const FeatureOptions& options, std::uint64_t seed);

}  // namespace fovea::actions
