// The interface between the face of the map and its twins: one engine per device, which keeps its
// memory and the known distances from frame to frame.
#pragma once
#include <memory>

#include "emd/map/map_plan.h"

namespace fovea::emd {

// The views of a frame, in the engine's memory or on the host. Exactly one of the first three is
// set.
struct MapFrame {
  ImageView<const std::uint8_t> labels{};
  ImageView<const std::uint8_t> bytes{};   // histograms of 8-bit counts
  ImageView<const std::uint16_t> words{};  // histograms of 16-bit counts
  ImageView<float> distances{};
  // The distances of pixels where it is 0 stay as they are; empty: none is. Only the CPU's engine
  // is given one.
  ImageView<const std::uint8_t> mask{};
};

class MapEngine {
 public:
  MapEngine() = default;
  MapEngine(const MapEngine&) = delete;
  MapEngine& operator=(const MapEngine&) = delete;
  virtual ~MapEngine() = default;

  // Takes a frame; the caller makes sure that there is room for it. If this throws, all known
  // distances are forgotten.
  virtual void submit(const MapFrame& frame) = 0;
  // Waits for the oldest frame that is not collected yet.
  virtual MapReport collect() = 0;
  // These two are called only while no frame is in flight.
  virtual void forget() = 0;
  virtual void set_target(const MapPlan& plan) = 0;
};

namespace cpu {
std::unique_ptr<MapEngine> make_map_engine(const MapPlan& plan);
}
namespace cuda {
std::unique_ptr<MapEngine> make_map_engine(const MapPlan& plan);
}

}  // namespace fovea::emd
