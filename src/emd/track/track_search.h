// Where in a likelihood map a target is: scores of places by integral image, the search of all
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

struct TrackRect {
  int x = 0, y = 0, width = 0, height = 0;

  std::int64_t area() const { return static_cast<std::int64_t>(width) * height; }
  double center_x() const { return x + width / 2.0; }
  double center_y() const { return y + height / 2.0; }
  bool empty() const { return width <= 0 || height <= 0; }
  TrackRect moved(int dx, int dy) const { return {x + dx, y + dy, width, height}; }
  // Of `factor` times the size, around the same middle.
  TrackRect grown(double factor) const;
  TrackRect padded(int border) const {
    return {x - border, y - border, width + 2 * border, height + 2 * border};
  }
  bool operator==(const TrackRect&) const = default;
};
TrackRect intersection(const TrackRect& a, const TrackRect& b);
TrackRect to_pixels(const TrackBox& box);
TrackBox to_box(const TrackRect& box);

// The likelihoods of a region of the frame, and their sums.
struct LikelihoodMap {
  TrackRect region{};  // of the frame
  Image<std::uint16_t> values{};
  Image<std::uint64_t> sums{};
};
void sum_up(LikelihoodMap& map, const Exec& exec);

// What a place is judged by.
struct PlaceModel {
  static constexpr int kColumns = 6, kRows = 8;  // of the cells that box and ring are divided into

  double ring = 1;    // size of the box whose ring counts against a place
  double layout = 0;  // share of the cells' weights in the score, against inside less ring
  std::array<double, kColumns * kRows> weights{};  // of cells
};
// A model whose weights are the likelihoods above one half in the cells of this box, so that places
// where they lie alike score highest: a box is seldom filled by what is unlike its surround.
PlaceModel learn_layout(const LikelihoodMap& map, const TrackRect& box, double ring, double layout);

// What is left of likelihoods above one half inside the box, less those in the ring around it, a
// pixel of the box; and the weighted mean over its cells. Pixels outside the map count as one half.
double place_score(const LikelihoodMap& map, const TrackRect& box, const PlaceModel& model);

struct SearchRange {
  TrackRect from{};   // the last place
  int reach = 0;      // pixels
  double motion = 0;  // cost of a step as long as the square root of the box's area
  PlaceModel model{};
  TrackRect frame{};  // the middle of a place lies within it
  int step = 1;       // of a first, coarse pass
};

// What places cost besides, 0 or more each; may be empty.
using PlaceCost = std::function<std::vector<double>(std::span<const TrackRect>)>;

struct Place {
  TrackRect box{};
  double score = 0;  // with all costs
};

// The best of all places within reach; the first of equal ones. With a step the best on that grid,
// improved by halving it. Costs are asked for only where they can matter.
Place best_place(const LikelihoodMap& map, const SearchRange& range, const PlaceCost& cost);
// The best of all places in the whole frame, on equal terms; the first of equal ones, row by row.
Place best_place_anywhere(const LikelihoodMap& map, const TrackRect& size, const SearchRange& range,
                          const Exec& exec);
// What costs besides are asked for of, in the whole frame: places on a grid of range.step.
struct WideSearch {
  TrackRect size{};
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
