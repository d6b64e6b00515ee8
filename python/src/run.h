// Long calls: other threads of Python go on meanwhile, Ctrl-C ends them, and progress is reported.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/stream.h>

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace fovea::python {

namespace nb = nanobind;

namespace detail {

// Where a call that runs in another thread leaves its progress for the caller.
struct CallState;

// Runs `work` in another thread, outside of Python's lock, and waits. The waiting thread looks for
// signals of Python's and passes progress on to `progress`, a callable or None. An exception from
// either requests the stop and is thrown once the work has ended.
void run_aside(CallState& state, nb::handle progress, const std::function<void()>& work);

}  // namespace detail

// Calls function() while other threads of Python go on. It must not touch objects of Python.
template <class Function>
auto unlocked(Function function) {
  nb::gil_scoped_release gil_release;
  return function();
}

// How much work a call is, in rough operations. Small calls run in the caller's thread, because it
// takes longer to wake another one.
struct Work {
  double operations = 0;
  bool is_small() const { return operations < 2e7; }
};

// The device that is used where a caller wants `wanted`. Throws DeviceError for anything but the
// CPU in a process that was forked from one that has used a GPU, because CUDA does not work there.
Device usable_device(Device wanted);

// The settings of a call that only the CPU can do, with the device cpu. Throws InvalidArgument
// where a GPU was asked for; `what` begins the message: "shape diameters are measured".
Exec on_cpu_only(const char* what, Exec exec);

// The calls of one object: one at a time, other threads wait for their turn.
class Calls {
 public:
  // `device`, already resolved, is the one that calls work on.
  explicit Calls(Device device = Device::cpu());
  ~Calls();

  // The settings of a call with this object's stop and progress added.
  Exec watched(Exec exec) const;

  // Runs function() and returns its result. It must not touch objects of Python.
  template <class Function>
  auto run(Work work, nb::handle progress, Function function) {
    using Result = decltype(function());
    std::optional<Result> result;
    run_one(work, progress, [&] { result.emplace(function()); });
    return std::move(*result);
  }

  // Ends the call in flight; it throws Cancelled.
  void stop();

  // How many calls were interrupted so far. What was made with watched() before an interruption
  // stays stopped and has to be made again.
  std::int64_t interruptions() const { return interruptions_; }

 private:
  struct Turn {
    std::timed_mutex mutex;
    std::atomic<std::thread::id> owner{};
  };

  void run_one(Work work, nb::handle progress, const std::function<void()>& function);
  void begin_anew_after_fork();

  std::unique_ptr<detail::CallState> state_;
  std::unique_ptr<Turn> turn_;
  Device device_;
  std::int64_t interruptions_ = 0;
  int process_ = 0;
};

// Whether Ctrl-C ends a call at once, after which its object is made again and has lost what it
// knew, or when the call has come to its own end.
enum class OnInterrupt : unsigned char { kStop, kComplete };

// Ends all calls when Python ends, and waits for them. New ones are refused.
void end_calls();

// A face of the library that is made on its first call, and again after it was stopped.
template <class Face>
class LazyFace {
 public:
  using Make = std::function<Face(const Exec&)>;
  LazyFace(Exec exec, Make make, OnInterrupt on_interrupt = OnInterrupt::kStop)
      : exec_(std::move(exec)),
        stream_(exec_.device),
        make_(std::move(make)),
        on_interrupt_(on_interrupt),
        calls_(exec_.device) {
    exec_.stream = stream_.get();
  }

  void stop() { calls_.stop(); }

  // The stream of its GPU, which inputs that lie there have to be awaited by.
  const Stream* stream() const { return &stream_; }

  // Calls function(face). Its work on a GPU is done when this returns, so that inputs may go.
  template <class Function>
  auto call(Work work, nb::handle progress, Function function) {
    return calls_.run(work, progress, [&] {
      const bool stops = on_interrupt_ == OnInterrupt::kStop;
      if (!face_ || (stops && made_at_ != calls_.interruptions())) {
        made_at_ = calls_.interruptions();
        face_.emplace(make_(stops ? calls_.watched(exec_) : exec_));
      }
      auto result = function(*face_);
      stream_.synchronize();
      return result;
    });
  }

 private:
  Exec exec_;  // its device is resolved
  Stream stream_;
  Make make_;
  OnInterrupt on_interrupt_;
  Calls calls_;
  std::optional<Face> face_;
  std::int64_t made_at_ = -1;
};

}  // namespace fovea::python
