// A scene in the form that the recursion reads: one step per frame that has nodes, and the
// directions between points that a triple may contain. It is made once for all models.
#pragma once
#include <fovea/actions/match.h>

#include <span>
#include <vector>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// Scene nodes are counted from the start of the scene; the points of a frame come before its dummy.
struct Step {
  std::int64_t first = 0;        // index of the first node of this step
  std::int64_t first_point = 0;  // index of its first point
  std::int64_t oldest = 0;       // the oldest step with neighbors of this step's nodes
  std::int64_t oldest_node = 0;  // the first node of that step
  std::int64_t oldest_seen = 0;  // the oldest point from which directions are known
  std::size_t directions = 0;    // where the directions of the first point begin
  std::int32_t frame = 0;
  std::int32_t points = 0;
  std::int32_t nodes = 0;  // points and the dummy

  // Returns the number of nodes that may be neighbors.
  std::int32_t before() const { return static_cast<std::int32_t>(first - oldest_node); }
  std::int32_t seen() const { return static_cast<std::int32_t>(first_point - oldest_seen); }
};

class StepWindow {
 public:
  explicit StepWindow(const MatchTerms& terms) : terms_(terms) {}

  // Adds a frame later than the last. A frame without nodes makes no step. Throws InvalidArgument
  // if a node has more predecessors than 16 bits can count.
  void push(std::int32_t frame, std::span<const Node> points);
  // Forgets steps of frames before this one.
  void drop_before(std::int32_t frame);

  // Steps are counted from the start, including those that were forgotten.
  std::int64_t begin() const { return dropped_; }
  std::int64_t end() const { return dropped_ + static_cast<std::int64_t>(steps_.size()); }
  const Step& operator[](std::int64_t number) const {
    return steps_[static_cast<std::size_t>(number - dropped_)];
  }
  // Returns the step in [from, to) that a node belongs to.
  std::int64_t step_of(std::int64_t node, std::int64_t from, std::int64_t to) const;
  // Returns a node of a path: the point's index in the scene, or -1 for a dummy, and the frame.
  MatchedNode matched(std::int64_t node) const;

  // Returns the directions from points oldest_seen, oldest_seen + 1, ... to a point of the step.
  const float* directions_to(const Step& step, int point) const {
    return directions_.data() + (step.directions - dropped_directions_) +
           static_cast<std::size_t>(point) * static_cast<std::size_t>(step.seen());
  }

 private:
  MatchTerms terms_;
  std::vector<Step> steps_;
  std::vector<Node> points_;
  std::vector<float> directions_;
  std::int64_t dropped_ = 0, dropped_points_ = 0;
  std::size_t dropped_directions_ = 0;
};

// Returns the steps of a whole scene.
StepWindow steps_of(const Scene& scene, const MatchTerms& terms);

}  // namespace fovea::actions::detail
