// Where a channel's response may exceed the threshold. The matrix of second moments is positive
// semidefinite, so that its determinant is at most xx yy tt, and with s = xx + yy the response det
// - k trace^3 is at most s^2 tt / 4 - k s^3, which no s makes greater than tt^3 / (432 k^2). Where
// tt cannot reach the root of threshold * 432 k^2, there is no point, however strong the texture.
// tt in turn is a weighted mean of squared derivatives in time, so that the greatest ones of each
// cell limit it. Cells are small beside the kernels of that mean, and tiles of cells are what is
// computed or left out.
#pragma once
#include <span>
#include <vector>

#include "actions/points/points_plan.h"
#include "actions/points/points_tiles_cpu.h"

namespace fovea::actions::cpu {

// Returns the least tt of a point, with a margin far above the rounding of all sums; 0 if there is
// no such limit.
float least_change(float k, float threshold);

class Activity {
 public:
  Activity() = default;
  // Without `skip`, all tiles are active.
  Activity(const Channel& channel, Extent size, float least, bool skip);

  // The greatest squared derivatives of a row of cells at a time.
  float* change(std::int64_t time, int row);
  // Finds the active tiles of the response at a time, for which the changes of all frames under the
  // kernel are known; returns whether there are any.
  bool find(std::int64_t time);
  // The active tiles of the last three times.
  const TileMask& active(std::int64_t time) const;
  // The tiles of the plane where the response of a time lies that are no longer active.
  const TileMask& stale() const { return stale_; }

 private:
  // Two limits of what a kernel makes of the cells: the sum of their shares, and the greatest.
  struct Limits {
    std::vector<float> mean, most;
  };
  void limit_over_time(std::int64_t time);
  void limit_across();
  bool limit_down(TileMask& active);

  std::vector<float> taps_;
  std::vector<float> shares_;  // greatest of the kernel in a cell beside that of its center
  float least_ = 0;
  bool skip_ = true;
  int columns_ = 0, rows_ = 0, stride_ = 0;  // of cells
  std::vector<std::vector<float>> changes_;
  std::vector<float> over_time_;
  Limits across_;
  std::vector<TileMask> active_;
  TileMask stale_;
};

}  // namespace fovea::actions::cpu
