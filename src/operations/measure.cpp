#include "operations/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace fovea::operations {
namespace {

std::uint64_t highest_peak = 0;  // the highest of the peaks that were reset

// The value of a line in the process's status, such as "VmHWM:  1234 kB"; 0 where there is none.
std::uint64_t status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string seconds_text(double seconds) {
  // Writes three digits, and all digits of a whole number from a thousand on, never 1.31e+03.
  const auto with_unit = [](double value, const char* unit) {
    return value < 999.5 ? fmt::format("{:.3g} {}", value, unit)
                         : fmt::format("{:.0f} {}", value, unit);
  };
  if (seconds < 1e-6) return with_unit(seconds * 1e9, "ns");
  if (seconds < 1e-3) return with_unit(seconds * 1e6, "us");
  if (seconds < 1) return with_unit(seconds * 1e3, "ms");
  return with_unit(seconds, "s");
}

std::string time_at_end(bool times, double seconds) {
  return times ? ", " + seconds_text(seconds) : "";
}

std::string dropped_text(std::int64_t dropped) {
  return dropped > 0 ? fmt::format(", {} dropped", dropped) : "";
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  highest_peak = std::max(highest_peak, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
  return highest_peak;
}

MemoryWatch::MemoryWatch() {
  peak_memory_bytes();                          // keeps the peak, which is reset next
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak to the memory in use now
  before_ = status_bytes("VmRSS:");
}

std::uint64_t MemoryWatch::working_bytes(std::uint64_t kept_bytes) const {
  const std::uint64_t peak = status_bytes("VmHWM:"), known = before_ + kept_bytes;
  return peak > known ? peak - known : 0;
}

}  // namespace fovea::operations
