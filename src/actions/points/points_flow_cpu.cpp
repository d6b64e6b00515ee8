#include "actions/points/points_flow_cpu.h"

#include <algorithm>
#include <limits>

#include "actions/points/points_engine.h"

namespace fovea::actions::cpu {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 2;

flow::FlowOptions flow_options(const Exec& exec) {
  flow::FlowOptions options;
  options.quality = kFlowQuality;
  options.exec = exec;
  return options;
}

}  // namespace

FlowKeeper::FlowKeeper(const std::vector<Extent>& levels, int length,
                       const Exec& exec)
    : length_(length + 1),  // flow leads from the frame before
      exec_(exec),
      estimator_(flow_options(exec)),
      newest_(kNever),
      estimated_(kNever),
      wanted_(static_cast<std::size_t>(length_), kNever),
      known_(static_cast<std::size_t>(length_), kNever) {
  for (int i = 0; i < length_; ++i) frames_.emplace_back(levels[0].width, levels[0].height);
  for (const Extent& size : levels) {
    u_.emplace_back(size, length_);
    v_.emplace_back(size, length_);
  }
}

void FlowKeeper::push(ImageView<const std::uint8_t> frame, std::int64_t time) {
  copy(frame, frames_[slot(time)].view());
  newest_ = time;
}

void FlowKeeper::want(std::int64_t first, std::int64_t last) {
  // There is no flow into the first frame.
  for (std::int64_t t = std::max<std::int64_t>(first, 1); t <= last; ++t) wanted_[slot(t)] = t;
}

void FlowKeeper::estimate() {
  for (std::int64_t t = std::max<std::int64_t>(newest_ - length_ + 2, 1); t <= newest_; ++t) {
    if (wanted_[slot(t)] != t || known_[slot(t)] == t) continue;
    if (estimated_ != t - 1) {
      estimator_.finish();
      estimator_.push(std::as_const(frames_[slot(t - 1)]).view(), flow_);
    }
    estimator_.push(std::as_const(frames_[slot(t)]).view(), flow_);
    estimated_ = known_[slot(t)] = t;
    keep(t);
  }
}

void FlowKeeper::keep(std::int64_t time) {
  for (std::size_t level = 0; level < u_.size(); ++level) {
    const ImageView<float> u = u_[level].at(time), v = v_[level].at(time);
    for (int y = 0; y < u.height; ++y) {
      const float* from_u = flow_.u.row(y << level);
      const float* from_v = flow_.v.row(y << level);
      for (int x = 0; x < u.width; ++x) {
        u.row(y)[x] = from_u[x << level];
        v.row(y)[x] = from_v[x << level];
      }
    }
  }
}

}  // namespace fovea::actions::cpu
