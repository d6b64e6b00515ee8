#include "core/ordered_pipeline.h"

#include <fovea/core/error.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace fovea {
namespace {

using Number = std::uint64_t;  // counts items in the order of reading
constexpr Number kNone = ~Number{0};

class Pipeline {
 public:
  Pipeline(const PipelinePlan& plan, const SlotSteps& steps, const Exec& exec)
      : plan_(plan),
        steps_(steps),
        exec_(exec),
        slots_(static_cast<std::size_t>(plan.in_flight)),
        slot_of_(slots_.size()) {
    for (int slot = plan.in_flight - 1; slot >= 0; --slot) free_slots_.push_back(slot);
    for (int engine = plan.engines - 1; engine >= 0; --engine) free_engines_.push_back(engine);
  }

  void run() {
    std::vector<std::jthread> threads;
    const AtEnd end{*this};
    const std::stop_callback wake(exec_.stop, [this] { wake_all(); });
    threads.emplace_back([this] { read_all(); });
    for (int i = 0; i < plan_.threads; ++i) threads.emplace_back([this] { serve(); });
    write_all();
  }

 private:
  // What has been done to an item; kBusy while a thread is at it.
  enum class Stage : unsigned char { kRead, kPrepared, kWorked, kDone, kBusy };
  struct Slot {
    Stage stage = Stage::kDone;
    std::uint64_t bytes = 0;
    std::exception_ptr error{};
  };
  struct Job {
    Number item = 0;
    Stage from = Stage::kRead;
    int engine = -1;
  };
  struct AtEnd {
    Pipeline& pipeline;
    ~AtEnd() {
      const std::lock_guard lock(pipeline.mutex_);
      pipeline.ended_ = true;
      pipeline.notify_all();
    }
  };

  int index_of(Number item) const { return slot_of_[item % slot_of_.size()]; }
  Slot& slot(Number item) { return slots_[static_cast<std::size_t>(index_of(item))]; }

  void notify_all() {
    room_.notify_all();
    jobs_.notify_all();
    front_.notify_all();
  }
  void wake_all() {
    const std::lock_guard lock(mutex_);
    notify_all();
  }
  // No item after this one is needed.
  void end_before(Number item) {
    needed_ = std::min(needed_, item);
    last_ = true;
  }
  static bool waits(Stage stage) { return stage == Stage::kRead || stage == Stage::kPrepared; }
  // Items that wait for their work when the stop comes are dropped.
  void heed_stop() {
    if (!exec_.stop.stop_requested() || stopped_) return;
    stopped_ = true;
    Number first = written_;
    while (first < read_ && !waits(slot(first).stage)) ++first;
    dropped_ = dropped_ || first < read_ || !last_;
    end_before(first);
  }

