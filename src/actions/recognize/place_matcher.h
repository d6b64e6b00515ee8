// Matches prototypes with the points of one place of a stream, on the CPU or on a GPU.
#pragma once
#include <fovea/actions/points.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actions/recognize/event_rules.h"
#include "actions/stream/stream_engine.h"

namespace fovea::actions {

// Points of a frame, the most confident first, with descriptors in host memory or with the rows
// that their features have on the device.
struct PlacePoints {
  std::span<const SpaceTimePoint> points;
  ImageView<const float> descriptors{};
  std::span<const std::int64_t> rows{};

  PlacePoints first(std::size_t most) const {
    PlacePoints some = *this;
    some.points = points.first(std::min(points.size(), most));
    if (!rows.empty()) some.rows = rows.first(some.points.size());
    return some;
  }
};
struct PlaceFrame {
  std::int64_t frame = 0;
  PlacePoints points;
};

class PlaceMatcher {
 public:
  virtual ~PlaceMatcher() = default;
  // A matcher of the same prototypes for another place of the same stream.
  virtual std::unique_ptr<PlaceMatcher> another() const = 0;
  // Takes the points of a later frame. The result is valid until the next call.
  virtual const detail::FrameDigest& push(std::int64_t frame, const PlacePoints& points) = 0;
  // The nodes of a prototype's match that ends in the frame of the last push.
  virtual std::vector<MatchedNode> path(int prototype) const = 0;
  // Frames that will be pushed next, with these very points, are matched together where that is
  // faster. Those that were prepared before have been pushed.
  virtual void prepare(std::span<const PlaceFrame> frames) = 0;
  // Bytes that were copied to a GPU, where points are there, for tests.
  virtual std::int64_t copied_bytes() const = 0;
};

// The rules must outlive the matchers.
std::unique_ptr<PlaceMatcher> make_host_matcher(const EventRules& rules, StreamMatcher matcher);
std::unique_ptr<PlaceMatcher> make_device_matcher(
    std::shared_ptr<const detail::RowStream> prototypes, std::shared_ptr<detail::FeatureRows> rows,
    const Exec& exec);

}  // namespace fovea::actions
