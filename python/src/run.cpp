#include "run.h"

#include <fovea/core/error.h>

#include <nanobind/stl/string.h>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <set>
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

// The calls of all objects, so that none of them meets an interpreter that is gone.
struct InFlight {
  std::mutex mutex;
  std::condition_variable ended;
  std::set<detail::CallState*> states;
  bool closing = false;
};
// Never destroyed, because threads may outlive the process's end. A forked child has its own: the
// calls of its parent are not its own.
InFlight& in_flight() {
  static auto* all = new InFlight;
  static auto process = getpid();
  if (process != getpid()) {
    process = getpid();
    all = new InFlight;
  }
  return *all;
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

namespace {

// Enters a call among those in flight while it lives.
class Entry {
 public:
  explicit Entry(detail::CallState& state) : state_(&state) {
    InFlight& all = in_flight();
    const std::lock_guard lock(all.mutex);
    if (all.closing) throw Cancelled("Python is about to end, so that no call can begin");
    all.states.insert(state_);
  }
  ~Entry() {
    InFlight& all = in_flight();
    const std::lock_guard lock(all.mutex);
    all.states.erase(state_);
    all.ended.notify_all();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  detail::CallState* state_;
};

// Names the thread that has the turn while it lives.
class Owned {
 public:
  explicit Owned(std::atomic<std::thread::id>& owner) : owner_(owner) {
    owner_ = std::this_thread::get_id();
  }
  ~Owned() { owner_ = std::thread::id(); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

 private:
  std::atomic<std::thread::id>& owner_;
};

}  // namespace

void end_calls() {
  InFlight& all = in_flight();
  nb::gil_scoped_release gil_release;
  std::unique_lock lock(all.mutex);
  all.closing = true;
  for (detail::CallState* state : all.states) state->stop.request_stop();
  all.ended.wait(lock, [&] { return all.states.empty(); });
}

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
    nb::gil_scoped_release gil_release;
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

Device usable_device(Device wanted) {
  static std::atomic<pid_t> user = 0;  // the process that uses a GPU
  const pid_t process = getpid();
  if (wanted.kind != DeviceKind::kCpu && user != 0 && user != process)
    throw DeviceError(
        "this process was forked after its parent used a GPU, and CUDA does not work here; start "
        "processes by multiprocessing's method 'spawn', or ask for device='cpu'");
  const Device device = resolve(wanted);
  if (device.kind == DeviceKind::kCuda) user = process;
  return device;
}

Exec on_cpu_only(const char* what, Exec exec) {
  if (exec.device.kind == DeviceKind::kCuda)
    throw InvalidArgument(std::string(what) +
                          " on the CPU only; use device=\"cpu\" instead of cuda");
  exec.device = Device::cpu();
  return exec;
}

Calls::Calls(Device device)
    : state_(std::make_unique<detail::CallState>()), turn_(new Turn), device_(device) {}
Calls::~Calls() = default;

Exec Calls::watched(Exec exec) const {
  exec.stop = state_->stop.get_token();
  exec.progress = [state = state_.get()](const Progress& progress) { state->note(progress); };
  return exec;
}

void Calls::stop() { state_->stop.request_stop(); }

// A lock that another thread held when the process was forked is never released in the child.
void Calls::begin_anew_after_fork() {
  const auto process = getpid();
  if (process == process_) return;
  (void)usable_device(device_);
  if (process_ != 0) {
    (void)turn_.release();
    (void)state_.release();
    turn_.reset(new Turn);
    state_ = std::make_unique<detail::CallState>();
    ++interruptions_;
  }
  process_ = process;
}

void Calls::run_one(Work work, nb::handle progress, const std::function<void()>& function) {
  begin_anew_after_fork();
  if (turn_->owner.load() == std::this_thread::get_id())
    throw InvalidArgument("an object was used again from within a call of its own");
  std::unique_lock<std::timed_mutex> lock(turn_->mutex, std::try_to_lock);
  while (!lock.owns_lock()) {
    look_for_signals();
    nb::gil_scoped_release gil_release;
    (void)lock.try_lock_for(kGlance);
  }
  const Owned owned(turn_->owner);
  try {
    const Entry entry(*state_);
    if (work.is_small() && progress.is_none()) {
      nb::gil_scoped_release gil_release;
      function();
    } else {
      detail::run_aside(*state_, progress, function);
    }
  } catch (...) {
    if (state_->stop.stop_requested()) {
      state_ = std::make_unique<detail::CallState>();
      ++interruptions_;
    }
    throw;
  }
}

}  // namespace fovea::python
