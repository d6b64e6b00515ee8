// Chooses the levels of an image that are searched, and the places of windows in them. Levels
// continue as long as the padded level holds a window, so that people as tall as the image are
// found.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/scan.h>

#include <fmt/format.h>

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
}

ScanPlan plan_scan(Extent image, Extent window, double person_height, const ScanOptions& options) {
  check_options(options);
  require_window(window);
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
    plan.levels.push_back(level);
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
