// Regions of a map: pixels that touch each other, or boxes of the target's size. One pass in
// reading order gives the same regions whatever the number of threads.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/regions.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "emd/detect/region_boxes.h"

namespace fovea::emd {
namespace {

constexpr const char* kRegionsName = "emd regions";

void check_request(ImageView<const float> map, const RegionOptions& options,
                   const RegionTarget& target) {
  check_options(options);
  fovea::detail::require_host(kRegionsName, "the map", map.memory);
  fovea::detail::require_shape(kRegionsName, "map", map, map.width, map.height, 1);
  if (!target.box) return;
  const Rect<int>& box = *target.box;
  if (box.empty() || intersect(box, {0, 0, map.width, map.height}) != box)
    throw InvalidArgument(
        fmt::format("{}: the target's box {},{},{},{} does not lie in the map of {}x{}",
                    kRegionsName, box.x, box.y, box.width, box.height, map.width, map.height));
}

Extent box_size(const RegionOptions& options, const RegionTarget& target) {
  const Extent size{options.width.value_or(target.size.width),
                    options.height.value_or(target.size.height)};
  if (size.width < 1 || size.height < 1)
    throw InvalidArgument(fmt::format("{}: boxes of {}x{} pixels; give their width and height",
                                      kRegionsName, size.width, size.height));
  return size;
}

// A region while its pixels are added.
class Growing {
 public:
  void add(int x, int y, float distance) {
    const bool nearer = area_ == 0 || distance < region_.distance;
    const bool sooner = distance == region_.distance &&
                        (y < region_.peak.y || (y == region_.peak.y && x < region_.peak.x));
    if (nearer || sooner) {
      region_.distance = distance;
      region_.peak.x = x;
      region_.peak.y = y;
    }
    left_ = std::min(left_, x);
    right_ = std::max(right_, x);
    top_ = std::min(top_, y);
    bottom_ = std::max(bottom_, y);
    sum_ += static_cast<double>(distance);
    ++area_;
  }
  // `size` is the area that a region as good as the target has; 0 takes its own.
  Region done(double threshold, double size) const {
    Region region = region_;
    const auto area = static_cast<double>(area_);
    region.box = {left_, top_, right_ - left_ + 1, bottom_ - top_ + 1};
    region.area = area_;
    region.mean_distance = sum_ / area;
    const double likeness = threshold > 0 ? area - sum_ / threshold : area;
    region.score = std::clamp(likeness / (size > 0 ? size : area), 0.0, 1.0);
    return region;
  }
  std::int64_t area() const { return area_; }

 private:
  Region region_{};
  std::int64_t area_ = 0;
  double sum_ = 0;
  int left_ = std::numeric_limits<int>::max(), top_ = left_, right_ = -1, bottom_ = -1;
};

using Pixel = std::array<int, 2>;

class Components {
 public:
  Components(ImageView<const float> map, double threshold, int least_area)
      : map_(map), threshold_(threshold), least_area_(least_area), owner_(map.width, map.height) {
    for (int y = 0; y < map.height; ++y) std::fill_n(owner_.row(y), map.width, kFree);
  }

  std::vector<Region> find(double target_area) {
    std::vector<Region> regions;
    for (int y = 0; y < map_.height; ++y)
      for (int x = 0; x < map_.width; ++x) {
        if (!free_at(x, y)) continue;
        const Growing grown = grow(x, y, static_cast<std::int32_t>(regions.size()));
        if (grown.area() < least_area_) replace_last(kDropped);
        else regions.push_back(grown.done(threshold_, target_area));
      }
    return regions;
  }
  // The index of the region that a pixel belongs to, or a negative number.
  std::int32_t owner(int x, int y) const { return owner_.at(x, y); }

 private:
  static constexpr std::int32_t kFree = -1, kDropped = -2;

  bool free_at(int x, int y) const {
    // NaN is not at or below anything.
    return owner_.at(x, y) == kFree && static_cast<double>(map_.at(x, y)) <= threshold_;
  }
  Growing grow(int x, int y, std::int32_t index) {
    Growing grown;
    pixels_.assign(1, {x, y});
    owner_.at(x, y) = index;
    for (std::size_t next = 0; next < pixels_.size(); ++next) {
      const auto [px, py] = pixels_[next];
      grown.add(px, py, map_.at(px, py));
      for (int ny = std::max(0, py - 1); ny <= std::min(map_.height - 1, py + 1); ++ny)
        for (int nx = std::max(0, px - 1); nx <= std::min(map_.width - 1, px + 1); ++nx) {
          if (!free_at(nx, ny)) continue;
          owner_.at(nx, ny) = index;
          pixels_.push_back({nx, ny});
        }
    }
    return grown;
  }
  void replace_last(std::int32_t owner) {
    for (const auto [x, y] : pixels_) owner_.at(x, y) = owner;
  }

