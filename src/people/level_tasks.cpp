// Runs the tasks of an image in the order of their sizes.
#include "people/level_tasks.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace fovea::people::cpu {

LevelTasks::LevelTasks(const Exec& exec, std::int64_t total, bool whole)
    : exec_(exec),
      share_(whole ? std::numeric_limits<std::int64_t>::max()
                   : std::max<std::int64_t>(total / (2 * std::int64_t{thread_count(exec)}), 0)) {
  alone_.device = exec.device;
  alone_.threads = 1;
  alone_.stop = exec.stop;
}

void LevelTasks::run(const Exec& exec, int count, FunctionRef<void(int)> body) const {
  // A loop hands its chunks to threads in any order, and the last ones first to those that come
  // late. What a chunk does is therefore decided when it begins.
  std::atomic<int> next = 0;
  parallel_for(exec, count, 1, [&](std::int64_t first, std::int64_t last) {
    for (; first < last; ++first) body(next.fetch_add(1, std::memory_order_relaxed));
  });
}

std::int64_t level_pixels(const ScanPlan& plan, int level) {
  const Extent padded = plan.padded(plan.levels[static_cast<std::size_t>(level)]);
  return static_cast<std::int64_t>(padded.width) * padded.height;
}

std::int64_t level_pixels(const ScanPlan& plan, int first, int last) {
  std::int64_t pixels = 0;
  for (int level = first; level < last; ++level) pixels += level_pixels(plan, level);
  return pixels;
}

int group_end(const ScanPlan& plan, int first, std::int64_t most_pixels) {
  const int count = static_cast<int>(plan.levels.size());
  std::int64_t pixels = 0;
  int last = first;
  while (last < count && (last == first || pixels < most_pixels))
    pixels += level_pixels(plan, last++);
  return last;
}

ScanResult joined(const std::vector<ScanResult>& levels) {
  ScanResult all;
  std::size_t hits = 0;
  for (const ScanResult& level : levels) hits += level.hits.size();
  all.hits.reserve(hits);
  for (const ScanResult& level : levels) {
    all.hits.insert(all.hits.end(), level.hits.begin(), level.hits.end());
    all.counts.windows += level.counts.windows;
    all.counts.evaluations += level.counts.evaluations;
  }
  return all;
}

}  // namespace fovea::people::cpu
