// Frames that come one after the other: of a video file at its own pace, or of a camera or network
// stream. Frames for which nobody had time are passed over, so that none comes late; where all
// are needed, a video plays slower instead.
#pragma once
#include <fovea/io/video.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "view/picture.h"

namespace fovea::view {

struct StreamFrame {
  std::shared_ptr<const Picture> picture{};
  std::int64_t number = 0;                        // in the source, from 0
  double seconds = 0;                             // in the source's own time
  std::chrono::steady_clock::time_point taken{};  // when it came, or, of a file, was due
  bool last = false;                              // of a file, after which nothing comes
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Waits for the next frame; nothing at the end. Throws what readers throw, and Cancelled.
  virtual std::optional<StreamFrame> take(const std::stop_token& stop) = 0;
  // Time has stood still, for a pause or between steps: it goes on with the next frame, and what
  // has passed meanwhile was not dropped.
  virtual void resume() = 0;
  // Whether frames wait for slow work instead of being passed over, where the source can wait.
  virtual void keep_all(bool) {}
  // How many frames were passed over since the first.
  virtual std::int64_t dropped() const = 0;
};

// Keeps frames to the pace at which they were recorded.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  // When a frame with this time is due. The first one is due now.
  Clock::time_point due(double seconds);
  void reset() { start_.reset(); }

 private:
  std::optional<Clock::time_point> start_{};  // when time 0 of the source was
};
// Returns early where a stop is requested, by throwing Cancelled.
void wait_until(Pace::Clock::time_point time, const std::stop_token& stop);

// A video file, from a frame on.
class FilmSource final : public FrameSource {
 public:
  FilmSource(const std::string& path, int first);
  std::optional<StreamFrame> take(const std::stop_token& stop) override;
  void resume() override { pace_.reset(); }
  void keep_all(bool keep) override { keeps_all_ = keep; }
  std::int64_t dropped() const override { return dropped_; }

 private:
  bool is_late(Pace::Clock::time_point due) const;
  bool fetch();
  void look_ahead();

  io::VideoReader reader_;
  int first_;
  Pace::Clock::duration period_;
  Pace pace_{};
  bool keeps_all_ = false;
  std::int64_t dropped_ = 0;
  // The frame after the stored one is fetched early, so that the last one is known as such.
  io::StoredFrame stored_{}, ahead_{};
  bool has_ahead_ = true;
  std::exception_ptr fault_{};  // of what is ahead
};

// Whose turn it is to have a source open. A camera can be opened once: who comes while another is
// still closing it waits.
class SourceTurn {
 public:
  // Ends with its scope.
  class Mine {
   public:
    // Waits until nobody has the source, and no longer than that: what opening it says then is
    // better than waiting on. Throws Cancelled.
    Mine(SourceTurn& turn, double most_seconds, const std::stop_token& stop);
    ~Mine();
    Mine(const Mine&) = delete;
    Mine& operator=(const Mine&) = delete;

   private:
    SourceTurn& turn_;
  };

 private:
  std::mutex mutex_{};
  std::condition_variable_any changed_{};
  int taken_ = 0;
};

// The newest frame of a camera or network stream, for all who watch it. It is opened by a thread of
// its own, and closed when the last one who watches has gone.
class Feed {
 public:
  // All feeds of a source share its turn.
  Feed(std::string source, double timeout_seconds, std::shared_ptr<SourceTurn> turn);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // Waits for a frame with a greater number; nothing at the end. Throws the error that ended it,
  // and Cancelled.
  std::optional<StreamFrame> next(std::int64_t after, const std::stop_token& stop);
  // Whether there will be no further frame: whoever wants to watch must open it again.
  bool ended() const;

 private:
  void read(const std::stop_token& stop);

  std::string source_;
  double timeout_seconds_;
  std::shared_ptr<SourceTurn> turn_;
  mutable std::mutex mutex_{};
  std::condition_variable_any changed_{};
  StreamFrame newest_{.number = -1};
  bool ended_ = false;
  std::exception_ptr error_{};
  std::jthread thread_{};  // goes first: it uses the others
};

class FeedSource final : public FrameSource {
 public:
  explicit FeedSource(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  std::optional<StreamFrame> take(const std::stop_token& stop) override;
  void resume() override { counts_ = false; }
  std::int64_t dropped() const override { return dropped_; }

 private:
  std::shared_ptr<Feed> feed_;
  std::int64_t last_ = -1;
  bool counts_ = false;  // what was passed over before the next frame
  std::int64_t dropped_ = 0;
};

}  // namespace fovea::view
