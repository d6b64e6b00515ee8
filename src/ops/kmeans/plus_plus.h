// Chooses the first centers: the farther a point is from those so far, the likelier it is chosen
// (k-means++: Arthur and Vassilvitskii, SODA 2007).
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>

#include <cstdint>
#include <vector>

namespace fovea::cpu {

// The distance of each point from the nearest of the centers so far.
class PlusPlusDistances {
 public:
  // The points must outlive this object. Distances become whole numbers by the scale.
  PlusPlusDistances(ImageView<const float> points, double scale, Exec exec);

  int centers() const { return centers_; }
  // Takes the last of these centers, one per row, into account. All but the last must be those of
  // earlier calls.
  void bring_nearer(ImageView<const float> centers);
  // The sum of the whole squared distances.
  std::int64_t sum() const;
  // The first point at which the sum of its own and all earlier whole squared distances exceeds
  // `drawn`, which must be below sum().
  std::int32_t find(std::int64_t drawn) const;

 private:
  void begin(ImageView<const float> center);
  std::vector<float> safe_gaps(ImageView<const float> centers) const;

  ImageView<const float> points_;
  double scale_;
  Exec exec_;
  int centers_ = 0;
  std::vector<std::int32_t> nearest_;  // per point, its nearest center so far, by order of choice
  std::vector<float> distances_;       // per point, the squared distance to that center
  std::vector<std::int64_t> sums_;     // per chunk, the sum of its whole distances
};

// The points at which KmeansEngine::start_plus_plus() begins.
std::vector<std::int32_t> draw_plus_plus(ImageView<const float> points, int clusters,
                                         double distance_scale, Random random, const Exec& exec);

}  // namespace fovea::cpu
