#include "view/stream/frames.h"

#include <fovea/core/error.h>

namespace fovea::view {
namespace {

// A file whose decoding is slower than its pace is shown at least this often.
constexpr std::chrono::milliseconds kLongestGap{400};

std::chrono::steady_clock::duration clock_time(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

}  // namespace

Pace::Clock::time_point Pace::due(double seconds) {
  if (!start_) start_ = Clock::now() - clock_time(seconds);
  return *start_ + clock_time(seconds);
}

void wait_until(Pace::Clock::time_point time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, stop, time, [] { return false; });
  if (stop.stop_requested()) throw Cancelled("the stream was stopped");
}

FilmSource::FilmSource(const std::string& path, int first)
    : reader_(path, {.orientation = io::Orientation::kApply}), first_(first) {
  const io::Rational& rate = reader_.info().rate;
  period_ = clock_time(rate.numerator > 0 ? 1 / rate.value() : 0.04);
  look_ahead();
}

// A frame is late when the one after it is due as well.
bool FilmSource::is_late(Pace::Clock::time_point due) const {
  return Pace::Clock::now() >= due + period_;
}

void FilmSource::look_ahead() {
  try {
    has_ahead_ = reader_.fetch(ahead_);
  } catch (...) {
    fault_ = std::current_exception();  // the frames before the fault are good
  }
}

bool FilmSource::fetch() {
  if (fault_) std::rethrow_exception(fault_);
  if (!has_ahead_) return false;
  std::swap(stored_, ahead_);
  look_ahead();
  return true;
}

std::optional<StreamFrame> FilmSource::take(const std::stop_token& stop) {
  const auto began = Pace::Clock::now();
  while (fetch()) {
    if (stop.stop_requested()) throw Cancelled("the stream was stopped");
    if (stored_.frame() < first_) continue;
    auto due = pace_.due(stored_.seconds());
    if (is_late(due)) {
      // The last frame stays on the page, and is not passed over.
      if (has_ahead_ && !keeps_all_ && Pace::Clock::now() - began < kLongestGap) {
        ++dropped_;
        continue;
      }
      pace_.reset();
      due = pace_.due(stored_.seconds());
    }
    wait_until(due, stop);
    io::Frame frame;
    stored_.decode(frame);
    return StreamFrame{std::make_shared<Picture>(std::move(frame.image)), frame.frame,
                       frame.seconds, due, !has_ahead_};
  }
  return {};
}

SourceTurn::Mine::Mine(SourceTurn& turn, double most_seconds, const std::stop_token& stop)
    : turn_(turn) {
  std::unique_lock lock(turn_.mutex_);
  turn_.changed_.wait_until(lock, stop, Pace::Clock::now() + clock_time(most_seconds),
                            [&] { return turn_.taken_ == 0; });
  if (stop.stop_requested()) throw Cancelled("the stream was stopped");
  ++turn_.taken_;
}

SourceTurn::Mine::~Mine() {
  const std::lock_guard lock(turn_.mutex_);
  --turn_.taken_;
  turn_.changed_.notify_all();
}

Feed::Feed(std::string source, double timeout_seconds, std::shared_ptr<SourceTurn> turn)
    : source_(std::move(source)), timeout_seconds_(timeout_seconds), turn_(std::move(turn)) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::exception_ptr error;
    try {
      read(stop);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    error_ = error;
    ended_ = true;
    changed_.notify_all();
  });
}

Feed::~Feed() = default;

bool Feed::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Feed::read(const std::stop_token& stop) {
  const SourceTurn::Mine mine(*turn_, timeout_seconds_, stop);  // until the reader has closed it
  io::VideoReader reader(source_, {.timeout_seconds = timeout_seconds_, .stop = stop});
  Pace pace;
  for (io::Frame frame; reader.next(frame); frame = {}) {
    // A recording that a web server sends comes faster than it was recorded.
    if (!reader.info().live) wait_until(pace.due(frame.seconds), stop);
    StreamFrame next{std::make_shared<Picture>(std::move(frame.image)), frame.frame, frame.seconds,
                     Pace::Clock::now()};
    const std::lock_guard lock(mutex_);
    newest_ = std::move(next);
    changed_.notify_all();
  }
}

std::optional<StreamFrame> Feed::next(std::int64_t after, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [&] { return newest_.number > after || ended_; }))
    throw Cancelled("the stream was stopped");
  if (newest_.number > after) return newest_;
  if (error_) std::rethrow_exception(error_);
  return {};
}

std::optional<StreamFrame> FeedSource::take(const std::stop_token& stop) {
  std::optional<StreamFrame> frame = feed_->next(last_, stop);
  if (!frame) return {};
  if (counts_) dropped_ += frame->number - last_ - 1;
  counts_ = true;
  last_ = frame->number;
  return frame;
}

}  // namespace fovea::view
