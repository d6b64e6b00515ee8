#include "actions/recognize/event_search.h"

#include <fovea/actions/explain.h>

#include <algorithm>

#include "actions/infinity.h"

namespace fovea::actions {

EventSearch::EventSearch(const EventRules& rules, std::unique_ptr<PlaceMatcher> matcher,
                         std::int32_t number, std::int64_t first_frame)
    : rules_(rules),
      matcher_(std::move(matcher)),
      number_(number),
      picker_(rules.options().patience, first_frame),
      most_kept_(static_cast<std::size_t>(rules.most_nodes()) *
                 static_cast<std::size_t>(rules.model().match.window)),
      class_distances_(rules.model().classes.size(), kInfinity<double>) {}

PlacePoints EventSearch::matched(const PlacePoints& points) const {
  const int most = rules_.model().scene_points;
  return most > 0 ? points.first(static_cast<std::size_t>(most)) : points;
}

void EventSearch::prepare(std::span<const PlaceFrame> frames) {
  std::vector<PlaceFrame> some(frames.begin(), frames.end());
  for (PlaceFrame& frame : some) frame.points = matched(frame.points);
  matcher_->prepare(some);
}

std::optional<Event> EventSearch::push(std::int64_t frame, const PlacePoints& all) {
  if (rules_.options().classify) keep_clip(frame, all);
  const PlacePoints points = matched(all);
  kept_.push_back({frame, {points.points.begin(), points.points.end()}});
  if (rules_.options().explain)
    kept_nodes_.push_back(rules_.nodes_of(frame, points.points, points.descriptors));
  if (kept_.size() > most_kept_) {
    kept_.pop_front();
    if (!kept_nodes_.empty()) kept_nodes_.pop_front();
  }
  const detail::FrameDigest& digest = matcher_->push(frame, points);
  note_distances(digest.nearest);
  const detail::DigestMatch* const nearest = picker_.best_of(digest.matches);
  if (nearest == nullptr) return {};
  const Found best{nearest->chain, nearest->distance, nearest->first_frame, frame};
  double other = kInfinity<double>;
  for (std::size_t c = 0; c < class_distances_.size(); ++c)
    if (static_cast<std::int32_t>(c) != rules_.label_of(best))
      other = std::min(other, class_distances_[c]);
  Event event = rules_.make_event(best, other, matcher_->path(best.prototype), kept_);
  event.place = number_;
  if (rules_.options().explain) event.evidence = evidence_of(event);
  return event;
}

std::shared_ptr<const EventEvidence> EventSearch::evidence_of(const Event& event) const {
  auto evidence = std::make_shared<EventEvidence>();
  evidence->prototype = event.prototype;
  evidence->distance = event.distance;
  evidence->limit = rules_.limit_of(event.prototype);
  evidence->classes = class_distances_;
  Scene& scene = evidence->scene;
  scene.first_frame = static_cast<std::int32_t>(event.first_frame);
  scene.frames = static_cast<std::int32_t>(event.last_frame - event.first_frame + 1);
  std::vector<const float*> rows;
  std::vector<std::int32_t> first(static_cast<std::size_t>(scene.frames), 0);
  int width = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i].frame < event.first_frame || kept_[i].frame > event.last_frame) continue;
    first[static_cast<std::size_t>(kept_[i].frame - event.first_frame)] = scene.points.size();
    const Nodes& nodes = kept_nodes_[i];
    for (int k = 0; k < nodes.size(); ++k) rows.push_back(nodes.features.row(k));
    if (nodes.size() > 0) width = nodes.features.width();
    scene.points.nodes.insert(scene.points.nodes.end(), nodes.nodes.begin(), nodes.nodes.end());
  }
  scene.points.features = Image<float>(width, static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(rows[i], width, scene.points.features.row(static_cast<int>(i)));
  evidence->path = event.path;
  for (MatchedNode& node : evidence->path)
    if (node.point >= 0)
      node.point += first[static_cast<std::size_t>(node.frame - scene.first_frame)];
  return evidence;
}

// Margins look back over as many frames as an event waits, because other classes may end a little
// earlier.
void EventSearch::note_distances(std::span<const double> nearest) {
  recent_.emplace_back(nearest.begin(), nearest.end());
  if (recent_.size() > static_cast<std::size_t>(std::max(rules_.options().patience, 1)))
    recent_.pop_front();
  std::ranges::fill(class_distances_, kInfinity<double>);
  for (const std::vector<double>& frame : recent_)
    for (std::size_t c = 0; c < frame.size(); ++c)
      class_distances_[c] = std::min(class_distances_[c], frame[c]);
}

void EventSearch::offer(Event event, std::int64_t frame) {
  picker_.offer(std::move(event), frame, picked_);
}

void EventSearch::report(std::int64_t frame, bool all, Classifier* classifier,
                         std::vector<Event>& events) {
  if (all) picker_.finish(picked_);
  else picker_.advance(frame, picked_);
  for (Event& event : picked_)
    if (classifier == nullptr || classify(event, *classifier)) events.push_back(std::move(event));
  picked_.clear();
}

// Fusion compares all points of a clip, matching only the most confident ones.
void EventSearch::keep_clip(std::int64_t frame, const PlacePoints& all) {
  const Model& model = rules_.model();
  std::span<const SpaceTimePoint> points = all.points;
  const ImageView<const float>& descriptors = all.descriptors;
  const std::size_t most = model.score.fusion > 0 || model.scene_points == 0
                               ? points.size()
                               : static_cast<std::size_t>(model.scene_points);
  FramePoints kept{.frame = frame, .points = {}};
  points = points.first(std::min(points.size(), most));
  kept.points.assign(points.begin(), points.end());
  if (!points.empty())
    kept.descriptors =
        clone(descriptors.crop(0, 0, descriptors.width, static_cast<int>(points.size())));
  clip_.push_back(std::move(kept));
  const std::int64_t oldest = frame - rules_.longest() - 2 * rules_.options().patience;
  while (clip_.front().frame < oldest) clip_.pop_front();
}

// Classifies the frames of an event as a clip and returns whether it is still one.
bool EventSearch::classify(Event& event, Classifier& classifier) const {
  PointSet clip;
  clip.size = rules_.frame_size();
  clip.frames = event.last_frame - event.first_frame + 1;
  clip.frame_rate = rules_.options().frame_rate.value_or(clip.frame_rate);
  std::vector<const float*> rows;
  for (const FramePoints& frame : clip_) {
    if (frame.frame < event.first_frame || frame.frame > event.last_frame) continue;
    for (std::size_t i = 0; i < frame.points.size(); ++i) {
      clip.points.push_back(frame.points[i]);
      clip.points.back().frame = static_cast<std::int32_t>(frame.frame - event.first_frame);
      rows.push_back(frame.descriptors.row(static_cast<int>(i)));
    }
  }
  clip.descriptors = Image<float>(kDescriptorSize, static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(rows[i], kDescriptorSize, clip.descriptors.row(static_cast<int>(i)));
  const ClipClass found = classifier.classify(clip);
  if (found.nearest < 0 || found.prototype < 0) return false;
  const Found nearest{found.prototype, found.distance, event.first_frame, event.last_frame};
  if (!rules_.allowed(nearest)) return false;
  event.label = found.nearest;
  event.name = rules_.model().classes[static_cast<std::size_t>(event.label)];
  event.prototype = found.prototype;
  event.distance = found.distance;
  event.margin = found.margin;
  event.score = rules_.score_of(nearest);
  return true;
}

}  // namespace fovea::actions
