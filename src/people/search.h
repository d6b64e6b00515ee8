// The pieces of a search that the detector and explanations share: its plan, its scanner, and how
// windows become detections.
#pragma once
#include <fovea/people/detector.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "people/scanner.h"

namespace fovea::people {

// The part of an image that is searched. Throws InvalidArgument where it is not part of it.
ImageView<const std::uint8_t> searched_part(ImageView<const std::uint8_t> image,
                                            const std::optional<Rect<int>>& region);
// The plan of a search of this part, which has `above` rows of the whole image above it. Throws
// InvalidArgument where no window fits.
ScanPlan plan_search(const Model& model, const DetectOptions& options,
                     ImageView<const std::uint8_t> image, int above);

// The window of a hit, and the person in its middle, in pixels of the whole image.
Detection detection_of(const Hit& hit, const ScanPlan& plan, const Model& model,
                       const std::optional<Rect<int>>& region);
// The people that windows with sufficient scores show, as the options fuse them, with confidence
// where the model has a calibration.
std::vector<Detection> fuse_windows(std::span<const Detection> found, const Model& model,
                                    const DetectOptions& options, ScanCounts& counts);

}  // namespace fovea::people
