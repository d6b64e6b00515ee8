// What is an event: the limits of distances, and how a match becomes one.
#pragma once
#include <fovea/actions/recognize.h>

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "actions/stream/stream_engine.h"

namespace fovea::actions {

// The points of one frame, without descriptors.
struct KeptPoints {
  std::int64_t frame = 0;
  std::vector<SpaceTimePoint> points;
};

// A match of a prototype.
struct Found {
  int prototype = -1;
  double distance = 0;
  std::int64_t first = 0, last = 0;
};

// The model must outlive this object.
class EventRules {
 public:
  EventRules(const Model& model, const RecognizeOptions& options, std::span<const Chain> chains);

  const Model& model() const { return model_; }
  const RecognizeOptions& options() const { return options_; }
  // Greatest number of frames from the first to the last node of a match.
  std::int64_t longest() const { return longest_; }
  int most_nodes() const { return most_nodes_; }
  void set_frame_size(Extent size) { size_ = size; }
  Extent frame_size() const { return size_; }

  std::int32_t label_of(const Found& found) const {
    return model_.prototypes[static_cast<std::size_t>(found.prototype)].label;
  }
  // The distance of a match whose terms are these.
  double distance_of(std::size_t prototype, float energy, float appearance) const;
  // The greatest distance at which matches of a prototype are reported; infinite without a limit.
  double limit_of(int prototype) const;
  bool allowed(const Found& found) const;
  double score_of(const Found& found) const;

  // What matchers need to know to tell which matches may become events.
  detail::DigestRules digest_rules() const;

  // The nodes of a frame, one per point.
  Nodes nodes_of(std::int64_t frame, std::span<const SpaceTimePoint> points,
                 ImageView<const float> descriptors) const;
  // `other` is the distance of the best other class; `kept` has the frames of the path.
  Event make_event(const Found& found, double other, std::vector<MatchedNode> path,
                   const std::deque<KeptPoints>& kept) const;

 private:
  Rect<float> box_around(std::span<const MatchedNode> path,
                         const std::deque<KeptPoints>& kept) const;

  const Model& model_;
  RecognizeOptions options_;
  std::vector<int> nodes_;  // number of nodes of each prototype
  int most_nodes_ = 0;
  std::int64_t longest_ = 0;
  Extent size_;
};

}  // namespace fovea::actions
