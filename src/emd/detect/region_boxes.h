// Boxes of one size with the least mean distance.
#pragma once
#include <fovea/emd/regions.h>

namespace fovea::emd {

// The mean distance of the box at every place, infinite where most of its pixels have none. Empty
// where the box does not fit.
Image<float> box_means(ImageView<const float> map, Extent size);

// The threshold of a rule for any map, with the box of the target's pixels in it.
double threshold_by(ImageView<const float> map, ThresholdRule rule,
                    const std::optional<Rect<int>>& box);

// Adds boxes of this size to `found`, whose threshold and labels are set.
void find_boxes(ImageView<const float> map, const RegionOptions& options, Extent size,
                RegionSet& found);

}  // namespace fovea::emd
