// Cameras and streams, read by a thread of their own, so that frames are taken off the source at
// its own pace and a wait for them ends at once when it is told to.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "io/video/video_source.h"

namespace fovea::io {

class LiveSource final : public VideoSource {
 public:
  // Opens a source that stops by the token in the options that it is given.
  using Open = std::unique_ptr<VideoSource> (*)(const std::string& source,
                                                const VideoReadOptions& options);
  LiveSource(const std::string& source, const VideoReadOptions& options, Open open);
  ~LiveSource() override;

  const VideoInfo& info() const override { return source_->info(); }
  // Waits for a frame. Throws what the source threw once all frames before were given, and
  // Cancelled.
  bool advance() override;
  void store(std::unique_ptr<StoredPicture>& picture) override;
  std::int64_t passed_over() const override { return current_.passed; }
  bool drops_frames() const override { return newest_; }
  std::uint64_t stored_bytes() const override;
  std::vector<std::string> notes() const override { return source_->notes(); }

 private:
  struct Waiting {
    std::unique_ptr<StoredPicture> picture;
    std::int64_t passed = 0;  // frames between the one before and this one
  };

  void read_all();
  void keep(Waiting frame);
  std::unique_ptr<StoredPicture> spare();

  std::stop_source ended_;  // by the caller's token, or because this object is going
  std::stop_callback<std::function<void()>> caller_stops_;
  std::unique_ptr<VideoSource> source_;
  bool newest_ = false;
  std::string name_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Waiting> waiting_{};
  std::vector<std::unique_ptr<StoredPicture>> spares_{};
  Waiting current_{};
  bool over_ = false;
  std::exception_ptr fault_{};
  std::jthread reader_{};  // ends before everything that it uses
};

}  // namespace fovea::io
