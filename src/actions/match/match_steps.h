// A scene as the recursion walks over it: a step a frame that has something to stand on, and the
// directions between points that a triple may hold. Made once for all models.
#pragma once
#include <fovea/actions/match.h>

#include <span>
#include <vector>

#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// Scene nodes are counted from the beginning of the scene, the points of a frame before its dummy.
struct Step {
  std::int64_t first = 0;        // node of this step,
  std::int64_t first_point = 0;  // and point
  std::int64_t oldest = 0;       // step that a neighbor of this one's nodes may stand in,
  std::int64_t oldest_node = 0;  // and its first node
  std::int64_t oldest_seen = 0;  // point that directions are known from
  std::size_t directions = 0;    // where those of the first point begin
  std::int32_t frame = 0;
  std::int32_t points = 0;
  std::int32_t nodes = 0;  // points and the dummy

  // Nodes that may be neighbors.
  std::int32_t before() const { return static_cast<std::int32_t>(first - oldest_node); }
  std::int32_t seen() const { return static_cast<std::int32_t>(first_point - oldest_seen); }
};

class StepWindow {
 public:
  explicit StepWindow(const MatchTerms& terms) : terms_(terms) {}

  // A frame later than the last. One without nodes makes no step. InvalidArgument where more nodes
  // come before one than are counted.
  void push(std::int32_t frame, std::span<const Node> points);
  // Forgets steps of frames before this one.
  void drop_before(std::int32_t frame);

  // Steps are counted from the beginning, forgotten ones too.
  std::int64_t begin() const { return dropped_; }
  std::int64_t end() const { return dropped_ + static_cast<std::int64_t>(steps_.size()); }
  const Step& operator[](std::int64_t number) const {
    return steps_[static_cast<std::size_t>(number - dropped_)];
  }
  // The step that a node belongs to, from one up to another.
  std::int64_t step_of(std::int64_t node, std::int64_t from, std::int64_t to) const;
  // Of the path: the point's number, -1 of a dummy, and the frame.
  MatchedNode matched(std::int64_t node) const;

  // Directions from points oldest_seen, oldest_seen + 1, ... to one of the step's.
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

// The whole of a scene.
StepWindow steps_of(const Scene& scene, const MatchTerms& terms);

}  // namespace fovea::actions::detail
