// Chooses the levels of an image that are searched, and the places of windows in them. Levels
// continue as long as the padded level holds a window, so that people as tall as the image are
// found.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/scan.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fovea::people {
namespace {

int rounded_size(int size, double scale) {
  return static_cast<int>(std::floor(size / scale + 0.5));
}

// The number of windows that fit along one direction.
int places(int padded, int window, int stride) {
  return padded < window ? 0 : (padded - window) / stride + 1;
}

// The rows of windows whose people stand on the ground: their feet are the farther below the
// horizon the higher they are. Rows next to these are searched too, where people may be found best.
void restrict_rows(ScanLevel& level, const ScanPlan& plan, double person_height,
                   const ScanOptions& options) {
  const double height = plan.window.height * person_height * level.scale_y;
  const double feet = plan.window.height * (1 + person_height) / 2;  // below a window's top
  const auto row_of = [&](double meters) {
    const double at = *options.horizon + height * options.camera_height / meters;
    return (at / level.scale_y + plan.padding - plan.origin - feet) / plan.stride;
  };
  const double first = std::floor(row_of(options.person_heights[1])),
               last = std::ceil(row_of(options.person_heights[0]));
  const int rows = level.rows;
  level.first_row = static_cast<int>(std::clamp(first, 0.0, static_cast<double>(rows)));
  level.rows =
      static_cast<int>(std::clamp(last + 1, 0.0, static_cast<double>(rows))) - level.first_row;
}

void require_window(Extent window) {
  if (window.width < 1 || window.height < 1)
    throw InvalidArgument(
        fmt::format("scan: a window of {}x{} pixels is empty", window.width, window.height));
}

}  // namespace

void describe(OptionVisitor& visit, ScanOptions& options) {
  visit("ratio", options.ratio,
        "size of a pyramid level divided by the size of the next; larger is faster and finds fewer "
        "people",
        1.01, 4);
  visit("stride", options.stride,
        "step between windows, in pixels of a level; 0 takes the model's own", 0, 256);
  visit("enlarge", options.enlarge,
        "enlarge images by this factor first, to find people smaller than the window", 1,
        kMostEnlarge);
  visit("padding", options.padding,
        "width of the mirrored margin around each level, in pixels, to find people at the border",
        0, 256);
  visit("min-height", options.min_height,
        "height of the smallest people searched for, in pixels of the image", 0, 1e6);
  visit("max-height", options.max_height,
        "height of the tallest people searched for, in pixels of the image; 0 sets no limit", 0,
        1e6);
  visit(
      "horizon", options.horizon,
      "row of the horizon in the image of a camera above flat ground: search in each row only for "
      "people as high as they look with their feet there",
      -1e6, 1e6, {.absent = "all sizes everywhere"});
  visit("camera-height", options.camera_height,
        "with --horizon: height of the camera above the ground, in meters", 0.01, 1e5);
  visit("person-heights", options.person_heights,
        "with --horizon: least and greatest height of people, in meters", 0.01, 100);
}

ScanPlan plan_scan(Extent image, Extent window, double person_height, const ScanOptions& options) {
  check_options(options);
  require_window(window);
  if (!(options.person_heights[0] <= options.person_heights[1]))
    throw InvalidArgument(fmt::format("scan: person-heights are {:g} to {:g}; give the least first",
                                      options.person_heights[0], options.person_heights[1]));
  ScanPlan plan{window, options.stride > 0 ? options.stride : 8, options.padding, 0, {}};
  if (image.width < 1 || image.height < 1) return plan;
  Extent last{};
  for (int k = 0;; ++k) {
    const double scale = std::pow(options.ratio, k) / options.enlarge;
    ScanLevel level;
    level.size = {rounded_size(image.width, scale), rounded_size(image.height, scale)};
    if (level.size.width < 1 || level.size.height < 1) return plan;
    level.columns = places(level.size.width + 2 * plan.padding, window.width, plan.stride);
    level.rows = places(level.size.height + 2 * plan.padding, window.height, plan.stride);
    if (level.columns == 0 || level.rows == 0) return plan;
    const double height = window.height * person_height * scale;
    if (options.max_height > 0 && height > options.max_height) return plan;
    if (level.size == last || height < options.min_height) continue;
    last = level.size;
    level.scale_x = static_cast<double>(image.width) / level.size.width;
    level.scale_y = static_cast<double>(image.height) / level.size.height;
    if (options.horizon) restrict_rows(level, plan, person_height, options);
    if (level.rows > 0) plan.levels.push_back(level);
  }
}

ScanPlan plan_crop(Extent crop, Extent window) {
  require_window(window);
  const int margin_x = (crop.width - window.width) / 2;
  const int margin_y = (crop.height - window.height) / 2;
  if (crop.width < window.width || crop.height < window.height || margin_x != margin_y)
    throw InvalidArgument(fmt::format(
        "scan: a crop of {}x{} does not hold a window of {}x{} with the same margin all around",
        crop.width, crop.height, window.width, window.height));
  return {window, 1, 0, margin_x, {{crop, 1, 1, 1, 1}}};
}

}  // namespace fovea::people
