// Strips of bands, and the memory in which one of them is computed from top to bottom: sums along
// rows are kept only while a sum down columns needs them, so that they stay in the cache.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "actions/points/points_math.h"
#include "actions/points/points_tiles_cpu.h"
#include "actions/points/points_wide_row_cpu.h"

namespace fovea::actions::cpu {

// Bands [first, last).
struct Strip {
  int first, last;
};

class StripSpace {
 public:
  // Makes room for rows of a width and kernels of a radius.
  void reset(int width, int radius) {
    if (width != width_ || radius != radius_) {
      width_ = width;
      radius_ = radius;
      slots_ = 2 * radius + kColumnRows;
      stride_ = static_cast<std::size_t>(padded(width));
      over_time.assign(kMoments, WideRow(width, radius));
      along_.assign(kMoments * static_cast<std::size_t>(slots_) * stride_, 0.0F);
      down_.assign(kMoments * kColumnRows * stride_, 0.0F);
    }
  }
  // The sums along row y. Of each moment there are as many rows as kColumnRows sums down columns
  // need.
  float* along(int moment, int y) {
    return along_.data() + static_cast<std::size_t>(moment * slots_ + y % slots_) * stride_;
  }
  // Row k of the sums down columns.
  float* down(int moment, int k) {
    return down_.data() + static_cast<std::size_t>(moment * kColumnRows + k) * stride_;
  }

  std::vector<WideRow> over_time;  // the sums over time of a row
  std::vector<std::uint8_t> wanted;
  std::vector<GradientRows> gradients;
  std::vector<const float*> rows;

 private:
  int width_ = 0, radius_ = -1, slots_ = 0;
  std::size_t stride_ = 0;
  std::vector<float> along_, down_;
};

// Lends spaces to as many threads as ask at a time.
class StripSpaces {
 public:
  template <class Body>
  void lend(const Body& body) {
    std::unique_ptr<StripSpace> space = take();
    body(*space);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(space));
  }

 private:
  std::unique_ptr<StripSpace> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<StripSpace>();
    std::unique_ptr<StripSpace> space = std::move(free_.back());
    free_.pop_back();
    return space;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<StripSpace>> free_;
};

}  // namespace fovea::actions::cpu
