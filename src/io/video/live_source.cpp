#include "io/video/live_source.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <utility>

namespace fovea::io {
namespace {

// Frames that wait where none may be dropped. A source that is not emptied waits as well (TCP), or
// loses frames itself (UDP, cameras).
constexpr std::size_t kMostWaiting = 4;

VideoReadOptions stopped_by(VideoReadOptions options, const std::stop_source& stop) {
  options.stop = stop.get_token();
  return options;
}

}  // namespace

LiveSource::LiveSource(const std::string& source, const VideoReadOptions& options, Open open)
    : caller_stops_(options.stop, [this] { ended_.request_stop(); }),
      source_(open(source, stopped_by(options, ended_))),
      newest_(options.live == LiveFrames::kNewest ||
              (options.live == LiveFrames::kAuto && source_->info().live)),
      name_(source_name(source)),
      reader_([this] { read_all(); }) {}

LiveSource::~LiveSource() { ended_.request_stop(); }

bool LiveSource::advance() {
  std::unique_lock lock(mutex_);
  const bool ready =
      changed_.wait(lock, ended_.get_token(), [&] { return !waiting_.empty() || over_; });
  if (!ready || ended_.stop_requested()) throw Cancelled(name_ + ": stopped on request");
  if (waiting_.empty()) {
    if (fault_) std::rethrow_exception(fault_);
    return false;
  }
  if (current_.picture) spares_.push_back(std::move(current_.picture));
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  changed_.notify_all();
  return true;
}

void LiveSource::store(std::unique_ptr<StoredPicture>& picture) {
  std::swap(picture, current_.picture);
}

// The frame that waits and the one that is being decoded are beside the caller's.
std::uint64_t LiveSource::stored_bytes() const { return 3 * source_->stored_bytes(); }

void LiveSource::read_all() {
  std::exception_ptr fault;
  try {
    while (!ended_.stop_requested() && source_->advance()) {
      Waiting frame{spare(), source_->passed_over()};
      source_->store(frame.picture);
      keep(std::move(frame));
    }
  } catch (...) {
    fault = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  over_ = true;
  changed_.notify_all();
}

void LiveSource::keep(Waiting frame) {
  std::unique_lock lock(mutex_);
  if (newest_ && !waiting_.empty()) {
    frame.passed += waiting_.front().passed + 1;
    spares_.push_back(std::move(waiting_.front().picture));
    waiting_.pop_front();
  }
  changed_.wait(lock, ended_.get_token(), [&] { return waiting_.size() < kMostWaiting; });
  waiting_.push_back(std::move(frame));
  changed_.notify_all();
}

std::unique_ptr<StoredPicture> LiveSource::spare() {
  const std::lock_guard lock(mutex_);
  if (spares_.empty()) return nullptr;
  std::unique_ptr<StoredPicture> one = std::move(spares_.back());
  spares_.pop_back();
  return one;
}

}  // namespace fovea::io
