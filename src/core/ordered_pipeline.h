// Sends a stream of items through three steps that run at the same time: one reader, workers with
// states of their own, and one writer. The outcome is that of a plain loop, only faster.
#pragma once
#include <fovea/core/exec.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace fovea {

template <class Item, class State>
class OrderedPipeline {
 public:
  struct Steps {
    // Reads the next item into the memory of an old one; returns false where there is none left.
    // Runs in a thread of its own.
    std::function<bool(Item&)> read;
    // Runs in one thread per state. Which state an item gets is left to chance, so results must not
    // depend on it.
    std::function<void(State&, Item&)> work;
    // Runs in the thread that calls run(), in the order of reading.
    std::function<void(Item&)> write;
  };

  // There must be at least one state. At most `in_flight` items exist at a time; with 1 the steps
  // take turns.
  OrderedPipeline(std::span<State> states, int in_flight, Steps steps)
      : states_(states),
        steps_(std::move(steps)),
        slots_(static_cast<std::size_t>(std::max(1, in_flight))) {}

  // Can be called once. All threads have ended when it returns or throws. An exception of read or
  // work leaves this function once the items before it are written, one of write at once. Throws
  // Cancelled where exec.stop fires while there are items left.
  void run(const Exec& exec) {
    std::vector<std::jthread> threads;
    const AtEnd end{[this] {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }};
    const std::stop_callback wake(exec.stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    threads.emplace_back([this] { read_all(); });
    for (State& state : states_) threads.emplace_back([this, &state] { work_with(state); });
    write_all(exec);
  }

 private:
  struct AtEnd {
    std::function<void()> call;
    ~AtEnd() { call(); }
  };
  struct Slot {
    Item item{};
    bool done = false;
    std::exception_ptr error{};  // what work threw
  };
  Slot& slot(std::uint64_t number) { return slots_[number % slots_.size()]; }

  void read_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || last_ || read_ - written_ < slots_.size(); });
      if (ended_ || last_) return;
      Slot& next = slot(read_);
      bool more = false;
      lock.unlock();
      try {
        more = steps_.read(next.item);
      } catch (...) {
        read_error_ = std::current_exception();
      }
      lock.lock();
      next.done = false;
      if (more) ++read_;
      else last_ = true;
      changed_.notify_all();
    }
  }

  void work_with(State& state) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || last_ || taken_ < read_; });
      if (ended_ || taken_ == read_) return;
      Slot& mine = slot(taken_++);
      lock.unlock();
      try {
        steps_.work(state, mine.item);
      } catch (...) {
        mine.error = std::current_exception();
      }
      lock.lock();
      mine.done = true;
      if (mine.error) last_ = true;  // items after a failed one are not written
      changed_.notify_all();
    }
  }

  void write_all(const Exec& exec) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] {
        return exec.stop.stop_requested() || (written_ < read_ ? slot(written_).done : last_);
      });
      if (written_ == read_ && last_) break;
      throw_if_stopped(exec);
      Slot& first = slot(written_);
      lock.unlock();
      if (first.error) std::rethrow_exception(first.error);
      steps_.write(first.item);
      lock.lock();
      ++written_;
      changed_.notify_all();
    }
    if (read_error_) std::rethrow_exception(read_error_);
  }

  std::span<State> states_;
  Steps steps_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t read_ = 0, taken_ = 0, written_ = 0;  // number of items
  bool last_ = false;                                 // nothing more will be read
  bool ended_ = false;                                // all threads must end
  std::exception_ptr read_error_;
};

}  // namespace fovea
