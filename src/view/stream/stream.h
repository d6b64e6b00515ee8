// One stream: takes frames, lets a system work on them and sends both to the page, until the page
// closes its WebSocket. The page says what it wants by messages:
//
//   {"system": ..., "options": ...}   what works on the frames, as POST /run has it; may be changed
//   shown                             the last frame is on the screen: the next one may come
//   pause, play, step                 a frame that comes while paused stays: it can be explained
//
// No frame is taken before the last one is shown, so that a slow page or system loses frames and
// does not see them late, or, where it needs all frames of a video, sees that play slower.
#pragma once
#include <fovea/core/exec.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "view/http.h"
#include "view/jobs.h"
#include "view/stream/message.h"
#include "view/system.h"

namespace fovea::view {

// What all streams use.
struct StreamTools {
  const Systems& systems;
  const Inputs& inputs;
  Jobs& jobs;  // keeps the results of frames that stay
  Exec exec{};
  std::shared_ptr<const Truth> truth{};  // null where none is given
};

class Stream {
 public:
  // `open` may wait and throw as readers do.
  Stream(const StreamTools& tools, std::shared_ptr<Input> input,
         std::function<std::unique_ptr<FrameSource>()> open, Send send);

  // A message of the page, from any thread.
  void hear(std::string_view text);
  // Runs until the source ends or a stop is requested. Never throws.
  void work(const std::stop_token& stop);
  bool done() const { return done_; }

 private:
  // What to do next.
  struct Wish {
    std::optional<std::string> run{};  // a new one begins
    bool stays = false;                // the frame stays on the page
    bool again = false;                // it is the frame that is shown already
  };
  void play(const std::stop_token& stop);
  Wish wait_for_wish(const std::stop_token& stop);
  void begin(const std::string& text, const Wish& wish);
  Result found_in(const StreamFrame& frame, bool stays);
  void show(const StreamFrame& frame, const Wish& wish);
  void refuse(const std::exception& error);

  StreamTools tools_;
  std::shared_ptr<Input> input_;
  std::function<std::unique_ptr<FrameSource>()> open_;
  Send send_;
  std::atomic<bool> done_ = false;

  // Used by the stream's own thread alone.
  std::unique_ptr<FrameSource> source_{};
  std::unique_ptr<Running> running_{};  // null: frames are only shown
  std::string system_{};                // its name
  std::string client_{};                // the page that asks
  std::optional<StreamFrame> last_{}, before_last_{};

  std::mutex mutex_{};
  std::condition_variable_any changed_{};
  std::optional<std::string> asked_{};  // a run that has not begun
  bool begun_ = false;
  bool playing_ = true;
  int steps_ = 0;        // frames to take while paused
  bool unseen_ = false;  // a frame is under way to the screen
  std::optional<std::chrono::steady_clock::time_point> taken_{};  // when that frame was
  std::optional<double> latency_{};
};

}  // namespace fovea::view
