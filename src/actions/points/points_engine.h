// Between the face and its twins: an engine takes frames, keeps what later ones and descriptors
// need in rings, and gives the maxima of the response as soon as they are known.
#pragma once
#include <fovea/flow/quality.h>

#include <memory>
#include <span>
#include <vector>

#include "actions/points/points_plan.h"

namespace fovea::actions {

// Better ones took longer and brought flow votes no nearer to STIP-2.0's (0.119 to 0.146 a bin
// either way).
constexpr flow::Quality kFlowQuality = flow::Quality::kFast;

// A maximum: pixel of its channel's level.
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
  int x = 0;  // pixels of the channel's level
  int y = 0;
};

class PointEngine {
 public:
  PointEngine() = default;
  PointEngine(const PointEngine&) = delete;
  PointEngine& operator=(const PointEngine&) = delete;
  virtual ~PointEngine() = default;

  // Most frames of a push; what describe() reaches back to is kept beyond that.
  virtual int block() const = 0;
  // Frames that follow those before; `time` of the first. The video begins at 0: before it the
  // first frame is repeated. Appends maxima, in no order.
  virtual void push(std::int64_t time, std::span<const ImageView<const std::uint8_t>> frames,
                    std::vector<Candidate>& found) = 0;
  // The last frame `count` times more, a block at most, without motion.
  virtual void repeat(std::int64_t time, int count, std::vector<Candidate>& found) = 0;
  // A row of kDescriptorSize for each site, none of which is older than the plan's latency before
  // the first frame of the last push or repeat. Frames 0 to `last` exist.
  virtual void describe(std::span<const Site> sites, std::int64_t last,
                        ImageView<float> descriptors) = 0;
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
