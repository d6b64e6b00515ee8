// One target from frame to frame: two maps of the area within reach (or of the whole frame once the
// target is lost), their quotient, and the place that fits best. Most of the time is spent on the
// maps, for windows that were not seen before. There is no model of motion, of rotation or of one
// target hiding another.
#include "emd/track/track_target.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/dispatch.h"
#include "emd/track/backend.h"

namespace fovea::emd {
namespace {

constexpr double kAmbiguousScore = 0.02;  // below it a target hardly stands out
constexpr int kLeastReach = 10;           // pixels
constexpr double kScaleStep = 1.05;       // change of size from frame to frame
constexpr double kPartSteps =
    20;  // if parts are compared, steps of the first pass per size of the box
constexpr double kMotionWithFilter = 1.0 / 3;  // edges say more about far places than colors do
constexpr double kSureToAdapt = 0.6;           // share of the first score
constexpr double kLeastContrast =
    0.01;  // with a lower first score, a loss of the target cannot be detected
constexpr double kNowhere =
    -std::numeric_limits<double>::max();  // lower than the score of any place
constexpr double kAnyDistance = std::numeric_limits<double>::infinity();
constexpr std::int64_t kPartBytes = std::int64_t{32}
                                    << 20;  // memory for integral histograms at a time

MapOptions map_options(const GroundDistance& ground, const TrackOptions& options) {
  MapOptions map;
  map.ground = ground;
  map.window = options.window;
  map.cache_bytes = options.cache_bytes / 2;
  map.exec = options.exec;
  return map;
}

// Returns an image of this size in memory that is kept from frame to frame and grows when needed.
ImageView<float> room_in(Image<float>& kept, const Rect<int>& size, Memory memory) {
  if (kept.view().memory != memory || kept.width() < size.width || kept.height() < size.height)
    kept = Image<float>(std::max(kept.width(), size.width), std::max(kept.height(), size.height), 1,
                        memory);
  return kept.view().crop(0, 0, size.width, size.height);
}

double size_of(const Rect<int>& box) { return std::sqrt(static_cast<double>(area_of(box))); }

}  // namespace

Rect<int> scaled(const Rect<int>& box, double factor) {
  const auto length = [&](int side) { return static_cast<int>(std::lround(side * factor)); };
  return {0, 0, length(box.width), length(box.height)};
}

bool fits(const Rect<int>& box, const LabeledFrame& frame) {
  return box.width >= kLeastSide && box.height >= kLeastSide && box.width <= frame.here.width &&
         box.height <= frame.here.height;
}

Target::Target(int id, const GroundDistance& ground, Signatures signatures,
               const TrackOptions& options)
    : id_(id), options_(options), ground_(ground), signatures_(std::move(signatures)) {
  for (const auto& signature : {signatures_.target, signatures_.surround}) {
    if (options.distance == TrackDistance::kEmd)
      mappers_.emplace_back(signature, map_options(ground, options));
    else plain_.emplace_back(signature, options.window, options.exec);
  }
}

void Target::make_map(const LabeledFrame& frame, const Rect<int>& wanted) {
  push_map(frame, wanted);
  finish_map(frame);
}

void Target::push_map(const LabeledFrame& frame, const Rect<int>& wanted) {
  for (std::size_t i = 0; i < mappers_.size(); ++i)
    if (std::exchange(in_flight_[i], false)) mappers_[i].finish();
  map_.region = intersect(options_.whole_map ? frame.bounds() : wanted, frame.bounds());
  // Windows at the region's border reach pixels beyond it.
  seen_ = intersect(padded(map_.region, options_.window / 2), frame.bounds());
  if (map_.region.empty()) seen_ = {};
  const auto labels = frame.there.crop(seen_.x, seen_.y, seen_.width, seen_.height);
  for (std::size_t i = 0; i < mappers_.size(); ++i) {
    mappers_[i].push(labels, room_in(distances_[i], seen_, frame.there.memory));
    in_flight_[i] = true;
  }
}

void Target::finish_map(const LabeledFrame& frame) {
  const Rect<int>& region = map_.region;
  const auto cut = [&](Image<float>& map) -> ImageView<const float> {
    return map.view().crop(region.x - seen_.x, region.y - seen_.y, region.width, region.height);
  };
  map_.values = Image<std::uint16_t>(region.width, region.height);
  for (std::size_t i = 0; i < plain_.size(); ++i)
    plain_[i].map(frame.here.crop(seen_.x, seen_.y, seen_.width, seen_.height),
                  room_in(distances_[i], seen_, Memory::kHost));
  std::int64_t entries = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < mappers_.size(); ++i) {
    in_flight_[i] = false;
    mappers_[i].finish();
    report_ += mappers_[i].report();
    entries += report_.entries;
    bytes += report_.cache_bytes;
  }
  report_.entries = entries;
  report_.cache_bytes = bytes;
  const bool there = !mappers_.empty() && fovea::detail::on_cuda(options_.exec);
  const auto twin = there ? cuda::likelihood : cpu::likelihood;
  if (!region.empty())
    twin(cut(distances_[0]), cut(distances_[1]), map_.values.view(), options_.exec);
  sum_up(map_, options_.exec);
}

