// A target as six parts, two columns and three rows: they say where its colors lie, not only which
// colors it has.
#pragma once
#include <fovea/emd/solver.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emd/track/track_search.h"

namespace fovea::emd {

inline constexpr int kPartColumns = 2, kPartRows = 3, kParts = kPartColumns * kPartRows;

// One of the equal parts of a box, in whole pixels; remaining pixels on the right and below belong
// to no part.
Rect<int> part_of(const Rect<int>& box, int part);

class PartModel {
 public:
  // Takes the parts of a box in the labels of the first frame. `distance` is the kind of distance
  // between the histograms of two parts, from 0 to 1.
  PartModel(const GroundDistance& ground, TrackDistance distance, const Exec& exec,
            ImageView<const std::uint8_t> labels, const Rect<int>& box);

  // distances() returns, for each place, the mean distance of its parts to the model's, 0 to 1.
  // Before it, look_at() makes integral histograms of a region that covers all places within the
  // frame. A part of which less than half lies in the region has distance 1.
  void look_at(ImageView<const std::uint8_t> labels, const Rect<int>& region);
  std::vector<double> distances(std::span<const Rect<int>> places);

 private:
  bool histogram(const Rect<int>& part, std::uint16_t* masses) const;

  int bins_;
  TrackDistance distance_;
  Exec exec_;
  std::vector<std::uint16_t> model_{};  // one row per part
  Solver solver_;
  Rect<int> region_{};
  Stack<std::uint32_t> sums_{};
  std::vector<std::uint16_t> first_{}, second_{};
};

}  // namespace fovea::emd