  void read_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
      room_.wait(lock, [&] { return over() || read_ - written_ < slots_.size(); });
      if (over()) return;
      const int index = free_slots_.back();
      free_slots_.pop_back();
      slot_of_[read_ % slot_of_.size()] = index;
      Slot& next = slot(read_);
      next = {};
      bool more = false;
      std::exception_ptr error;
      lock.unlock();
      try {
        more = steps_.read(index);
        if (more && steps_.bytes) next.bytes = steps_.bytes(index);
      } catch (...) {
        more = false;
        error = std::current_exception();
      }
      lock.lock();
      read_error_ = error;
      if (more) {
        room_.wait(lock, [&] { return over() || fits(next.bytes); });
        if (over()) {
          dropped_ = true;
          return;
        }
        used_bytes_ += next.bytes;
        next.stage = steps_.prepare ? Stage::kRead : after_prepare();
        ++read_;
        jobs_.notify_one();
      } else {
        last_ = true;
        jobs_.notify_all();
      }
      front_.notify_one();
    }
  }
  // Whether nothing more is to be read.
  bool over() {
    heed_stop();
    return ended_ || last_;
  }
  bool fits(std::uint64_t bytes) const {
    return plan_.memory_bytes == 0 || written_ == read_ ||
           used_bytes_ + bytes <= plan_.memory_bytes;
  }
  Stage after_prepare() const { return steps_.work ? Stage::kPrepared : after_work(); }
  Stage after_work() const { return steps_.complete ? Stage::kWorked : Stage::kDone; }

  // Engines are never left waiting while an item is ready for them; then the item that is nearest
  // to its end goes first, which keeps few items in memory.
  std::optional<Job> find_job() {
    const Number end = std::min(read_, needed_);
    if (!free_engines_.empty()) {
      const bool in_order = plan_.engines == 1;
      for (Number item = in_order ? next_work_ : written_; item < end; ++item) {
        if (slot(item).stage == Stage::kPrepared)
          return Job{item, Stage::kPrepared, free_engines_.back()};
        if (in_order) break;
      }
    }
    for (const Stage stage : {Stage::kWorked, Stage::kRead})
      for (Number item = written_; item < end; ++item)
        if (slot(item).stage == stage) return Job{item, stage};
    return std::nullopt;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      std::optional<Job> job;
      jobs_.wait(lock, [&] {
        heed_stop();
        job = find_job();
        return ended_ || job;
      });
      if (ended_) return;
      Slot& mine = slot(job->item);
      mine.stage = Stage::kBusy;
      if (job->engine >= 0) {
        free_engines_.pop_back();
        next_work_ = job->item + 1;
      }
      if (find_job()) jobs_.notify_one();
      lock.unlock();
      try {
        perform(*job);
      } catch (...) {
        mine.error = std::current_exception();
      }
      lock.lock();
      mine.stage = next_stage(job->from);
      if (job->engine >= 0) free_engines_.push_back(job->engine);
      if (mine.error) {
        mine.stage = Stage::kDone;
        end_before(job->item + 1);
      }
      if (mine.stage == Stage::kDone && job->item == written_) front_.notify_one();
    }
  }
  void perform(const Job& job) {
    const int index = index_of(job.item);
    if (job.from == Stage::kRead) steps_.prepare(index);
    else if (job.from == Stage::kPrepared) steps_.work(job.engine, index);
    else steps_.complete(index);
  }
  Stage next_stage(Stage from) const {
    if (from == Stage::kRead) return after_prepare();
    return from == Stage::kPrepared ? after_work() : Stage::kDone;
  }

  void write_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
      front_.wait(lock, [&] {
        heed_stop();
        if (written_ >= needed_) return true;
        return written_ < read_ ? slot(written_).stage == Stage::kDone : last_;
      });
      if (written_ >= needed_ || written_ == read_) break;
      Slot& first = slot(written_);
      if (first.error) std::rethrow_exception(first.error);
      lock.unlock();
      steps_.write(index_of(written_));
      lock.lock();
      used_bytes_ -= first.bytes;
      free_slots_.push_back(index_of(written_));
      ++written_;
      room_.notify_one();
    }
    if (stopped_ && dropped_) throw Cancelled("stopped on request");
    if (read_error_) std::rethrow_exception(read_error_);
  }

  const PipelinePlan& plan_;
  const SlotSteps& steps_;
  const Exec& exec_;
  std::vector<Slot> slots_;
  std::vector<int> slot_of_;  // by the number of the item, modulo its length
  // The slot that was freed last is used first: where memory admits few items, only few slots are
  // ever used, and the memory that items keep is theirs alone.
  std::vector<int> free_slots_;
  std::vector<int> free_engines_;
  std::mutex mutex_;
  std::condition_variable room_;   // the reader waits for room
  std::condition_variable jobs_;   // the other threads wait for jobs
  std::condition_variable front_;  // the writer waits for the first item in order
  Number read_ = 0, next_work_ = 0, written_ = 0;
  Number needed_ = kNone;  // items from here on are not needed
  std::uint64_t used_bytes_ = 0;
  bool last_ = false;     // nothing more is read
  bool ended_ = false;    // nothing more is done
  bool stopped_ = false;  // a stop was requested while the pipeline ran
  bool dropped_ = false;  // the stop left items undone
  std::exception_ptr read_error_{};
};

void run_in_turns(const SlotSteps& steps, const Exec& exec) {
  for (;;) {
    throw_if_stopped(exec);
    if (!steps.read(0)) return;
    if (steps.prepare) steps.prepare(0);
    if (steps.work) steps.work(0, 0);
    if (steps.complete) steps.complete(0);
    steps.write(0);
  }
}

}  // namespace

void run_pipeline(const PipelinePlan& plan, const SlotSteps& steps, const Exec& exec) {
  if (plan.engines < 1 || plan.threads < 1)
    throw InvalidArgument("run_pipeline: there is no engine or no thread; give at least one each");
  if (plan.in_flight <= 1) return run_in_turns(steps, exec);
  Pipeline(plan, steps, exec).run();
}

}  // namespace fovea
