// k-means++ on the CPU. A point at distance u from its nearest center a cannot be nearer to a new
// center that lies 2 u or more from a. Most points are therefore skipped without reading their
// numbers.
#include "ops/kmeans/plus_plus.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "ops/kmeans/distances.h"

namespace fovea::cpu {
namespace {

constexpr int kChunk = 1536;  // points

}  // namespace

PlusPlusDistances::PlusPlusDistances(ImageView<const float> points, double scale, Exec exec)
    : points_(points),
      scale_(scale),
      exec_(std::move(exec)),
      nearest_(static_cast<std::size_t>(points.height)),
      distances_(nearest_.size()),
      sums_((nearest_.size() + kChunk - 1) / kChunk) {}

std::int64_t PlusPlusDistances::sum() const {
  return std::accumulate(sums_.begin(), sums_.end(), std::int64_t{0});
}

void PlusPlusDistances::add(const float* center) {
  if (count_ == centers_.height()) {
    Image<float> larger(points_.width, std::max(16, 2 * count_));
    if (count_ > 0)
      copy(std::as_const(centers_).view(), larger.view().crop(0, 0, points_.width, count_));
    centers_ = std::move(larger);
  }
  std::copy_n(center, points_.width, centers_.row(count_++));
}

void PlusPlusDistances::begin() {
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<int>(begin), count = static_cast<int>(end - begin);
    squared_distances(points_.crop(0, first, points_.width, count), last(), nullptr,
                      distances_.data() + begin);
    sums_[static_cast<std::size_t>(begin / kChunk)] =
        sum_whole(distances_.data() + begin, count, scale_);
  });
}

// A point whose squared distance from a center is at most this is nearer to it than to the last
// one, whatever the rounding of both.
std::vector<float> PlusPlusDistances::safe_gaps() const {
  std::vector<float> gaps(static_cast<std::size_t>(count_));
  squared_distances(centers_.view().crop(0, 0, points_.width, count_), last(), nullptr,
                    gaps.data());
  const double steps = points_.width + 4;
  const double relative = 4 * steps * 0x1p-24, absolute = 16 * steps * 0x1p-148;
  for (float& gap : gaps)
    gap = static_cast<float>(static_cast<double>(gap) / 4 * (1 - 2 * relative) - absolute);
  return gaps;
}

void PlusPlusDistances::add_center(const float* center) {
  add(center);
  if (count_ == 1) return begin();
  const std::vector<float> gaps = safe_gaps();
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t asked[kChunk];
    float found[kChunk];
    int count = 0;
    for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
      asked[count] = static_cast<std::int32_t>(p);
      count += distances_[p] > gaps[static_cast<std::size_t>(nearest_[p])] ? 1 : 0;
    }
    if (count == 0) return;
    squared_distances_of(points_, asked, count, center, found);
    std::int64_t& sum = sums_[static_cast<std::size_t>(begin / kChunk)];
    for (int i = 0; i < count; ++i) {
      const auto p = static_cast<std::size_t>(asked[i]);
      if (found[i] >= distances_[p]) continue;
      sum += detail::whole(found[i], scale_) - detail::whole(distances_[p], scale_);
      distances_[p] = found[i];
      nearest_[p] = count_ - 1;
    }
  });
}

std::int32_t PlusPlusDistances::find(std::int64_t drawn) const {
  std::size_t part = 0;
  for (; drawn >= sums_[part]; ++part) drawn -= sums_[part];
  for (std::size_t point = part * kChunk;; ++point) {
    const std::int64_t distance = detail::whole(distances_[point], scale_);
    if (drawn < distance) return static_cast<std::int32_t>(point);
    drawn -= distance;
  }
}

std::vector<std::int32_t> draw_plus_plus(ImageView<const float> points, int clusters,
                                         double distance_scale, Random random, const Exec& exec) {
  PlusPlusDistances distances(points, distance_scale, exec);
  return draw_centers<std::int32_t>(
      {.at = [](std::int64_t point) { return static_cast<std::int32_t>(point); },
       .add_center =
           [&](std::int32_t center) {
             distances.add_center(points.row(center));
             return distances.sum();
           },
       .find = [&](std::int64_t drawn) { return distances.find(drawn); }},
      points.height, clusters, random, exec);
}

}  // namespace fovea::cpu
