// How a target uses its correlation filter: the response raises the score of a place, tells whether
// a place is the target's, and chooses among three sizes; sure frames are learned.
#include <fovea/core/error.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "emd/track/track_target.h"

namespace fovea::emd {
namespace {

// Responses, of which 1 is the target as it was learned, from which
constexpr double kFoundResponse = 0.1;    // a place that looks like it by the map is the target
constexpr double kLearnResponse = 0.2;    // a frame is learned
constexpr double kSureResponse = 0.25;    // a place with a low score by the map is not doubted
constexpr double kScaleResponse = 0.3;    // the size may change
constexpr double kLeastFirstScore = 0.1;  // a lower first score weighs as much as this one
constexpr double kLeastTexture = 0.25;    // of a target that has a filter, relative to its ring
constexpr double kFilterScaleStep = 1.03;
constexpr double kScaleInertia = 1.01;  // another size must be this much better

}  // namespace

bool Target::wants_filter() const {
  return options_.filter != TrackFilter::kOff && options_.search != TrackSearch::kMeanShift &&
         (options_.filter_weight > 0 || options_.filter_scale);
}

FilterPlace Target::filter_place(const Rect<int>& box) const {
  return {box.x + 0.5 * box.width, box.y + 0.5 * box.height, scale_};
}

double Target::filter_response(const Rect<int>& box) const {
  return filter_->response(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
}

void Target::begin_filter(const LabeledFrame& frame) {
  if (!wants_filter() || frame.pixels.width == 0) return;
  if (options_.filter == TrackFilter::kAuto) {
    if (frame.host_pixels.data == nullptr)
      throw Error("tracker: internal error: a filter begins in a frame without host pixels");
    if (relative_texture(frame.host_pixels, box_) < kLeastTexture) return;
  }
  first_size_ = {0, 0, box_.width, box_.height};
  scale_ = 1;
  filter_.emplace(frame.pixels, filter_place(box_), box_.width, box_.height, options_.exec);
}

void Target::add_filter_costs(std::span<const Rect<int>> places, std::vector<double>& costs) const {
  const double weight = options_.filter_weight * std::max(first_score_, kLeastFirstScore);
  for (std::size_t i = 0; i < places.size(); ++i)
    costs[i] += weight * std::max(0.0, 1 - filter_response(places[i]));
}

bool Target::sure_by_filter(const Rect<int>& box) const {
  return filter_response(box) >= kSureResponse;
}

bool Target::found_by_filter(const LabeledFrame& frame, const Rect<int>& box) {
  filter_->look(frame.pixels, filter_place(box));
  const Rect<double> inner{box.x + 0.25 * box.width, box.y + 0.25 * box.height, 0.5 * box.width,
                           0.5 * box.height};
  return filter_->highest_in(inner) >= kFoundResponse;
}

void Target::learn_filter(const LabeledFrame& frame) {
  const double response = filter_response(box_);
  const bool fits_size = options_.filter_scale && !options_.scale && response > kScaleResponse;
  const bool learns = options_.filter_rate > 0 && response > kLearnResponse;
  if (!fits_size && !learns) return;
  std::array<FilterPlace, 3> places{filter_place(box_)};
  std::size_t count = 1;
  for (const double factor : {1 / kFilterScaleStep, kFilterScaleStep}) {
    const double scale = scale_ * factor;
    if (fits_size && fits(scaled(first_size_, scale), frame))
      places[count++] = {places[0].x, places[0].y, scale};
  }
  const auto seen = std::span<const FilterPlace>(places).first(count);
  filter_->see(frame.pixels, seen);
  const std::size_t best = fits_size ? fit_size_by_filter(seen) : 0;
  if (learns) filter_->learn(best, options_.filter_rate);
}

// Takes the size of another place if that matches better, and returns the place's index.
std::size_t Target::fit_size_by_filter(std::span<const FilterPlace> seen) {
  double most = kScaleInertia * filter_->match(0);
  std::size_t best = 0;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    const double response = filter_->match(i);
    if (response <= most) continue;
    most = response;
    best = i;
  }
  scale_ = seen[best].scale;
  Rect<int> box = scaled(first_size_, scale_);
  box.x = box_.x + static_cast<int>(std::lround(0.5 * (box_.width - box.width)));
  box.y = box_.y + static_cast<int>(std::lround(0.5 * (box_.height - box.height)));
  box_ = box;
  return best;
}

}  // namespace fovea::emd
