// What the parts of fovea.actions share: frames of one video, points as columns, devices.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/actions/points.h>
#include <fovea/core/stream.h>

#include <nanobind/nanobind.h>

#include <cstdint>

#include "arrays.h"
#include "run.h"

namespace fovea::python {

// What finding points takes for a pixel of a frame.
inline constexpr double kOperationsPerPixel = 1000;
inline constexpr Work kLongWork{1e12};

inline Work frame_work(ImageView<const std::uint8_t> frame) {
  return {kOperationsPerPixel * frame.width * frame.height};
}

// Frames of one video, all of which have the size of the first. A frame of another size is refused
// before it can disturb what the frames before it have left.
class FrameSizes {
 public:
  explicit FrameSizes(Device device) : stream_(device) {}

  // A frame that lies on a GPU is complete when this returns.
  ImageInput take(nb::handle frame);
  void end() { size_ = {}; }
  Extent size() const { return size_; }

 private:
  Stream stream_;
  Extent size_;
};

// Points as one array per column, and back. The columns are checked.
nb::dict columns_of(actions::PointSet&& set);
actions::PointSet set_of(const nb::dict& columns);

// Throws InvalidArgument where points have no descriptors, or were made in another way.
void require_comparable(const actions::PointSet& points, const actions::PointOptions& expected);

// A copy of an image in RGB, to draw on.
Image<std::uint8_t> rgb_copy(nb::handle image);

}  // namespace fovea::python
