// The directions in which samples vary most.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <vector>

namespace fovea::scenes {

struct PrincipalAxes {
  std::vector<double> mean;       // of the samples
  Image<double> axes;             // one per row, of length 1, that of the greatest variance first
  std::vector<double> variances;  // along the axes
};
// Samples are rows. The sign of an axis is such that the number of greatest magnitude is positive.
PrincipalAxes principal_axes(ImageView<const float> samples, const Exec& exec);

}  // namespace fovea::scenes
