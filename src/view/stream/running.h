// A system at work on the frames of a stream.
#pragma once
#include <vector>

#include "view/stream/frames.h"
#include "view/system.h"

namespace fovea::view {

class Running {
 public:
  virtual ~Running() = default;
  // Takes the frame that the page shows when this begins, on which a box may have been drawn.
  virtual void begin(const StreamFrame&) {}
  // Works on the next frame, quickly: what it finds is gone when the next frame comes.
  virtual Result next(const StreamFrame& frame) = 0;
  // The same for a frame that stays on the page, with all layers and with reasons.
  virtual Result stay(const StreamFrame& frame) = 0;
  // Whether frames that are passed over spoil what it finds: a video then plays slower instead.
  virtual bool needs_all() const { return false; }
  // What becomes certain when no further frame comes.
  virtual std::vector<SeenEvent> finish() { return {}; }
};

// What a system's run finds in these frames.
Result run_on(SystemView& view, Run run, std::vector<StreamFrame> frames, const Exec& exec);

}  // namespace fovea::view
