// Between the face of the map and its twins: an engine a device, which keeps memory and what is
// known from frame to frame.
#pragma once
#include <memory>

#include "emd/map/map_plan.h"

namespace fovea::emd {

// What a frame is given as. Views lie in the engine's memory or on the host.
struct MapFrame {
  ImageView<const std::uint8_t> labels{};  // or
  ImageView<const std::uint8_t> bytes{};   // histograms, or
  ImageView<const std::uint16_t> words{};  // histograms
  ImageView<float> distances{};
};

class MapEngine {
 public:
  MapEngine() = default;
  MapEngine(const MapEngine&) = delete;
  MapEngine& operator=(const MapEngine&) = delete;
  virtual ~MapEngine() = default;

  // Takes a frame; there is room for it. What it throws leaves nothing known.
  virtual void submit(const MapFrame& frame) = 0;
  // The oldest frame that is not collected yet is finished.
  virtual MapStats collect() = 0;
  // With no frame in flight.
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
