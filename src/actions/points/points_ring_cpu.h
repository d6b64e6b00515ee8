// The planes of the last frames, one per slot. A row of all slots lies together, because most sums
// run over time: planes far apart would need a page of memory and a stream of the prefetcher each.
#pragma once
#include <fovea/core/image.h>

#include <cstring>

#include "actions/points/points_math.h"
#include "actions/points/points_plan.h"

namespace fovea::actions::cpu {

class PlaneRing {
 public:
  PlaneRing() = default;
  // Rows have `margin` elements on either side. There is one row more than the slots have, because
  // vectors may be read beyond the last one.
  PlaneRing(Extent size, int length, int margin = 0)
      : rows_(size.width + 2 * margin, size.height * length + 1),
        length_(length),
        margin_(margin),
        size_(size) {
    std::memset(rows_.row(0), 0,
                sizeof(float) * static_cast<std::size_t>(rows_.stride() * (rows_.view().height)));
  }
  ImageView<float> at(std::int64_t time) {
    return {rows_.row(ring_slot(time, length_)) + margin_,
            size_.width,
            size_.height,
            1,
            rows_.stride() * length_,
            Memory::kHost};
  }
  void repeat(std::int64_t time) { copy(ImageView<const float>(at(time - 1)), at(time)); }

 private:
  Image<float> rows_;
  int length_ = 1;
  int margin_ = 0;
  Extent size_;
};

}  // namespace fovea::actions::cpu
