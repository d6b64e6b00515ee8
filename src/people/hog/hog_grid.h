// The block descriptors of every window of one padded level, which windows share. Scanning and
// training both use them.
#pragma once
#include <fovea/people/model.h>

#include <memory>
#include <span>
#include <vector>

namespace fovea::people {
class StepClock;
}

namespace fovea::people::cpu {

class HogGrid {
 public:
  // For a linear kind. Throws InvalidArgument where the geometry is impossible.
  HogGrid(Kind kind, const HogOptions& hog);
  ~HogGrid();

  // Computes the blocks of a level (1, 3 or 4 channels) for windows that are `plan.stride` apart
  // and begin at `plan.origin`, as many as the plan has for a level of this size. It keeps its
  // memory from level to level. A descriptor without color converts the level to gray; scanners
  // convert the image before it is resized, which is cheaper. With a clock, which gets the times of
  // the steps, `exec` must have a single thread.
  void build(ImageView<const std::uint8_t> level, const ScanPlan& plan, const Exec& exec,
             StepClock* clock = nullptr);

  int columns() const;  // columns of windows
  int rows() const;
  int window_blocks() const;  // blocks per window
  // The numbers of one window, in the order of LinearModel::weights.
  void descriptor(int column, int row, std::span<float> out) const;
  // The score of every window, columns() x rows(). Beginning with the bias, every product is added
  // with one rounding, in the order of the rows of blocks, the blocks of a row, and the numbers of
  // a block.
  void scores(const LinearModel& model, ImageView<float> out, const Exec& exec) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::people::cpu
