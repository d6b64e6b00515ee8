// Finds a target in a likelihood map: scores of places by integral image, the search of all places
// within reach, and mean shift.
#pragma once
#include <fovea/emd/track.h>
#include <fovea/ops/integral.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fovea::emd {

// Boxes may reach far beyond a frame, so that their areas need 64 bits.
inline std::int64_t area_of(const Rect<int>& box) {
  return static_cast<std::int64_t>(box.width) * box.height;
}
inline Rect<int> moved(const Rect<int>& box, int dx, int dy) {
  return {box.x + dx, box.y + dy, box.width, box.height};
}
inline Rect<int> padded(const Rect<int>& box, int border) {
  return {box.x - border, box.y - border, box.width + 2 * border, box.height + 2 * border};
}
// The box made `factor` times as large around the same center.
Rect<int> grown(const Rect<int>& box, double factor);
Rect<int> to_pixels(const Rect<double>& box);
Rect<double> to_box(const Rect<int>& box);

// The likelihoods of a region of the frame, and their sums.
struct LikelihoodMap {
  Rect<int> region{};  // part of the frame
  Image<std::uint16_t> values{};
  Image<std::uint64_t> sums{};
};
void sum_up(LikelihoodMap& map, const Exec& exec);

// What the score of a place depends on.
struct PlaceModel {
  static constexpr int kColumns = 6, kRows = 8;  // cells that the box and its ring are divided into

  double ring = 1;    // size of the box whose ring counts against a place
  double layout = 0;  // weight of the cells' score, against the score of inside minus ring
  std::array<double, kColumns * kRows> weights{};  // of the cells
};
// Returns a model whose weights are the likelihoods above one half in the cells of this box, so
// that places with the same layout score highest. This matters because an object rarely fills its
// box.
PlaceModel learn_layout(const LikelihoodMap& map, const Rect<int>& box, double ring, double layout);

// Mixes two measures by model.layout: the sum of likelihood - 1/2 inside the box, less that in the
// ring around it, per pixel of the box; and the weighted mean over the cells. Pixels outside the
// map count as one half.
double place_score(const LikelihoodMap& map, const Rect<int>& box, const PlaceModel& model);

struct SearchRange {
  Rect<int> from{};   // the last place
  int reach = 0;      // pixels
  double motion = 0;  // cost of a step whose length is the square root of the box's area
  PlaceModel model{};
  Rect<int> frame{};  // the center of a place lies within it
  int step = 1;       // grid of a first, coarse pass
};

// Whether the middle of a place lies within the frame.
bool middle_within(const Rect<int>& box, const Rect<int>& frame);
// The cost of the step to a place.
double motion_cost(const SearchRange& range, const Rect<int>& box);

// Further costs of places, 0 or more each; may be empty.
using PlaceCost = std::function<std::vector<double>(std::span<const Rect<int>>)>;

struct Place {
  Rect<int> box{};
  double score = 0;  // including all costs
};

// Returns the best of all places within reach, and the first of equal ones. With range.step > 1 it
// searches that grid and then improves the best place by halving the step. Costs are computed only
// if they can matter.
Place best_place(const LikelihoodMap& map, const SearchRange& range, const PlaceCost& cost);
// Returns the best of all places in the whole frame, without a cost of motion, and the first of
// equal ones, row by row.
Place best_place_anywhere(const LikelihoodMap& map, const Rect<int>& size, const SearchRange& range,
                          const Exec& exec);
// The places of the whole frame for which costs are computed: those on a grid of range.step.
struct WideSearch {
  Rect<int> size{};
  double least = 0;                 // places with a lower score by the map alone are not taken
  int first_row = 0, last_row = 0;  // of the frame that places begin in, [first, last)
  Exec exec{};
};
// Replaces `best` by the best of these places, with its cost subtracted, if that is better.
void improve_anywhere(const LikelihoodMap& map, const WideSearch& wide, const SearchRange& range,
                      const PlaceCost& cost, Place& best);
// Moves the box to the center of the likelihoods above one half in it until it no longer moves.
Place mean_shift_place(const LikelihoodMap& map, const SearchRange& range);

}  // namespace fovea::emd