  ImageView<const float> map_;
  double threshold_;
  int least_area_;
  Image<std::int32_t> owner_;
  std::vector<Pixel> pixels_{};  // of the last region
};

// The order of regions by their score, for as many as are kept.
std::vector<std::size_t> best_first(const std::vector<Region>& regions, int most) {
  std::vector<std::size_t> order(regions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Region &one = regions[a], &other = regions[b];
    if (one.score != other.score) return one.score > other.score;
    if (one.peak.y != other.peak.y) return one.peak.y < other.peak.y;
    if (one.peak.x != other.peak.x) return one.peak.x < other.peak.x;
    return a < b;
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  return order;
}

void find_components(ImageView<const float> map, const RegionOptions& options,
                     const RegionTarget& target, RegionSet& found) {
  Components components(map, found.threshold, options.least_area);
  const double target_area = static_cast<double>(target.size.width) * target.size.height;
  const std::vector<Region> regions = components.find(target_area);
  std::vector<std::uint16_t> number(regions.size(), 0);
  for (const std::size_t index : best_first(regions, options.most)) {
    found.regions.push_back(regions[index]);
    number[index] = static_cast<std::uint16_t>(found.regions.size());
  }
  for (int y = 0; y < map.height; ++y)
    for (int x = 0; x < map.width; ++x) {
      const std::int32_t owner = components.owner(x, y);
      if (owner >= 0) found.labels.at(x, y) = number[static_cast<std::size_t>(owner)];
    }
}

}  // namespace

std::span<const Choice> choices(RegionKind) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"components", static_cast<int>(RegionKind::kComponents)},
       {"boxes", static_cast<int>(RegionKind::kBoxes)}}};
  return kChoices;
}
std::span<const Choice> choices(ThresholdRule) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"target", static_cast<int>(ThresholdRule::kTarget)},
       {"otsu", static_cast<int>(ThresholdRule::kOtsu)},
       {"outlier", static_cast<int>(ThresholdRule::kOutlier)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, RegionOptions& options) {
  constexpr double kMost = std::numeric_limits<float>::max();
  constexpr double kSide = 1e6;
  visit("kind", options.kind,
        "what a region is: components of pixels that touch each other, or boxes of the target's "
        "size without much overlap");
  visit("threshold", options.threshold, "greatest distance of a target's pixel, or mean of a box",
        0, kMost, {.absent = "chosen by the rule"});
  visit("rule", options.rule,
        "rule for the threshold: target separates the target's own box best, otsu splits the "
        "distances into two classes, outlier is three deviations below the median");
  visit("least-area", options.least_area, "fewest pixels of a region", 1, 1e9);
  visit("most", options.most, "number of best regions that are kept", 1, 65535);
  visit("width", options.width, "width of boxes in pixels", 1, kSide,
        {.absent = "that of the target"});
  visit("height", options.height, "height of boxes in pixels", 1, kSide,
        {.absent = "that of the target"});
  visit("overlap", options.overlap,
        "intersection over union beyond which the worse of two boxes is dropped", 0, 1);
}

double choose_threshold(ImageView<const float> map, const RegionOptions& options,
                        const RegionTarget& target) {
  check_request(map, options, target);
  if (options.kind == RegionKind::kComponents) return threshold_by(map, options.rule, target.box);
  const Image<float> means = box_means(map, box_size(options, target));
  if (!target.box || means.view().empty()) return threshold_by(means, options.rule, {});
  const Rect<int>& box = *target.box;
  const Rect<int> near{box.x - box.width / 4, box.y - box.height / 4, box.width / 2 + 1,
                       box.height / 2 + 1};
  return threshold_by(means, options.rule, intersect(near, {0, 0, means.width(), means.height()}));
}

RegionSet find_regions(ImageView<const float> map, const RegionOptions& options,
                       const RegionTarget& target) {
  check_request(map, options, target);
  RegionSet found;
  found.labels = Image<std::uint16_t>(map.width, map.height);
  for (int y = 0; y < map.height; ++y)
    std::fill_n(found.labels.row(y), map.width, std::uint16_t{0});
  found.threshold = options.threshold ? *options.threshold : choose_threshold(map, options, target);
  if (map.empty() || std::isnan(found.threshold)) return found;
  if (options.kind == RegionKind::kBoxes)
    find_boxes(map, options, box_size(options, target), found);
  else find_components(map, options, target, found);
  return found;
}

Image<std::uint8_t> region_mask(const RegionSet& found) {
  Image<std::uint8_t> mask(found.labels.width(), found.labels.height());
  for (int y = 0; y < mask.height(); ++y)
    for (int x = 0; x < mask.width(); ++x)
      mask.at(x, y) = found.labels.at(x, y) != 0 ? std::uint8_t{255} : std::uint8_t{0};
  return mask;
}

}  // namespace fovea::emd
