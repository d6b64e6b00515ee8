#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/options_fwd.h>

#include <array>
#include <optional>
#include <vector>

namespace fovea::people {

inline constexpr double kMostEnlarge = 8;

// Where windows are searched: in the levels of a bilinear pyramid, each in steps of `stride`.
struct ScanOptions {
  double ratio = 1.05;  // size of a level divided by the size of the next, 1.01 to 4. With 1.1 a
                        // search takes half the time and misses 1 to 3 % more people
  int stride = 0;       // step between windows, in pixels of a level; 0: the model's own. Models
                        // of kind hog-cells need a multiple of their cell
  double enlarge = 1;   // the first level is the image enlarged by this factor, 1 to 8, so that
                        // people smaller than the window are found
  int padding = 24;     // width of the mirrored margin around each level, 0 to 256 pixels, so that
                        // people at the border are found
  double min_height = 0;  // height of the smallest people searched for, in pixels of the image
  double max_height = 0;  // height of the tallest people searched for; 0: no limit
  // A camera that stands still, without roll, above flat ground: people who stand on it are as high
  // as (row of their feet - horizon) * their height / camera_height, and only such are searched
  // for.
  std::optional<double> horizon{};  // row of the horizon, which may lie outside; absent: search
                                    // everywhere for all sizes
  double camera_height = 3;         // of the camera above the ground, in meters
  std::array<double, 2> person_heights{1.4, 2};  // least and greatest height of people, in meters
};
FOVEA_API void describe(OptionVisitor& visit, ScanOptions& options);

// One level of a search: the image at another size, with `padding` mirrored pixels around it.
struct ScanLevel {
  Extent size;         // without the padding
  double scale_x = 1;  // how many pixels of the image one pixel of the level covers, across
  double scale_y = 1;  // and down; the two differ because the sizes of levels are rounded
  int columns = 0;     // number of windows across
  int rows = 0;        // number of windows down
  int first_row = 0;   // rows of windows above those that are searched
  bool operator==(const ScanLevel&) const = default;
};

// The upper left corner of window (column, row) of a level is at (origin + column * stride,
// top(level) + row * stride) of the padded level.
struct ScanPlan {
  Extent window;
  int stride = 8;
  int padding = 0;
  int origin = 0;
  std::vector<ScanLevel> levels;

  Extent padded(const ScanLevel& level) const {
    return {level.size.width + 2 * padding, level.size.height + 2 * padding};
  }
  int top(const ScanLevel& level) const { return origin + level.first_row * stride; }
  bool operator==(const ScanPlan&) const = default;
};

// The levels of an image into which a window fits, the largest first. There are none where the
// padded image is smaller than the window, and where the options exclude all windows.
// `person_height` is a person's height divided by the window's; the heights in the options are
// those of people. Throws InvalidArgument where person_heights are in the wrong order.
FOVEA_API ScanPlan plan_scan(Extent image, Extent window, double person_height,
                             const ScanOptions& options);

// A plan with the single window in the middle of a crop, which has the same margin on all sides.
FOVEA_API ScanPlan plan_crop(Extent crop, Extent window);

}  // namespace fovea::people
