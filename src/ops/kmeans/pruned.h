// Finds the nearest centers of points for which a good guess exists. The result is exact to the
// bit, with a fraction of the work where clusters are compact.
#pragma once
#include <span>

#include "ops/kmeans/nearest.h"

namespace fovea::cpu {

class PrunedSearch {
 public:
  // Points and centers, one per row, must outlive this object.
  PrunedSearch(ImageView<const float> points, ImageView<const float> centers,
               const PreparedCenters& prepared)
      : points_(points), centers_(centers), prepared_(prepared) {}

  // Points whose guess is the same center, preferably sorted by their distance from it.
  struct Guess {
    std::int32_t center = 0;
    std::span<const std::int32_t> order;  // points
    const float* distances = nullptr;     // squared_distances() of all points from their guesses
  };
  // Memory that a thread keeps from call to call.
  struct Scratch {
    std::vector<float> gaps;
    std::vector<std::int32_t> undecided;
    Array<float> block;
  };
  // Sets labels[i] to the nearest center of point order[i]. Returns how many scores were computed.
  std::int64_t find(const Guess& guess, Scratch& scratch, std::int32_t* labels) const;

 private:
  void decide(const Guess& guess, const std::vector<std::int32_t>& undecided,
              std::int32_t* labels) const;

  ImageView<const float> points_;
  ImageView<const float> centers_;
  const PreparedCenters& prepared_;
};

}  // namespace fovea::cpu
