// Events of overlapping blocks of frames, which are matched one after the other, as the paper does.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "actions/recognize/event_rules.h"

namespace fovea::actions {

// The rules must outlive this object.
class EventBlocks {
 public:
  EventBlocks(const EventRules& rules, std::span<const Chain> chains, const MatchOptions& match);

  // Takes points of the next frame, the most confident first.
  void push(std::int64_t frame, std::span<const SpaceTimePoint> points,
            ImageView<const float> descriptors, std::vector<Event>& events);
  void finish(std::vector<Event>& events);
  // The number of frames, from the first, that no later event will include.
  std::int64_t settled_frames() const;
  // One number per class: the least distance of its prototypes in the last block.
  std::span<const double> class_distances() const { return class_distances_; }
  std::size_t kept_frames() const { return kept_.size(); }

 private:
  void match(std::vector<Event>& events);
  Scene scene_of(std::vector<int>& first_of_frame) const;
  double best_other(const Found& found, std::span<const Found> all) const;

  const EventRules& rules_;
  Matcher matcher_;
  std::deque<Nodes> block_;  // one element per frame
  std::deque<KeptPoints> kept_;
  std::vector<double> class_distances_;
  std::int64_t block_first_ = 0;
  std::int64_t reported_until_ = -1;
  std::int64_t next_ = 0;
};

}  // namespace fovea::actions
