// Non-maximum suppression over all places of a box. The mean distance of a place comes from an
// integral image; a place is a candidate where no neighboring one is better, and candidates are
// taken from the best one on unless they overlap one that was taken before.
#include "emd/detect/region_boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fovea::emd {
namespace {

constexpr double kNoMean = std::numeric_limits<double>::infinity();
constexpr double kLeastShare = 0.5;  // of a box's pixels that have a distance

// Sums of distances and numbers of finite pixels over all rectangles at the upper left corner.
class Sums {
 public:
  explicit Sums(ImageView<const float> map)
      : columns_(static_cast<std::size_t>(map.width) + 1),
        sums_(columns_ * (static_cast<std::size_t>(map.height) + 1)),
        counts_(sums_.size()) {
    for (int y = 0; y < map.height; ++y) {
      double sum = 0;
      std::int64_t count = 0;
      for (int x = 0; x < map.width; ++x) {
        const float value = map.at(x, y);
        if (std::isfinite(value)) {
          sum += static_cast<double>(value);
          ++count;
        }
        sums_[at(x + 1, y + 1)] = sums_[at(x + 1, y)] + sum;
        counts_[at(x + 1, y + 1)] = counts_[at(x + 1, y)] + count;
      }
    }
  }
  double mean(const Rect<int>& box) const {
    const auto count = static_cast<double>(over(counts_, box));
    if (count < kLeastShare * box.width * box.height) return kNoMean;
    return std::max(0.0, over(sums_, box) / count);
  }

 private:
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * columns_ + static_cast<std::size_t>(x);
  }
  template <class T>
  T over(const std::vector<T>& sums, const Rect<int>& box) const {
    return sums[at(box.right(), box.bottom())] - sums[at(box.x, box.bottom())] -
           sums[at(box.right(), box.y)] + sums[at(box.x, box.y)];
  }

  std::size_t columns_;
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

struct PlacedBox {
  Rect<int> box;
  double mean;
};

// Places that are no worse than their eight neighbors.
std::vector<PlacedBox> candidates(ImageView<const float> map, Extent size, double threshold) {
  const Image<float> means = box_means(map, size);
  const int columns = means.width(), rows = means.height();
  std::vector<PlacedBox> found;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const auto mean = static_cast<double>(means.at(x, y));
      if (!(mean <= threshold)) continue;
      bool least = true;
      for (int ny = std::max(0, y - 1); ny <= std::min(rows - 1, y + 1); ++ny)
        for (int nx = std::max(0, x - 1); nx <= std::min(columns - 1, x + 1); ++nx)
          least = least && mean <= static_cast<double>(means.at(nx, ny));
      if (least) found.push_back({{x, y, size.width, size.height}, mean});
    }
  return found;
}

double common_share(const Rect<int>& a, const Rect<int>& b) {
  const Rect<int> both = intersect(a, b);
  const double common = static_cast<double>(both.width) * both.height;
  const double all =
      static_cast<double>(a.width) * a.height + static_cast<double>(b.width) * b.height;
  return common / (all - common);
}

// Marks the pixels of a box and measures them.
Region taken(ImageView<const float> map, const PlacedBox& place, RegionSet& found) {
  Region region{.box = place.box, .mean_distance = place.mean};
  region.score = found.threshold > 0 ? std::clamp(1 - place.mean / found.threshold, 0.0, 1.0) : 1;
  region.distance = std::numeric_limits<float>::infinity();
  const auto number = static_cast<std::uint16_t>(found.regions.size() + 1);
  for (int y = place.box.y; y < place.box.bottom(); ++y)
    for (int x = place.box.x; x < place.box.right(); ++x) {
      const float distance = map.at(x, y);
      if (distance < region.distance) {
        region.distance = distance;
        region.peak.x = x;
        region.peak.y = y;
      }
      if (!(static_cast<double>(distance) <= found.threshold) || found.labels.at(x, y) != 0)
        continue;
      found.labels.at(x, y) = number;
      ++region.area;
    }
  return region;
}

}  // namespace

Image<float> box_means(ImageView<const float> map, Extent size) {
  const int columns = map.width - size.width + 1, rows = map.height - size.height + 1;
  if (columns < 1 || rows < 1) return {};
  const Sums sums(map);
  Image<float> means(columns, rows);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      means.at(x, y) = static_cast<float>(sums.mean({x, y, size.width, size.height}));
  return means;
}

void find_boxes(ImageView<const float> map, const RegionOptions& options, Extent size,
                RegionSet& found) {
  std::vector<PlacedBox> places = candidates(map, size, found.threshold);
  std::stable_sort(places.begin(), places.end(),
                   [](const PlacedBox& a, const PlacedBox& b) { return a.mean < b.mean; });
  for (const PlacedBox& place : places) {
    if (static_cast<int>(found.regions.size()) == options.most) return;
    const bool apart = std::none_of(
        found.regions.begin(), found.regions.end(),
        [&](const Region& other) { return common_share(other.box, place.box) > options.overlap; });
    if (!apart) continue;
    const Region region = taken(map, place, found);
    found.regions.push_back(region);
  }
}

}  // namespace fovea::emd
