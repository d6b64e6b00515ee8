// The flow that descriptors need. It is estimated for frames that a patch reaches, and only then: a
// video in which nothing happens needs none.
#pragma once
#include <fovea/flow/flow.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "actions/points/points_ring_cpu.h"

namespace fovea::actions::cpu {

class FlowKeeper {
 public:
  // Keeps `length` frames, and their flow on all levels.
  FlowKeeper(const std::vector<Extent>& levels, int length, const Exec& exec);

  void push(ImageView<const std::uint8_t> frame, std::int64_t time);
  // Notes that the flow into the frames [first, last] is needed, as far as there are any.
  void want(std::int64_t first, std::int64_t last);
  // Estimates all flow that is wanted and not there yet.
  void estimate();

  PlaneRing& u(int level) { return u_[static_cast<std::size_t>(level)]; }
  PlaneRing& v(int level) { return v_[static_cast<std::size_t>(level)]; }

 private:
  std::size_t slot(std::int64_t time) const {
    return static_cast<std::size_t>(ring_slot(time, length_));
  }
  void keep(std::int64_t time);

  int length_;
  Exec exec_;
  flow::Estimator estimator_;
  flow::Flow flow_;
  std::vector<Image<std::uint8_t>> frames_;
  std::int64_t newest_, estimated_;  // the last frame, and the last one that the
                                     // estimator has seen
  std::vector<std::int64_t> wanted_,
      known_;                     // the time for which a slot is wanted, or known
  std::vector<PlaneRing> u_, v_;  // one per level
};

}  // namespace fovea::actions::cpu
