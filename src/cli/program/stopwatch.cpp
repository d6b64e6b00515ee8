#include "cli/program/stopwatch.h"

#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>

#include "cli/program/progress.h"
#include "core/timing/timing.h"
#include "operations/measure.h"

namespace fovea::cli {
namespace {

constexpr double kLeastSeconds = 0.01;  // a timed run has thousands of clock steps

// This is also the warm-up: the last attempt has run for at least half of kLeastSeconds.
int iterations_for(const Runner& runner) {
  constexpr int kMost = 1 << 24;
  runner(1);
  int iterations = 1;
  while (iterations < kMost) {
    const double seconds = runner(iterations);
    if (seconds >= kLeastSeconds) break;
    const double factor = seconds > 0 ? 1.2 * kLeastSeconds / seconds : 16;
    iterations = static_cast<int>(
        std::min<double>(kMost, std::ceil(iterations * std::clamp(factor, 1.5, 16.0))));
  }
  return iterations;
}

// A quantile of sorted values, interpolated between neighbors.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = quantile(seconds, 0.5);
  return {median, (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median};
}

}  // namespace

std::vector<Timing> time_in_turns(const std::vector<Runner>& runners, int repeats,
                                  const std::stop_token& stop) {
  const Exec stoppable{.stop = stop};
  std::vector<int> iterations;
  for (const Runner& runner : runners) {
    throw_if_stopped(stoppable);
    iterations.push_back(iterations_for(runner));
  }
  std::vector<std::vector<double>> seconds(runners.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      throw_if_stopped(stoppable);
      seconds[i].push_back(runners[i](iterations[i]) / iterations[i]);
    }
  }
  std::vector<Timing> timings;
  timings.reserve(seconds.size());
  for (auto& each : seconds) timings.push_back(timing_of(std::move(each)));
  return timings;
}

Runner host_runner(std::function<void()> work) {
  return [work = std::move(work)](int iterations) {
    const double start = steady_seconds();
    for (int i = 0; i < iterations; ++i) work();
    return steady_seconds() - start;
  };
}

Runner runner_of(const std::function<void(const Exec&)>& work, const Exec& exec) {
  if (exec.device.kind != DeviceKind::kCuda) return host_runner([=] { work(exec); });
  return [=](int iterations) {
    return cuda::time_on_device(exec, [&](const Exec& on_stream) {
      for (int i = 0; i < iterations; ++i) work(on_stream);
    });
  };
}

std::string seconds_text(double seconds) { return operations::seconds_text(seconds); }

}  // namespace fovea::cli
