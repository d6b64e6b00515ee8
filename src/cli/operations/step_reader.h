// The steps of an operation along a video, a folder or a list of images.
#pragma once
#include <fovea/io/frames.h>

#include <memory>

#include "cli/jobs/frame_units.h"
#include "cli/operations/job.h"

namespace fovea::cli {

class StepReader {
 public:
  // Opens what the inputs name.
  explicit StepReader(const Job& job);
  // Of its frames, those of a pass.
  StepReader(const Job& job, const FrameRange& range);

  operations::Frames& frames() const { return *frames_; }
  // The source, a video, as it is cut into units.
  FrameSource source();

  io::FrameWorkers plan() const;
  io::FrameRunOptions options(const io::FrameWorkers& plan) const;
  bool read(operations::Step& step);

 private:
  StepReader(const Job& job, const io::VideoReadOptions& options);

  const Job& job_;
  std::unique_ptr<operations::Frames> frames_;
  std::shared_ptr<operations::Frame> last_{};  // the frame that was read last
};

}  // namespace fovea::cli
