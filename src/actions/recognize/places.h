// Divides the points of a stream among places, such as people who act side by side.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/core/geometry.h>

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace fovea::actions {

// How far the points of one person lie apart, in pixels, to each side.
struct PlaceReach {
  float x = 0;
  float y = 0;
};
// Learned from the clips of a model: nearly all nodes that are five nodes apart lie this close
// together. It grows with the height of the frame relative to that of the training videos.
PlaceReach learn_reach(const Model& model, Extent frame);

// A place is a cluster of points that goes on from frame to frame and may move. It counts once it
// has had points in several of the last frames, and ends when it has had none for some time. The
// number of places is bounded, whatever the points are.
class PlaceTracker {
 public:
  struct Place {
    std::int32_t id = 0;  // grows from place to place
    float x = 0, y = 0;   // its center
    std::int64_t born = 0;
    bool confirmed = false;
    std::deque<std::int64_t> seen{};  // those of the last kRecent frames in which it had points
    std::int64_t last = 0;            // the last of them
  };
  static constexpr std::int64_t kRecent = 25;    // frames, one second of video
  static constexpr std::size_t kConfirming = 8;  // of them must have points
  static constexpr std::int64_t kForgotten = 50;

  // At most `most` places are confirmed at a time.
  PlaceTracker(PlaceReach reach, int most) : reach_(reach), most_(most) {}

  // Takes the points of the next frame, the most confident first, and returns the id of the place
  // of each. It is valid until the next call.
  std::span<const std::int32_t> push(std::int64_t frame, std::span<const SpaceTimePoint> points);
  // The places that count and those that may soon.
  std::span<const Place> places() const { return places_; }
  int confirmed() const;

 private:
  float distance(const Place& place, float x, float y) const;
  std::size_t place_of(const SpaceTimePoint& point, std::int64_t frame);
  void forget(std::int64_t frame);
  void join_near();

  PlaceReach reach_;
  int most_;
  std::int32_t next_id_ = 0;
  std::vector<Place> places_;
  std::vector<std::int32_t> ids_;
};

}  // namespace fovea::actions