bool Target::wants_parts(bool no_colors, double plain_score) const {
  if (options_.search == TrackSearch::kMeanShift) return false;  // mean shift uses the map only
  if (options_.parts != TrackParts::kAuto) return options_.parts == TrackParts::kOn;
  return no_colors || plain_score < kAmbiguousScore;
}

void Target::begin(const LabeledFrame& frame, const Rect<int>& box, bool no_colors) {
  box_ = box;
  make_map(frame, grown(box, options_.ring));
  const PlaceModel plain = learn_layout(map_, box, options_.ring, 0);
  if (wants_parts(no_colors, place_score(map_, box, plain)))
    parts_.emplace(ground_, options_.distance, options_.exec, frame.here, box);
  model_ = learn_layout(map_, box, options_.ring, options_.layout);
  first_score_ = score_ = place_score(map_, box, model_);
  begin_filter(frame);
}

void Target::begin_anywhere(const LabeledFrame& frame, const LabeledFrame& example,
                            bool no_colors) {
  model_.ring = options_.ring;
  // The score that a good place should have: likelihoods as in the example inside, as in the frame
  // around it.
  const auto mean_excess = [&](const LabeledFrame& of) {
    make_map(of, of.bounds());
    return place_score(map_, of.bounds(), PlaceModel{});
  };
  const double inside = mean_excess(example);
  const double outside = mean_excess(frame);
  first_score_ = inside - (options_.ring * options_.ring - 1) * outside;
  example_ = example.bounds();
  if (wants_parts(no_colors, first_score_))
    parts_.emplace(ground_, options_.distance, options_.exec, example.here, example_);
  lost_ = true;
  if (take_if_found(frame)) return;
  const Place likeliest = best_anywhere(frame, false);
  box_ = likeliest.box;
  score_ = std::max(likeliest.score, -1.0);  // -1 if no size fits
}

// A target keeps its size; one that is known only from an example may have half to twice the size.
// The map of the whole frame has been made.
Place Target::best_anywhere(const LabeledFrame& frame, bool by_parts) {
  const auto best_of = [&](const Rect<int>& size) {
    return by_parts ? best_by_parts(frame, size)
                    : best_place_anywhere(map_, size, range_of(frame.bounds()), options_.exec);
  };
  if (example_.empty()) return best_of(box_);
  Place best{example_, kNowhere};
  for (const double scale : {1.0, 0.5, 0.7071, 1.4142, 2.0}) {
    const Rect<int> size = scaled(example_, scale);
    if (!fits(size, frame)) continue;
    const Place place = best_of(size);
    if (place.score > best.score) best = place;
  }
  return best;
}

// Compares the places of the whole frame that are good enough by the map part by part: first on a
// grid, then around the best of these. Integral histograms of a large frame would take much memory,
// so that they are made for some rows at a time.
Place Target::best_by_parts(const LabeledFrame& frame, const Rect<int>& size) {
  SearchRange range = range_of(frame.bounds());
  range.motion = 0;
  range.step = std::max(1, static_cast<int>(std::lround(2 * size_of(size) / kPartSteps)));
  const PlaceCost cost = [&](std::span<const Rect<int>> places) {
    return part_costs(places, 1 - options_.found_above);
  };
  WideSearch wide{size, options_.found_above * first_score_, 0, 0, options_.exec};
  Place best{size, kNowhere};
  const int rows = frame.here.height - size.height + 1;
  const std::int64_t row_bytes =
      std::int64_t{frame.here.width} * ground_.rows() * static_cast<int>(sizeof(std::uint32_t));
  const auto affordable = static_cast<int>(kPartBytes / row_bytes);
  const int band = std::max({affordable - size.height, size.height, range.step});
  for (int row = 0; row < rows; row = wide.last_row) {
    wide.first_row = row;
    wide.last_row = std::min(rows, row + band / range.step * range.step);
    parts_->look_at(frame.here, {0, row, frame.here.width, wide.last_row - row + size.height - 1});
    improve_anywhere(map_, wide, range, cost, best);
  }
  if (best.score == kNowhere || range.step == 1) return best;
  range.from = best.box;
  range.reach = range.step - 1;
  range.step = std::max(1, range.step / 2);
  parts_->look_at(frame.here, intersect(padded(best.box, 2 * range.reach), frame.bounds()));
  const Place finer = best_place(map_, range, cost);
  return place_score(map_, finer.box, model_) >= wide.least ? finer : best;
}

