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
  Rect<int> region{};  // of the frame
  Image<std::uint16_t> values{};
  Image<std::uint64_t> sums{};
};
void sum_up(LikelihoodMap& map, const Exec& exec);

// What the score of a place depends on.
struct PlaceModel {
  static constexpr int kColumns = 6, kRows = 8;  // of the cells that box and ring are divided into

  double ring = 1;    // size of the box whose ring counts against a place
  double layout = 0;  // share of the cells' weights in the score, against inside less ring
  std::array<double, kColumns * kRows> weights{};  // of cells
};
// A model whose weights are the likelihoods above one half in the cells of this box, so that places
// where they lie alike score highest: a box is seldom filled by what is unlike its surround.
PlaceModel learn_layout(const LikelihoodMap& map, const Rect<int>& box, double ring, double layout);

// Mixes two measures by model.layout: the sum of likelihood - 1/2 inside the box, less that in the
// ring around it, per pixel of the box; and the weighted mean over the cells. Pixels outside the
// map count as one half.
double place_score(const LikelihoodMap& map, const Rect<int>& box, const PlaceModel& model);

struct SearchRange {
  Rect<int> from{};   // the last place
  int reach = 0;      // pixels
  double motion = 0;  // cost of a step as long as the square root of the box's area
  PlaceModel model{};
  Rect<int> frame{};  // the middle of a place lies within it
  int step = 1;       // of a first, coarse pass
};

// Further costs of places, 0 or more each; may be empty.
using PlaceCost = std::function<std::vector<double>(std::span<const Rect<int>>)>;

struct Place {
  Rect<int> box{};
  double score = 0;  // with all costs
};

// The best of all places within reach; the first of equal ones. With a step the best on that grid,
// improved by halving the step. Costs are computed only where they can matter.
Place best_place(const LikelihoodMap& map, const SearchRange& range, const PlaceCost& cost);
// The best of all places in the whole frame, on equal terms; the first of equal ones, row by row.
Place best_place_anywhere(const LikelihoodMap& map, const Rect<int>& size, const SearchRange& range,
                          const Exec& exec);
// The places of the whole frame for which costs are computed: those on a grid of range.step.
struct WideSearch {
  Rect<int> size{};
  double least = 0;                 // score of the map alone, below which no place is taken
  int first_row = 0, last_row = 0;  // of the frame that places begin in, [first, last)
  Exec exec{};
};
// Takes the best of them, less its cost, into `best`.
void improve_anywhere(const LikelihoodMap& map, const WideSearch& wide, const SearchRange& range,
                      const PlaceCost& cost, Place& best);
// The box moved to the middle of the likelihoods above one half in it, until it stays.
Place mean_shift_place(const LikelihoodMap& map, const SearchRange& range);

}  // namespace fovea::emd
