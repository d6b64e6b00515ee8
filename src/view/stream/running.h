// A system at work on the frames of a stream.
#pragma once
#include <vector>

#include "view/result.h"
#include "view/stream/frames.h"

namespace fovea::view {

class Running {
 public:
  virtual ~Running() = default;
  // Takes the frame that the page shows when this begins, on which a box may have been drawn.
  virtual void begin(const StreamFrame&) {}
  // Works on the next frame, quickly: what it finds is gone when the next frame comes.
  Result next(const StreamFrame& frame) {
    Result result{.size = {frame.picture->width(), frame.picture->height()}};
    Stopwatch watch(result.timings);
    work(frame, result, watch);
    return result;
  }
  // The same for a frame that stays on the page, with all layers and with reasons.
  virtual Result stay(const StreamFrame& frame) = 0;
  // Whether frames that are passed over spoil what it finds: a video then plays slower instead.
  virtual bool needs_all() const { return false; }
  // What becomes certain when no further frame comes.
  virtual std::vector<RecognizedEvent> finish() { return {}; }

 private:
  virtual void work(const StreamFrame& frame, Result& result, Stopwatch& watch) = 0;
};

}  // namespace fovea::view
