#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/position.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// From a map of distances to the places where the target is. Maps lie in host memory. Results
// depend on nothing but the map and the options.
namespace fovea::emd {

// How pixels with small distances become regions.
//   components  Pixels at or below the threshold that touch each other, also by a corner.
//   boxes       Boxes of the target's size whose mean distance is at or below the threshold and the
//               least nearby; of boxes that overlap, the best ones are kept.
enum class RegionKind : unsigned char { kComponents, kBoxes };
FOVEA_API std::span<const Choice> choices(RegionKind);

// How the threshold is chosen where none is given.
//   target   Separates the target's own box from all other pixels best, by the F-measure in which
//            precision counts twice as much as recall. It needs the target's box in the map; where
//            the target is another image, it is otsu.
//   otsu     Splits the distances into two classes with the least variance within them (Otsu,
//   1979),
//            over 256 equal steps.
//   outlier  The median less three deviations, where the deviation is 1.4826 times the median of
//            absolute differences to the median.
enum class ThresholdRule : unsigned char { kTarget, kOtsu, kOutlier };
FOVEA_API std::span<const Choice> choices(ThresholdRule);

struct RegionOptions {
  RegionKind kind = RegionKind::kComponents;
  std::optional<double> threshold{};  // greatest distance of a target; absent: by the rule
  ThresholdRule rule = ThresholdRule::kTarget;
  int least_area = 16;         // pixels of a region at least; smaller ones are dropped
  int most = 100;              // best regions that are kept
  std::optional<int> width{};  // of boxes in pixels; absent: the target's
  std::optional<int> height{};
  double overlap = 0.3;  // intersection over union beyond which the worse of two boxes is dropped
};
FOVEA_API void describe(OptionVisitor& visit, RegionOptions& options);

struct Region {
  Rect<int> box{};           // around its pixels; for boxes the box itself
  std::int64_t area = 0;     // pixels at or below the threshold in it
  double score = 0;          // 0 to 1, see RegionSet
  Position<int> peak{};      // the pixel with the least distance, the first in reading order
  float distance = 0;        // the least one
  double mean_distance = 0;  // of its pixels; for boxes of all pixels of the box
  bool operator==(const Region&) const = default;
};
FOVEA_API void describe(FieldVisitor& visit, Region& region);

// Regions from the best score on; of equal ones the upper and then the left peak comes first.
struct RegionSet {
  std::vector<Region> regions{};
  double threshold = 0;  // given or chosen; NaN where no pixel has a distance
  // The number of each pixel's region, from 1, and 0 for none. A pixel of two boxes belongs to the
  // better one. Pixels above the threshold belong to none.
  Image<std::uint16_t> labels{};
};
FOVEA_API void describe(FieldVisitor& visit, RegionSet& found);

// What is known about the target in the map.
struct RegionTarget {
  std::optional<Rect<int>> box{};  // where it is in this map
  Extent size{};                   // of it, where scores and boxes need it; 0: not known
};

// The threshold that a rule chooses: of pixels, or of the mean distances of boxes at all places,
// where the places within a quarter of the target's size are the target's. What is not finite does
// not count; NaN where nothing is. Throws as find_regions() does.
FOVEA_API double choose_threshold(ImageView<const float> map, const RegionOptions& options = {},
                                  const RegionTarget& target = {});

// Finds regions. A component's score is the sum of 1 - distance / threshold over its pixels,
// divided by the target's area where that is known (by its own otherwise), and at most 1: a region
// that is as large as the target and equal to it has 1. A box's score is 1 - mean distance /
// threshold. Pixels that are not finite, such as those outside of a region of interest, belong to
// no region. Throws InvalidArgument for options out of range, boxes without a size, and a box that
// does not lie in the map.
FOVEA_API RegionSet find_regions(ImageView<const float> map, const RegionOptions& options = {},
                                 const RegionTarget& target = {});

// 255 where a pixel belongs to a region, else 0.
FOVEA_API Image<std::uint8_t> region_mask(const RegionSet& found);
// The pixels of a region (its index, from 0) as the compressed run lengths of COCO's segmentations:
// columns one after another, as text.
FOVEA_API std::string region_rle(const RegionSet& found, std::size_t index);

}  // namespace fovea::emd
