// Measures the stages of a run.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "view/system.h"

namespace fovea::view {

class Stopwatch {
 public:
  // Ends a stage, which began when the last one ended.
  void lap(std::string stage) {
    const auto now = std::chrono::steady_clock::now();
    laps_.push_back({std::move(stage), std::chrono::duration<double>(now - last_).count()});
    last_ = now;
  }
  const std::vector<Timing>& laps() const { return laps_; }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::vector<Timing> laps_{};
};

}  // namespace fovea::view
