// What a target's places within reach score, and why: the same maps, filter and parts that the
// search has just used.
#include <algorithm>
#include <cmath>
#include <limits>

#include "emd/track/track_math.h"
#include "emd/track/track_target.h"

namespace fovea::emd {
namespace {

constexpr int kMostColumns = 41;  // of a landscape

Image<float> empty_landscape(int side) {
  Image<float> image(side, side);
  for (int y = 0; y < side; ++y)
    std::fill_n(image.row(y), side, std::numeric_limits<float>::quiet_NaN());
  return image;
}

}  // namespace

PlaceShares Target::shares_of(const Rect<int>& box, const SearchRange& range) {
  PlaceShares shares;
  shares.box = to_box(box);
  shares.color = place_score(map_, box, model_);
  if (options_.search != TrackSearch::kMeanShift) {
    const std::span<const Rect<int>> place(&box, 1);
    shares.motion = motion_cost(range, box);
    if (parts_) shares.parts = part_costs(place, std::numeric_limits<double>::infinity())[0];
    if (filter_) {
      std::vector<double> cost(1, 0.0);
      add_filter_costs(place, cost);
      shares.filter = cost[0];
      shares.response = filter_response(box);
    }
  }
  shares.total = shares.color - shares.motion - (shares.parts + shares.filter);
  return shares;
}

void Target::explain_places(const SearchRange& range, const Place& best, TrackExplanation& why) {
  why.from = to_box(range.from);
  why.reach = range.reach;
  why.first_score = first_score_;
  why.place = shares_of(best.box, range);
  why.stayed = shares_of(range.from, range);
  ScoreLandscape& land = why.landscape;
  land.step = std::max(1, (2 * range.reach + kMostColumns - 1) / kMostColumns);
  const int steps = range.reach / land.step, side = 2 * steps + 1;
  land.left = land.top = -steps * land.step;
  land.total = empty_landscape(side);
  land.color = empty_landscape(side);
  land.motion = empty_landscape(side);
  if (parts_) land.parts = empty_landscape(side);
  if (filter_) land.filter = empty_landscape(side);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int dx = land.left + i * land.step, dy = land.top + j * land.step;
      const Rect<int> box = moved(range.from, dx, dy);
      if (dx * dx + dy * dy > range.reach * range.reach || !middle_within(box, range.frame))
        continue;
      const PlaceShares shares = shares_of(box, range);
      land.total.at(i, j) = static_cast<float>(shares.total);
      land.color.at(i, j) = static_cast<float>(shares.color);
      land.motion.at(i, j) = static_cast<float>(shares.motion);
      if (parts_) land.parts.at(i, j) = static_cast<float>(shares.parts);
      if (filter_) land.filter.at(i, j) = static_cast<float>(shares.filter);
    }
  why.mapped = map_.region;
  why.likelihood = Image<float>(map_.values.width(), map_.values.height());
  for (int y = 0; y < why.likelihood.height(); ++y)
    for (int x = 0; x < why.likelihood.width(); ++x)
      why.likelihood.at(x, y) = static_cast<float>(map_.values.at(x, y)) / kSureLikelihood;
}

}  // namespace fovea::emd
