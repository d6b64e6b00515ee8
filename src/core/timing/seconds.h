// A clock for the durations that results report.
#pragma once
#include <chrono>

namespace fovea::detail {

// Seconds since some moment that is the same for the whole process; they never go back.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace fovea::detail
