// Points on a GPU, block by block, with descriptors that stay there.
#pragma once
#include <fovea/actions/points.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace fovea::actions {

// Descriptors on the device, kDescriptorSize numbers per row. They are complete when the stream has
// done what it has got so far.
struct DescriptorRows {
  const float* rows = nullptr;
  void* stream = nullptr;
};

// Like a PointStream on a GPU, but hands out all frames of a block at once.
class PointBlocks {
 public:
  // Describes points of the block, by their numbers in it, frame after frame. The rows are valid
  // until the next call.
  using Describe = std::function<DescriptorRows(std::span<const int>)>;
  // Takes frames whose points are known, without descriptors.
  using Take = std::function<void(std::vector<FramePoints>, const Describe&)>;

  // Throws InvalidArgument where the device is not a GPU.
  PointBlocks(const PointOptions& options, Take take);
  ~PointBlocks();

  void push(ImageView<const std::uint8_t> frame);
  void finish();
  int latency() const;  // as that of a PointStream
  // Bytes other than frames that were copied to the device, for tests.
  std::int64_t copied_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::actions
