// k-means++ on the CPU. A point at distance u from its nearest center a cannot be nearer to a new
// center that lies 2 u or more from a. Most points are therefore skipped without reading their
// numbers.
#include "ops/kmeans/plus_plus.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/parallel.h"
#include "ops/kmeans/distances.h"
#include "ops/kmeans/kmeans_math.h"

namespace fovea::cpu {
namespace {

constexpr int kChunk = 1536;  // points

class Start {
 public:
  Start(ImageView<const float> points, double scale, const Exec& exec)
      : points_(points),
        scale_(scale),
        exec_(exec),
        nearest_(static_cast<std::size_t>(points.height)),
        distances_(nearest_.size()),
        sums_((nearest_.size() + kChunk - 1) / kChunk) {}

  void begin(std::int32_t chosen);
  void bring_nearer(std::span<const std::int32_t> chosen);
  std::int64_t sum() const { return std::accumulate(sums_.begin(), sums_.end(), std::int64_t{0}); }
  std::int32_t find(std::int64_t drawn) const;

 private:
  std::vector<float> safe_gaps(std::span<const std::int32_t> chosen) const;

  ImageView<const float> points_;
  double scale_;
  const Exec& exec_;
  std::vector<std::int32_t> nearest_;  // per point, its nearest center so far, by order of choice
  std::vector<float> distances_;       // per point, the squared distance to that center
  std::vector<std::int64_t> sums_;     // per chunk, the sum of its whole distances
};

void Start::begin(std::int32_t chosen) {
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<int>(begin), count = static_cast<int>(end - begin);
    squared_distances(points_.crop(0, first, points_.width, count),
                      points_.crop(0, chosen, points_.width, 1), nullptr,
                      distances_.data() + begin);
    sums_[static_cast<std::size_t>(begin / kChunk)] =
        sum_whole(distances_.data() + begin, count, scale_);
  });
}

// A point whose squared distance from a center is at most this is nearer to it than to the last
// one, whatever the rounding of both.
std::vector<float> Start::safe_gaps(std::span<const std::int32_t> chosen) const {
  std::vector<float> gaps(chosen.size());
  squared_distances_of(points_, chosen.data(), static_cast<int>(chosen.size()),
                       points_.row(chosen.back()), gaps.data());
  const double steps = points_.width + 4;
  const double relative = 4 * steps * 0x1p-24, absolute = 16 * steps * 0x1p-148;
  for (float& gap : gaps)
    gap = static_cast<float>(static_cast<double>(gap) / 4 * (1 - 2 * relative) - absolute);
  return gaps;
}

void Start::bring_nearer(std::span<const std::int32_t> chosen) {
  const std::vector<float> gaps = safe_gaps(chosen);
  const auto last = static_cast<std::int32_t>(chosen.size()) - 1;
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t asked[kChunk];
    float found[kChunk];
    int count = 0;
    for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
      asked[count] = static_cast<std::int32_t>(p);
      count += distances_[p] > gaps[static_cast<std::size_t>(nearest_[p])] ? 1 : 0;
    }
    squared_distances_of(points_, asked, count, points_.row(chosen.back()), found);
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

std::int32_t Start::find(std::int64_t drawn) const {
  std::size_t part = 0;
  for (; drawn >= sums_[part]; ++part) drawn -= sums_[part];
  for (std::size_t point = part * kChunk;; ++point) {
    const std::int64_t distance = detail::whole(distances_[point], scale_);
    if (drawn < distance) return static_cast<std::int32_t>(point);
    drawn -= distance;
  }
}

}  // namespace

std::vector<std::int32_t> draw_plus_plus(ImageView<const float> points, int clusters,
                                         double distance_scale, Random random, const Exec& exec) {
  const auto any = [&] {
    return static_cast<std::int32_t>(
        detail::draw_below(random, static_cast<std::uint64_t>(points.height)));
  };
  std::vector<std::int32_t> chosen{any()};
  if (clusters == 1) return chosen;
  Start start(points, distance_scale, exec);
  start.begin(chosen[0]);
  for (;;) {
    throw_if_stopped(exec);
    const auto sum = static_cast<std::uint64_t>(start.sum());
    chosen.push_back(
        sum > 0 ? start.find(static_cast<std::int64_t>(detail::draw_below(random, sum))) : any());
    if (static_cast<int>(chosen.size()) == clusters) return chosen;
    start.bring_nearer(chosen);
  }
}

}  // namespace fovea::cpu
