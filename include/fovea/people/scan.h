#pragma once
#include <fovea/core/options.h>

#include <vector>

namespace fovea::people {

// Width and height of a detection window, or of an image, in pixels.
struct Extent {
  int width = 0;
  int height = 0;
  bool operator==(const Extent&) const = default;
};

// Where windows are looked for: levels of a bilinear pyramid, each searched in steps of `stride`.
struct ScanOptions {
  double ratio = 1.05;    // size of a level over that of the next; 1.01 to 4. 1.1 halves the work
                          // and misses one to three people more in a hundred
  int stride = 0;         // between windows, pixels of a level; 0: what the model was made for,
                          // 8 where none is asked. Kinds that share cells between windows need a
                          // multiple of their cell
  double enlarge = 1;     // the first level is the image enlarged so often, to find people smaller
                          // than the window; 1 to 8
  int padding = 24;       // pixels reflected around each level, for people at the border; 0 to 256
  double min_height = 0;  // of a person, pixels of the image; smaller ones are not looked for
  double max_height = 0;  // likewise; 0 is no limit
};
FOVEA_API void describe(OptionVisitor& visit, ScanOptions& options);

// One level of a scan: the image at another size, its pixels reflected `padding` deep around it.
struct ScanLevel {
  Extent size;         // without the padding
  double scale_x = 1;  // pixels of the image a pixel of the level, across
  double scale_y = 1;  // and down: the sizes of levels are rounded
  int columns = 0;     // of windows
  int rows = 0;
  bool operator==(const ScanLevel&) const = default;
};

// Window (column, row) of a level lies at (origin + column * stride, origin + row * stride) of the
// padded level.
struct ScanPlan {
  Extent window;
  int stride = 8;
  int padding = 0;
  int origin = 0;
  std::vector<ScanLevel> levels;

  Extent padded(const ScanLevel& level) const {
    return {level.size.width + 2 * padding, level.size.height + 2 * padding};
  }
  bool operator==(const ScanPlan&) const = default;
};

// The levels of an image in which windows fit, the largest first; none where even the padded image
// is smaller than the window. `person_height` is the share of the window's height that a person
// fills, by which the limits of height are understood.
FOVEA_API ScanPlan plan_scan(Extent image, Extent window, double person_height,
                             const ScanOptions& options);

// The one window of a crop that holds it in its middle, with pixels of its surroundings.
FOVEA_API ScanPlan plan_crop(Extent crop, Extent window);

}  // namespace fovea::people
