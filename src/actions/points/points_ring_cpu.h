// The planes of the last frames, one per slot.
#pragma once
#include <fovea/core/image.h>

#include <cstring>

#include "actions/points/points_math.h"
#include "actions/points/points_plan.h"

namespace fovea::actions::cpu {

class PlaneRing {
 public:
  PlaneRing() = default;
  // There is one plane more than slots, because vectors may be read beyond the last row.
  PlaneRing(Extent size, int length)
      : planes_(size.width, size.height, length + 1), length_(length) {
    std::memset(planes_.view().data, 0,
                sizeof(float) * static_cast<std::size_t>(planes_.stride()) *
                    static_cast<std::size_t>(size.height) * static_cast<std::size_t>(length + 1));
  }
  ImageView<float> at(std::int64_t time) { return planes_.plane(ring_slot(time, length_)); }
  void repeat(std::int64_t time) { copy(ImageView<const float>(at(time - 1)), at(time)); }

 private:
  Stack<float> planes_;
  int length_ = 1;
};

}  // namespace fovea::actions::cpu
