// Searching several levels of an image at the same time. A level is a short piece of work, so that
// threads that share its rows wait for each other more than they compute; with a level each they
// do not. Only levels that are a large part of the whole are still divided.
#pragma once
#include <fovea/core/exec.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "people/scanner.h"

namespace fovea::people::cpu {

// Memory that tasks borrow, kept from image to image. It belongs to a task and not to a thread: a
// thread that waits for the rows of one level may begin another. There are never more objects than
// tasks that were open at the same time.
template <class T>
class FreeList {
 public:
  class Loan {
   public:
    Loan(FreeList& list, std::unique_ptr<T> object, std::int64_t size)
        : list_(list), object_(std::move(object)), size_(size) {}
    ~Loan() { list_.give(std::move(object_), size_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    FreeList& list_;
    std::unique_ptr<T> object_;
    std::int64_t size_;
  };

  // An object for a task of this size: the smallest that has served one as large, or else the
  // largest, so that not all of them grow to the size of the largest level.
  // Where none is free, `make` returns a new one in a unique_ptr.
  template <class Make>
  Loan take(std::int64_t size, Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      std::size_t best = 0;
      for (std::size_t i = 1; i < free_.size(); ++i)
        if (better(free_[i].first, free_[best].first, size)) best = i;
      if (!free_.empty()) {
        std::swap(free_[best], free_.back());
        auto [served, object] = std::move(free_.back());
        free_.pop_back();
        return Loan(*this, std::move(object), size > served ? size : served);
      }
    }
    return Loan(*this, make(), size);
  }
  Loan take(std::int64_t size) {
    return take(size, [] { return std::make_unique<T>(); });
  }
  std::size_t count() const { return free_.size(); }

 private:
  static bool better(std::int64_t a, std::int64_t b, std::int64_t size) {
    return a >= size ? b < size || a < b : b < size && a > b;
  }
  // Called by destructors: an object for which there is no room is dropped.
  void give(std::unique_ptr<T> object, std::int64_t size) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      free_.emplace_back(size, std::move(object));
    } catch (const std::bad_alloc&) {
    }
  }

  std::mutex mutex_;
  std::vector<std::pair<std::int64_t, std::unique_ptr<T>>> free_;
};

// How the tasks of one image run.
class LevelTasks {
 public:
  // `total` is the sum of the sizes of all tasks. `exec` must outlive the object. With `whole`, no
  // task divides its own work.
  LevelTasks(const Exec& exec, std::int64_t total, bool whole = false);
  // The settings with which a task of this size divides its own work: alone, unless it is so large
  // that others would wait for it. At most twice as many tasks as there are threads are that large.
  const Exec& within(std::int64_t size) const { return size > share_ ? exec_ : alone_; }
  // Calls body(0), body(1), ... up to count, several at the same time, and begins them in this
  // order: large ones should be first. A stop is looked for before each.
  void run(const Exec& exec, int count, FunctionRef<void(int)> body) const;

 private:
  const Exec& exec_;
  Exec alone_;
  std::int64_t share_;
};

// The number of pixels of a padded level, which is the size of its task.
std::int64_t level_pixels(const ScanPlan& plan, int level);
// The same of levels [first, last) together.
std::int64_t level_pixels(const ScanPlan& plan, int first, int last);

// Where threads share the work, levels are searched in groups of about so many pixels, which bounds
// memory. This is one after the last level of the group that begins with `first`.
constexpr std::int64_t kGroupPixels = 16 << 20;
int group_end(const ScanPlan& plan, int first, std::int64_t most_pixels);

// Joins what was found in each level, in their order.
ScanResult joined(const std::vector<ScanResult>& levels);

}  // namespace fovea::people::cpu
