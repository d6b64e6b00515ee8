// The steps of an operation along a video, a folder or a list of images.
#pragma once
#include <fovea/io/frames.h>
#include <fovea/io/video.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/jobs/frame_units.h"
#include "cli/operations/job.h"

namespace fovea::cli {

class StepReader {
 public:
  struct ImageFiles;

  // Opens what the inputs name.
  explicit StepReader(const Job& job);
  // Of its frames, those of a pass.
  StepReader(const Job& job, const FrameRange& range);

  const io::VideoReader& reader() const { return reader_; }
  // The source as it is cut into units.
  FrameSource source();

  io::FrameWorkers plan() const;
  io::FrameRunOptions options(const io::FrameWorkers& plan) const;
  // An estimate of the memory that a step takes.
  std::uint64_t step_bytes() const;
  bool read(operations::Step& step);

 private:
  StepReader(const Job& job, const io::VideoReadOptions& options);
  // The files of a sequence of images; none where the reader reads a video.
  std::vector<std::string> files() const;

  const Job& job_;
  io::VideoReader reader_;
  std::shared_ptr<const ImageFiles> images_{};  // where the operation decodes them
  std::shared_ptr<operations::Frame> last_{};   // the frame that was read last
};

}  // namespace fovea::cli
