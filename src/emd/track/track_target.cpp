// One target from frame to frame: two maps of what lies within reach (or of the whole frame once it
// is lost), their quotient, and the place that fits best. The cost is that of the maps, which is
// that of windows not seen before. Left out: a model of motion, of the target's turning, and of
// one target hiding another.
#include "emd/track/track_target.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "emd/track/backend.h"

namespace fovea::emd {
namespace {

constexpr double kAmbiguousScore = 0.02;  // a lower one hardly tells a target from its surround
constexpr int kLeastReach = 10;           // pixels
constexpr double kScaleStep = 1.05;       // of a frame
constexpr double kPartSteps = 20;         // of the first pass over places with parts, a box's size
constexpr double kSureToAdapt = 0.6;      // of the first score
constexpr double kLeastContrast = 0.01;   // a lower first score cannot tell when a target is lost

MapOptions map_options(const TrackOptions& options) {
  MapOptions map;
  map.window = options.window;
  map.exec = options.exec;
  return map;
}

TrackRect scaled(const TrackRect& box, double factor) {
  const auto length = [&](int side) { return static_cast<int>(std::lround(side * factor)); };
  return {0, 0, length(box.width), length(box.height)};
}

bool fits(const TrackRect& box, const LabelledFrame& frame) {
  return box.width >= kLeastSide && box.height >= kLeastSide && box.width <= frame.here.width &&
         box.height <= frame.here.height;
}

double size_of(const TrackRect& box) { return std::sqrt(static_cast<double>(box.area())); }

}  // namespace

Target::Target(int id, const GroundDistance& ground, Signatures signatures,
               const TrackOptions& options)
    : id_(id), options_(options), ground_(ground), signatures_(std::move(signatures)) {
  for (const auto& signature : {signatures_.target, signatures_.surround}) {
    if (options.distance == TrackDistance::kEmd)
      mappers_.emplace_back(ground, signature, map_options(options));
    else plain_.emplace_back(signature, options.window, options.exec);
  }
}

void Target::make_map(const LabelledFrame& frame, const TrackRect& wanted) {
  const TrackRect region =
      intersection(options_.whole_map ? frame.bounds() : wanted, frame.bounds());
  // Windows at the region's border see the pixels beyond it.
  const TrackRect seen = intersection(region.padded(options_.window / 2), frame.bounds());
  const auto part = [&](ImageView<const std::uint8_t> labels) {
    return labels.crop(seen.x, seen.y, seen.width, seen.height);
  };
  map_.region = region;
  map_.values = Image<std::uint16_t>(region.width, region.height);
  const auto cut = [&](const Image<float>& map) {
    return map.view().crop(region.x - seen.x, region.y - seen.y, region.width, region.height);
  };
  if (plain_.empty()) {
    const Image<float> to_target = mappers_[0].map(part(frame.there));
    stats_ += mappers_[0].stats();
    const Image<float> to_surround = mappers_[1].map(part(frame.there));
    stats_ += mappers_[1].stats();
    const auto twin =
        options_.exec.device.kind == DeviceKind::kCuda ? cuda::likelihood : cpu::likelihood;
    twin(cut(to_target), cut(to_surround), map_.values.view(), options_.exec);
  } else {
    Image<float> to_target(seen.width, seen.height), to_surround(seen.width, seen.height);
    plain_[0].map(part(frame.here), to_target.view());
    plain_[1].map(part(frame.here), to_surround.view());
    cpu::likelihood(cut(to_target), cut(to_surround), map_.values.view(), options_.exec);
  }
  sum_up(map_, options_.exec);
}

void Target::begin(const LabelledFrame& frame, const TrackRect& box, bool grey) {
  box_ = box;
  make_map(frame, box.grown(options_.ring));
  const PlaceModel plain = learn_layout(map_, box, options_.ring, 0);
  const bool ambiguous = grey || place_score(map_, box, plain) < kAmbiguousScore;
  if (options_.parts == TrackParts::kOn || (options_.parts == TrackParts::kAuto && ambiguous))
    parts_.emplace(ground_, options_.distance, options_.exec, frame.here, box);
  model_ = learn_layout(map_, box, options_.ring, options_.layout);
  first_score_ = score_ = place_score(map_, box, model_);
}

void Target::begin_anywhere(const LabelledFrame& frame, const LabelledFrame& example) {
  model_.ring = options_.ring;
  // What to expect of a good place: the example's likelihoods inside, the frame's around.
  const auto mean_excess = [&](const LabelledFrame& of) {
    make_map(of, of.bounds());
    return place_score(map_, of.bounds(), PlaceModel{});
  };
  const double inside = mean_excess(example);
  const double outside = mean_excess(frame);
  first_score_ = inside - (options_.ring * options_.ring - 1) * outside;
  example_ = example.bounds();
  const Place best = best_anywhere(frame);
  box_ = best.box;
  score_ = best.score;
  lost_ = score_ < options_.found_above * first_score_;
  if (!lost_) example_ = {};
}

// A target keeps its size; one that is known by an example alone may have half to twice of that.
Place Target::best_anywhere(const LabelledFrame& frame) const {
  if (example_.empty()) return best_place_anywhere(map_, box_, range_of(frame), options_.exec);
  Place best{example_, -std::numeric_limits<double>::max()};
  for (const double scale : {1.0, 0.5, 0.7071, 1.4142, 2.0}) {
    const TrackRect size = scaled(example_, scale);
    if (!fits(size, frame)) continue;
    const Place place = best_place_anywhere(map_, size, range_of(frame), options_.exec);
    if (place.score > best.score) best = place;
  }
  best.score = std::max(best.score, -1.0);  // where no size fits
  return best;
}

SearchRange Target::range_of(const LabelledFrame& frame) const {
  SearchRange range;
  range.from = box_;
  range.reach = std::max(kLeastReach, static_cast<int>(options_.reach * size_of(box_)));
  range.motion = options_.motion;
  range.model = model_;
  range.frame = frame.bounds();
  if (parts_) range.step = std::max(1, static_cast<int>(std::lround(size_of(box_) / kPartSteps)));
  return range;
}

Place Target::local_place(const LabelledFrame& frame) {
  const SearchRange range = range_of(frame);
  if (options_.search == TrackSearch::kMeanShift) return mean_shift_place(map_, range);
  if (!parts_) return best_place(map_, range, {});
  parts_->look_at(frame.here, intersection(box_.padded(range.reach), frame.bounds()));
  return best_place(map_, range, [&](std::span<const TrackRect> places) {
    std::vector<double> costs = parts_->distances(places);
    for (double& cost : costs) cost *= options_.part_weight;
    return costs;
  });
}

void Target::next(const LabelledFrame& frame) {
  const SearchRange range = range_of(frame);
  make_map(frame, box_.grown(options_.ring).padded(range.reach));
  const Place place = local_place(frame);
  score_ = place_score(map_, place.box, model_);
  const bool tells = first_score_ > kLeastContrast;
  const bool doubt = tells && score_ < options_.lost_below * first_score_;
  doubtful_ = doubt ? doubtful_ + 1 : 0;
  lost_ = lost_ || doubtful_ >= options_.lost_frames;
  if (lost_) {
    look_everywhere(frame);
    return;
  }
  box_ = place.box;
  if (options_.scale && !doubt) fit_size(frame);
  if (options_.adapt > 0 && score_ > kSureToAdapt * first_score_) adapt(frame);
}

void Target::fit_size(const LabelledFrame& frame) {
  TrackRect best = box_;
  double most = place_score(map_, box_, model_);
  for (const double factor : {1 / kScaleStep, kScaleStep}) {
    TrackRect box = scaled(box_, factor);
    if (!fits(box, frame)) continue;
    box.x = box_.x + (box_.width - box.width) / 2;
    box.y = box_.y + (box_.height - box.height) / 2;
    const double score = place_score(map_, box, model_);
    if (score > most) {
      most = score;
      best = box;
    }
  }
  box_ = best;
  score_ = most;
}

void Target::look_everywhere(const LabelledFrame& frame) {
  if (!options_.redetect) return;
  make_map(frame, frame.bounds());
  const Place place = best_anywhere(frame);
  if (place.score < options_.found_above * first_score_) return;
  example_ = {};
  box_ = place.box;
  score_ = place.score;
  lost_ = false;
  doubtful_ = 0;
}

void Target::adapt(const LabelledFrame& frame) {
  const TrackRect box = intersection(box_, frame.bounds());
  if (box.empty()) return;
  const std::vector<double> seen =
      label_histogram(frame.here.crop(box.x, box.y, box.width, box.height), ground_.rows());
  double mass = 0, mass_seen = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    mass += signatures_.target[i];
    mass_seen += seen[i];
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    signatures_.target[i] =
        (1 - options_.adapt) * signatures_.target[i] / mass + options_.adapt * seen[i] / mass_seen;
  if (plain_.empty()) mappers_[0].set_target(signatures_.target);
  else plain_[0].set_target(signatures_.target);
}

Track Target::track() const {
  const double confidence = first_score_ > 0 ? score_ / first_score_ : 0;
  return {id_, to_box(box_), score_, std::min(1.0, std::max(0.0, confidence)), lost_};
}

}  // namespace fovea::emd
