// The interface between the face and its twins: an engine takes frames, keeps in rings what later
// frames and descriptors need, and returns the maxima of the response as soon as they are known.
#pragma once
#include <fovea/flow/quality.h>

#include <memory>
#include <span>
#include <vector>

#include "actions/points/points_plan.h"

namespace fovea::actions {

// Higher qualities took longer and did not bring flow votes nearer to those of STIP-2.0 (they
// differ by 0.119 to 0.146 per bin in either case).
constexpr flow::Quality kFlowQuality = flow::Quality::kFast;

// A maximum, at a pixel of its channel's level.
struct Candidate {
  std::int64_t frame = 0;
  int channel = 0;
  int x = 0;
  int y = 0;
  float response = 0;
};

// Where a descriptor is wanted.
struct Site {
  std::int64_t frame = 0;
  int channel = 0;
  int x = 0;  // in pixels of the channel's level
  int y = 0;
};

class PointEngine {
 public:
  PointEngine() = default;
  PointEngine(const PointEngine&) = delete;
  PointEngine& operator=(const PointEngine&) = delete;
  virtual ~PointEngine() = default;

  // Returns the most frames that a push may have; the frames that describe() needs are kept in
  // addition.
  virtual int block() const = 0;
  // Adds frames that follow those before; `time` is that of the first. The video begins at 0, and
  // before it the first frame is repeated. Appends maxima to `found`, in any order.
  virtual void push(std::int64_t time, std::span<const ImageView<const std::uint8_t>> frames,
                    std::vector<Candidate>& found) = 0;
  // Repeats the last frame `count` times, at most a block, without motion.
  virtual void repeat(std::int64_t time, int count, std::vector<Candidate>& found) = 0;
  // Writes a row of kDescriptorSize numbers for each site. Sites may be at most the plan's latency
  // older than the first frame of the last push or repeat. Frames 0 to `last` exist.
  virtual void describe(std::span<const Site> sites, std::int64_t last,
                        ImageView<float> descriptors) = 0;

  // On a GPU, the same with rows that stay there. They are complete when stream() has done what it
  // has got so far, and valid until the next call.
  virtual const float* describe_there(std::span<const Site> /*sites*/, std::int64_t /*last*/) {
    return nullptr;
  }
  virtual void* stream() const { return nullptr; }
  // Bytes other than frames that were copied to the device, for tests.
  virtual std::int64_t copied_bytes() const { return 0; }
};

namespace cpu {
std::unique_ptr<PointEngine> make_point_engine(const PointPlan& plan, Extent size,
                                               const Exec& exec);
}  // namespace cpu
namespace cuda {
std::unique_ptr<PointEngine> make_point_engine(const PointPlan& plan, Extent size,
                                               const Exec& exec);
}  // namespace cuda

}  // namespace fovea::actions
