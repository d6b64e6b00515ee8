#pragma once
#include <fovea/actions/points.h>

#include <cstddef>
#include <cstdint>

namespace fovea::actions {

// Which points of a set are wanted.
struct SelectOptions {
  int most_per_frame = 0;       // the most confident ones of each frame; 0: all
  double least_confidence = 0;  // points that are less confident are left out
  bool descriptors = true;      // whether descriptors are kept
};
FOVEA_API void describe(OptionVisitor& visit, SelectOptions& options);

// Sorts points as a detector returns them, those of a frame by confidence (equal ones by y, then
// x), and returns those that are wanted. Points that all have one confidence, as files of other
// programs have, stay in their order.
FOVEA_API PointSet select_points(const PointSet& set, const SelectOptions& options = {});

// Writes one row per point, with a header: frame, place, extent, confidence and descriptor.
FOVEA_API void write_points_csv(const io::Sink& sink, const PointSet& set);

// Hands out the points of one frame after the other, as Recognizer::push() takes them.
class FOVEA_API PointFrames {
 public:
  // The set must outlive the object. Frames are numbered from `first`.
  explicit PointFrames(const PointSet& set, std::int64_t first = 0) : set_(set), first_(first) {}
  FramePoints next();

 private:
  const PointSet& set_;
  std::int64_t first_;
  std::size_t at_ = 0;
  std::int64_t frame_ = 0;
};

}  // namespace fovea::actions
