// Chooses the first centers: the farther a point is from those so far, the likelier it is chosen
// (k-means++: Arthur and Vassilvitskii, SODA 2007).
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "ops/kmeans/kmeans_math.h"

namespace fovea::cpu {

// The distance of each point from the nearest of the centers so far.
class PlusPlusDistances {
 public:
  // The points must outlive this object. Distances become whole numbers by the scale.
  PlusPlusDistances(ImageView<const float> points, double scale, Exec exec);

  // Takes one more center into account.
  void add_center(const float* center);
  // The sum of the whole squared distances.
  std::int64_t sum() const;
  // The first point at which the sum of its own and all earlier whole squared distances exceeds
  // `drawn`, which must be below sum().
  std::int32_t find(std::int64_t drawn) const;

 private:
  void add(const float* center);
  ImageView<const float> last() const {
    return centers_.view().crop(0, count_ - 1, points_.width, 1);
  }
  void begin();
  std::vector<float> safe_gaps() const;

  ImageView<const float> points_;
  double scale_;
  Exec exec_;
  Image<float> centers_{};  // one per row, in the order of choice, and room for more
  int count_ = 0;
  std::vector<std::int32_t> nearest_;  // per point, its nearest center so far, by order of choice
  std::vector<float> distances_;       // per point, the squared distance to that center
  std::vector<std::int64_t> sums_;     // per chunk, the sum of its whole distances
};

// How centers are drawn, wherever the points are.
template <class Center>
struct PlusPlusDraws {
  std::function<Center(std::int64_t point)> at;
  std::function<std::int64_t(const Center&)> add_center;  // gives the sum of whole distances
  std::function<Center(std::int64_t drawn)> find;         // as PlusPlusDistances::find()
};

// The centers with which KmeansEngine::start_plus_plus() begins, out of so many points.
template <class Center>
std::vector<Center> draw_centers(const PlusPlusDraws<Center>& draws, std::int64_t points,
                                 int clusters, Random random, const Exec& exec) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(detail::draw_below(random, static_cast<std::uint64_t>(limit)));
  };
  std::vector<Center> chosen;
  chosen.reserve(static_cast<std::size_t>(clusters));
  chosen.push_back(draws.at(below(points)));
  while (static_cast<int>(chosen.size()) < clusters) {
    throw_if_stopped(exec);
    const std::int64_t sum = draws.add_center(chosen.back());
    chosen.push_back(sum > 0 ? draws.find(below(sum)) : draws.at(below(points)));
  }
  return chosen;
}

// The same of points that are here, by their numbers.
std::vector<std::int32_t> draw_plus_plus(ImageView<const float> points, int clusters,
                                         double distance_scale, Random random, const Exec& exec);

}  // namespace fovea::cpu
