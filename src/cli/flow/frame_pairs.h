// The frame of a pass over a video for verbs that compare each frame with the one before it.
#pragma once
#include <fovea/io/frames.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "cli/flow/shared_frame.h"
#include "cli/jobs/frame_units.h"
#include "cli/program/run.h"

namespace fovea::cli {

class FramePairs {
 public:
  // Opens the video, folder or list of images that the inputs name.
  explicit FramePairs(Context& context);
  // Of its frames, those of a pass.
  FramePairs(Context& context, const FrameRange& range);

  io::VideoReader& reader() { return reader_; }
  const io::VideoReader& reader() const { return reader_; }

  // How many workers there are; `most` limits them, and 0 does not.
  io::FrameWorkers plan(int most) const;
  io::FrameRunOptions options(const io::FrameWorkers& plan) const;
  // An estimate of the memory that a frame takes with what is computed from it.
  std::uint64_t step_bytes(std::uint64_t bytes_per_pixel) const;

  // Reads the next frame, and gives the one before it, which is null for the first.
  struct Pair {
    std::shared_ptr<SharedFrame> before{}, now{};
  };
  bool read(Pair& pair, const AlphaFiles* files = nullptr);

  // Ends progress, says how the video was read, and throws FormatError where a whole video has one
  // frame, so that there are no results; `what` needs two. Returns whether there is something to
  // report.
  bool ended(const io::FrameRun& run, std::int64_t results, std::string_view what);

 private:
  Context& context_;
  io::VideoReader reader_;
  std::shared_ptr<SharedFrame> last_{};  // the frame that was read last
};

}  // namespace fovea::cli
