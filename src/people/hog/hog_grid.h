// The block descriptors of every window of one padded level, which windows share. What scanning and
// training have in common.
#pragma once
#include <fovea/people/model.h>

#include <memory>
#include <span>
#include <vector>

namespace fovea::people::cpu {

class HogGrid {
 public:
  // A linear kind. Throws InvalidArgument where the geometry is impossible.
  HogGrid(Kind kind, const HogOptions& hog);
  ~HogGrid();

  // Computes the blocks of a level (1, 3 or 4 channels) for windows `plan.stride` apart from
  // `plan.origin` on, as many as the plan has for a level of this size. Keeps its memory from level
  // to level. A descriptor without color makes the level gray; to make the image gray before it is
  // resized is cheaper, and what scanners do.
  void build(ImageView<const std::uint8_t> level, const ScanPlan& plan, const Exec& exec);

  int columns() const;  // of windows
  int rows() const;
  int window_blocks() const;  // of one window
  // The numbers of one window, in the order of LinearModel::weights.
  void descriptor(int column, int row, std::span<float> out) const;
  // The score of every window, columns() x rows(): from the bias on, every product is added with
  // one rounding, in the order of the rows of blocks, the blocks of a row, and a block's numbers.
  void scores(const LinearModel& model, ImageView<float> out, const Exec& exec) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::people::cpu
