#include "run.h"

#include <fovea/core/error.h>

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <string>
#include <thread>

namespace fovea::python {
namespace {

// How long a signal may wait. Ctrl-C is promised to be noticed within 100 ms.
constexpr std::chrono::milliseconds kGlance{40};

struct Report {
  std::string stage;
  double done = 0;
  double total = 0;
};

void look_for_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

struct detail::CallState {
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable news;
  bool ended = false;
  std::optional<Report> report;
  std::exception_ptr fault;

  void note(const Progress& progress) {
    const std::lock_guard lock(mutex);
    report = Report{std::string(progress.stage), progress.done, progress.total};
    news.notify_one();
  }
  void end(std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    fault = std::move(why);
    ended = true;
    news.notify_one();
  }
  // Waits for news and takes the latest report. Returns whether the work has ended.
  bool await(std::optional<Report>& latest) {
    std::unique_lock lock(mutex);
    news.wait_for(lock, kGlance, [&] { return ended || report.has_value(); });
    latest = std::exchange(report, std::nullopt);
    return ended;
  }
};

void detail::run_aside(CallState& state, nb::handle progress, const std::function<void()>& work) {
  state.ended = false;
  state.report.reset();
  state.fault = nullptr;
  std::optional<nb::python_error> refusal;  // from the caller's side: Ctrl-C, or progress threw
  const auto attend = [&](const std::optional<Report>& report) {
    if (refusal) return;
    try {
      look_for_signals();
      if (report && !progress.is_none()) progress(report->stage, report->done, report->total);
    } catch (nb::python_error& error) {
      refusal.emplace(std::move(error));
      state.stop.request_stop();
    }
  };
  {
    nb::gil_scoped_release others_go_on;
    std::thread worker([&] {
      try {
        work();
        state.end(nullptr);
      } catch (...) {
        state.end(std::current_exception());
      }
    });
    std::optional<Report> report;
    for (bool ended = false; !ended;) {
      ended = state.await(report);
      nb::gil_scoped_acquire mine;
      attend(report);
    }
    worker.join();
  }
  if (refusal) throw std::move(*refusal);
  if (state.fault) std::rethrow_exception(state.fault);
}

Calls::Calls() : state_(std::make_unique<detail::CallState>()) {}
Calls::~Calls() = default;

Exec Calls::watched(Exec exec) const {
  exec.stop = state_->stop.get_token();
  exec.progress = [state = state_.get()](const Progress& progress) { state->note(progress); };
  return exec;
}

void Calls::run_one(Work work, nb::handle progress, const std::function<void()>& function) {
  std::unique_lock<std::timed_mutex> turn(turn_, std::try_to_lock);
  while (!turn.owns_lock()) {
    look_for_signals();
    nb::gil_scoped_release others_go_on;
    (void)turn.try_lock_for(kGlance);
  }
  if (work.is_small() && progress.is_none()) {
    nb::gil_scoped_release others_go_on;
    function();
    return;
  }
  try {
    detail::run_aside(*state_, progress, function);
  } catch (...) {
    if (state_->stop.stop_requested()) {
      state_ = std::make_unique<detail::CallState>();
      ++interruptions_;
    }
    throw;
  }
}

}  // namespace fovea::python