// Returns the costs of places by their parts; places that differ too much cost so much that they
// are never taken.
std::vector<double> Target::part_costs(std::span<const Rect<int>> places, double farthest) {
  std::vector<double> costs = parts_->distances(places);
  for (double& cost : costs)
    cost = cost > farthest ? std::numeric_limits<double>::infinity() : cost * options_.part_weight;
  return costs;
}

// Moves to the best place of the whole frame, whose map has been made, if that is good enough.
bool Target::take_if_found(const LabeledFrame& frame) {
  const Place place = best_anywhere(frame, parts_.has_value());
  if (place.score == kNowhere) return false;
  const double score = place_score(map_, place.box, model_);
  if (score < options_.found_above * first_score_) return false;
  if (filter_ && !found_by_filter(frame, place.box)) return false;
  example_ = {};
  box_ = place.box;
  score_ = score;
  lost_ = false;
  doubtful_ = 0;
  if (!filter_) begin_filter(frame);
  return true;
}

SearchRange Target::range_of(const Rect<int>& frame) const {
  SearchRange range;
  range.from = box_;
  range.reach = std::max(kLeastReach, static_cast<int>(options_.reach * size_of(box_)));
  range.motion = filter_ ? kMotionWithFilter * options_.motion : options_.motion;
  range.model = model_;
  range.frame = frame;
  if (parts_) range.step = std::max(1, static_cast<int>(std::lround(size_of(box_) / kPartSteps)));
  return range;
}

Place Target::local_place(const LabeledFrame& frame, TrackExplanation* why) {
  const SearchRange range = range_of(frame.bounds());
  PlaceCost cost;
  if (filter_ && options_.search != TrackSearch::kMeanShift) filter_->finish_look();
  if (parts_) parts_->look_at(frame.here, intersect(padded(box_, range.reach), frame.bounds()));
  if (parts_ || filter_)
    cost = [&](std::span<const Rect<int>> places) {
      std::vector<double> costs =
          parts_ ? part_costs(places, kAnyDistance) : std::vector<double>(places.size(), 0.0);
      if (filter_) add_filter_costs(places, costs);
      return costs;
    };
  const Place best = options_.search == TrackSearch::kMeanShift ? mean_shift_place(map_, range)
                                                                : best_place(map_, range, cost);
  if (why != nullptr) explain_places(range, best, *why);
  return best;
}

Rect<int> Target::reached(const Rect<int>& frame) const {
  return padded(grown(box_, options_.ring), range_of(frame).reach);
}

Rect<int> Target::reads(const Rect<int>& frame) const {
  if (options_.whole_map || (may_look_everywhere() && options_.redetect)) return frame;
  // A box that grows may leave what is mapped.
  const bool grows = options_.scale || (filter_ && options_.filter_scale);
  const int growth =
      grows ? 1 + static_cast<int>((kScaleStep - 1) * std::max(box_.width, box_.height)) : 0;
  return intersect(padded(reached(frame), options_.window / 2 + growth), frame);
}

void Target::prepare(const LabeledFrame& frame) {
  push_map(frame, reached(frame.bounds()));
  if (filter_) filter_->start_look(frame.pixels, filter_place(box_));
}

void Target::next(const LabeledFrame& frame, TrackExplanation* why) {
  finish_map(frame);
  const Place place = local_place(frame, why);
  score_ = place_score(map_, place.box, model_);
  const bool has_contrast = first_score_ > kLeastContrast;
  const bool doubt = has_contrast && score_ < options_.lost_below * first_score_ &&
                     !(filter_ && sure_by_filter(place.box));
  doubtful_ = doubt ? doubtful_ + 1 : 0;
  lost_ = lost_ || doubtful_ >= options_.lost_frames;
  if (why != nullptr) {
    why->doubtful = doubt;
    why->doubtful_frames = doubtful_;
    why->searched_everywhere = lost_ && options_.redetect;
  }
  if (lost_) {
    look_everywhere(frame);
    return;
  }
  box_ = place.box;
  if (options_.scale && !doubt) fit_size(frame);
  if (filter_ && !doubt) learn_filter(frame);
  if (options_.adapt > 0 && score_ > kSureToAdapt * first_score_) adapt(frame);
}

void Target::fit_size(const LabeledFrame& frame) {
  Rect<int> best = box_;
  double most = place_score(map_, box_, model_);
  for (const double factor : {1 / kScaleStep, kScaleStep}) {
    Rect<int> box = scaled(box_, factor);
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
  if (filter_) scale_ = size_of(box_) / size_of(first_size_);
}

void Target::look_everywhere(const LabeledFrame& frame) {
  if (!options_.redetect) return;
  make_map(frame, frame.bounds());
  take_if_found(frame);
}

void Target::adapt(const LabeledFrame& frame) {
  const Rect<int> box = intersect(box_, frame.bounds());
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
