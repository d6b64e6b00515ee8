// k-means++ on the CPU. A point at distance u from its nearest center a cannot be nearer to a new
// center that lies 2 u or more from a. Most points are therefore skipped without reading their
// numbers.
#include "ops/kmeans/plus_plus.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "ops/kmeans/distances.h"
#include "ops/kmeans/kmeans_math.h"

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

void PlusPlusDistances::begin(ImageView<const float> center) {
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<int>(begin), count = static_cast<int>(end - begin);
    squared_distances(points_.crop(0, first, points_.width, count), center, nullptr,
                      distances_.data() + begin);
    sums_[static_cast<std::size_t>(begin / kChunk)] =
        sum_whole(distances_.data() + begin, count, scale_);
  });
}

// A point whose squared distance from a center is at most this is nearer to it than to the last
// one, whatever the rounding of both.
std::vector<float> PlusPlusDistances::safe_gaps(ImageView<const float> centers) const {
  std::vector<float> gaps(static_cast<std::size_t>(centers.height));
  squared_distances(centers, centers.crop(0, centers.height - 1, centers.width, 1), nullptr,
                    gaps.data());
  const double steps = points_.width + 4;
  const double relative = 4 * steps * 0x1p-24, absolute = 16 * steps * 0x1p-148;
  for (float& gap : gaps)
    gap = static_cast<float>(static_cast<double>(gap) / 4 * (1 - 2 * relative) - absolute);
  return gaps;
}

void PlusPlusDistances::bring_nearer(ImageView<const float> centers) {
  const std::int32_t last = centers_++;
  if (last == 0) return begin(centers);
  const std::vector<float> gaps = safe_gaps(centers);
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t asked[kChunk];
    float found[kChunk];
    int count = 0;
    for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
      asked[count] = static_cast<std::int32_t>(p);
      count += distances_[p] > gaps[static_cast<std::size_t>(nearest_[p])] ? 1 : 0;
    }
    squared_distances_of(points_, asked, count, centers.row(last), found);
    std::int64_t& sum = sums_[static_cast<std::size_t>(begin / kChunk)];
    for (int i = 0; i < count; ++i) {
      const auto p = static_cast<std::size_t>(asked[i]);
      if (found[i] >= distances_[p]) continue;
      sum += detail::whole(found[i], scale_) - detail::whole(distances_[p], scale_);
      distances_[p] = found[i];
      nearest_[p] = last;
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
  const auto any = [&] {
    return static_cast<std::int32_t>(
        detail::draw_below(random, static_cast<std::uint64_t>(points.height)));
  };
  std::vector<std::int32_t> chosen{any()};
  Image<float> centers(points.width, clusters);
  PlusPlusDistances distances(points, distance_scale, exec);
  while (static_cast<int>(chosen.size()) < clusters) {
    throw_if_stopped(exec);
    const int count = static_cast<int>(chosen.size());
    std::copy_n(points.row(chosen.back()), points.width, centers.row(count - 1));
    distances.bring_nearer(centers.view().crop(0, 0, points.width, count));
    const auto sum = static_cast<std::uint64_t>(distances.sum());
    chosen.push_back(
        sum > 0 ? distances.find(static_cast<std::int64_t>(detail::draw_below(random, sum)))
                : any());
  }
  return chosen;
}

}  // namespace fovea::cpu
