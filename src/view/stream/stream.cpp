#include "view/stream/stream.h"

#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/words.h"
#include "view/run_body.h"

namespace fovea::view {
namespace {

constexpr int kMostSteps = 4;  // that wait, where a key is held down

Result plain_result(const StreamFrame& frame) {
  return {.image = frame.picture, .size = {frame.picture->width(), frame.picture->height()}};
}

}  // namespace

Stream::Stream(const StreamTools& tools, std::shared_ptr<Input> input,
               std::function<std::unique_ptr<FrameSource>()> open, Send send)
    : tools_(tools), input_(std::move(input)), open_(std::move(open)), send_(std::move(send)) {}

void Stream::hear(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (text.starts_with('{')) asked_ = text;
  if (text == "shown") {
    unseen_ = false;
    if (taken_)
      latency_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - *taken_).count();
    taken_.reset();
  }
  if (text == "play") playing_ = true;
  if (text == "pause" && playing_) {
    playing_ = false;
    steps_ = 1;  // the frame that stays
  }
  if (text == "step" && !playing_) steps_ = std::min(steps_ + 1, kMostSteps);
  changed_.notify_all();
}

void Stream::work(const std::stop_token& stop) {
  tools_.exec.stop = stop;
  try {
    play(stop);
    send_(end_message(running_ ? running_->finish() : std::vector<RecognizedEvent>{}), true);
  } catch (const Cancelled&) {  // nobody listens any more
  } catch (const std::exception& error) {
    send_(state_message("failed", fault_text(error)), true);
  }
  running_.reset();
  source_.reset();
  done_ = true;
}

void Stream::play(const std::stop_token& stop) {
  send_(state_message("opening"), false);
  source_ = open_();
  for (bool stood_still = false;;) {
    Wish wish = wait_for_wish(stop);
    if (wish.run) begin(*wish.run, wish);
    if (wish.stays || stood_still) source_->resume();
    stood_still = wish.stays;
    const std::optional<StreamFrame> frame = wish.again ? last_ : source_->take(stop);
    if (!frame) return;
    wish.stays = wish.stays || frame->last;  // the end of a film is a pause
    show(*frame, wish);
    if (wish.again) continue;
    before_last_ = std::exchange(last_, frame);
  }
}

Stream::Wish Stream::wait_for_wish(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !unseen_ && (asked_ || (begun_ && (playing_ || steps_ > 0))); };
  if (!changed_.wait(lock, stop, ready)) throw Cancelled("the stream was stopped");
  begun_ = true;
  Wish wish{.run = std::exchange(asked_, std::nullopt), .stays = !playing_};
  if (playing_) return wish;
  wish.again = steps_ == 0 && last_;
  steps_ = std::max(0, steps_ - 1);
  return wish;
}

// A box was drawn on the frame that is shown. Motion into a frame that is shown again comes from
// the frame before it.
void Stream::begin(const std::string& text, const Wish& wish) {
  running_.reset();
  source_->keep_all(false);
  try {
    RunBody body = parse_run_body(text, tools_.inputs);
    if (body.system.empty()) return;
    SystemView* system = find_system(tools_.systems, body.system);
    if (system == nullptr || !system->facts().streams)
      throw InvalidArgument(
          fmt::format("'{}' does not work on streams", detail::shown(body.system)));
    if (system->facts().needs_box && !body.run.box) return;
    body.run.inputs = {input_};
    body.run.truth = tools_.truth;
    running_ = system->begin(body.run, tools_.exec);
    system_ = body.system;
    client_ = body.client;
    source_->keep_all(running_->needs_all());
    const std::optional<StreamFrame>& first =
        wish.again && !system->facts().needs_box ? before_last_ : last_;
    if (first) running_->begin(*first);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    refuse(error);
  }
}

// What is wrong with a run does not end the stream: its frames are still shown.
void Stream::refuse(const std::exception& error) {
  running_.reset();
  source_->keep_all(false);
  send_(state_message("refused", fault_text(error)), false);
}

Result Stream::found_in(const StreamFrame& frame, bool stays) {
  if (!running_) return plain_result(frame);
  try {
    return stays ? running_->stay(frame) : running_->next(frame);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    refuse(error);
    return plain_result(frame);
  }
}

void Stream::show(const StreamFrame& frame, const Wish& wish) {
  auto result = std::make_shared<Result>(found_in(frame, wish.stays));
  FrameFacts facts{.dropped = source_->dropped()};
  if (running_) facts.system = system_;
  if (wish.stays && running_ && result->image) facts.kept = tools_.jobs.keep(client_, result);
  {
    const std::lock_guard lock(mutex_);
    facts.latency = latency_;
    unseen_ = true;
    if (!wish.again) taken_ = frame.taken;
  }
  send_(frame_message(frame, *result, facts), false);
}

}  // namespace fovea::view
