// One pair of scales on the CPU. L is computed everywhere; its gradients, their moments and the
// response only in tiles where a point may be, and gradients also where a descriptor needs them.
// Products of derivatives are computed again for every frame that sums them: a ring of products
// would be twice as large as one of derivatives, and reading it takes longer than multiplying.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "actions/points/points_activity_cpu.h"
#include "actions/points/points_math.h"
#include "actions/points/points_ring_cpu.h"
#include "actions/points/points_strip_cpu.h"

namespace fovea::actions::cpu {

class ChannelWork {
 public:
  ChannelWork(const PointPlan& plan, const Channel& channel, Extent size);

  bool detects() const { return !channel_.sum_time.empty(); }
  int bands() const { return bands_; }
  int tile_columns() const { return columns_; }
  // Before the start of the video, only the response of the last frame is needed, as a neighbor.
  bool responds(std::int64_t time) const {
    return detects() && time - channel_.response_lag() >= -1;
  }

  // The steps that follow the smoothed frame of `time`, each for one band or strip of rows. A step
  // needs all bands of the one before.
  void blur(PlaneRing& smooth, std::int64_t time, int band);
  void find_active(std::int64_t time);
  void prepare(std::int64_t time, int band);
  void respond(std::int64_t time, const Strip& strip, StripSpace& space);

  PlaneRing& response() { return response_; }
  const TileMask& active(std::int64_t at) const { return activity_.active(at); }

  // Computes the gradients of a band at one time in the tiles for which wanted[column] is set,
  // unless they are there already.
  void fill_gradients(std::int64_t at, int band, const std::uint8_t* wanted);
  PlaneRing& dx() { return dx_; }
  PlaneRing& dy() { return dy_; }

 private:
  int first_row(int band) const { return band * kTileRows; }
  int end_row(int band) const { return std::min((band + 1) * kTileRows, size_.height); }
  int sum_reach() const { return static_cast<int>(channel_.sum_space.size() / 2); }
  LevelRows level_rows(std::int64_t at, int y);
  void clear_stale(std::int64_t center, const Strip& strip);
  void moments_of_row(std::int64_t center, int y, StripSpace& space);
  void moments_over_time(std::int64_t center, int y, ColumnSpan span, StripSpace& space);
  void respond_in(ColumnSpan span, int y, StripSpace& space, ImageView<float> out);

  Channel channel_;
  Extent size_;
  float k_ = 0;
  int bands_ = 0, columns_ = 0;
  PlaneRing blurred_;  // L
  PlaneRing dx_, dy_;  // its gradient
  int gradient_slots_ = 1;
  std::vector<std::int64_t> filled_;  // the time of each tile of each slot of gradients
  PlaneRing response_;
  Activity activity_;
  bool any_ = false;  // whether there are active tiles
};

}  // namespace fovea::actions::cpu
