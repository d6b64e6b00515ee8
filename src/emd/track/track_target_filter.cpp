// How a target uses its correlation filter: the response raises the score of a place, tells whether
// a place is the target's, and chooses among three sizes; sure frames are learned. The filter works
// in host memory on every device, because a square has only 1024 cells.
#include <algorithm>
#include <cmath>
#include <utility>

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
  return options_.filter != TrackFilter::kOff && options_.search != TrackSearch::kMeanShift;
}

FilterPlace Target::filter_place(const Rect<int>& box) const {
  return {box.x + 0.5 * box.width, box.y + 0.5 * box.height, scale_};
}

double Target::filter_response(const Rect<int>& box) const {
  return filter_->response(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
}

void Target::begin_filter(const LabeledFrame& frame) {
  if (!wants_filter() || frame.pixels.width == 0) return;
  if (options_.filter == TrackFilter::kAuto && relative_texture(frame.pixels, box_) < kLeastTexture)
    return;
  first_size_ = {0, 0, box_.width, box_.height};
  scale_ = 1;
  filter_.emplace(frame.pixels, filter_place(box_), box_.width, box_.height);
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
  return filter_->highest() >= kFoundResponse;
}

void Target::learn_filter(const LabeledFrame& frame) {
  const double response = filter_response(box_);
  const bool fits_size = options_.filter_scale && !options_.scale && response > kScaleResponse;
  const bool learns = options_.filter_rate > 0 && response > kLearnResponse;
  if (!fits_size && !learns) return;
  const FilterPlace here = filter_place(box_);
  FilterView seen = filter_->view(frame.pixels, here);
  if (fits_size) fit_size_by_filter(frame, here, seen);
  if (learns) filter_->learn(seen, options_.filter_rate);
}

// Replaces the size, and what is seen at it, if another one matches better.
void Target::fit_size_by_filter(const LabeledFrame& frame, const FilterPlace& here,
                                FilterView& seen) {
  double most = kScaleInertia * filter_->match(seen);
  for (const double factor : {1 / kFilterScaleStep, kFilterScaleStep}) {
    const double scale = here.scale * factor;
    if (!fits(scaled(first_size_, scale), frame)) continue;
    FilterView other = filter_->view(frame.pixels, {here.x, here.y, scale});
    const double response = filter_->match(other);
    if (response <= most) continue;
    most = response;
    scale_ = scale;
    seen = std::move(other);
  }
  Rect<int> box = scaled(first_size_, scale_);
  box.x = box_.x + static_cast<int>(std::lround(0.5 * (box_.width - box.width)));
  box.y = box_.y + static_cast<int>(std::lround(0.5 * (box_.height - box.height)));
  box_ = box;
}

}  // namespace fovea::emd
