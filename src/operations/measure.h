// Times and memory, as lines and results tell them.
#pragma once
#include <cstdint>
#include <string>

namespace fovea::operations {

// Seconds of a clock that only goes forward.
double steady_seconds();

// Returns a text such as "812 ns", "43.1 us", "2.05 ms" or "1.31 s".
std::string seconds_text(double seconds);
// ", 43.1 ms" at the end of a line, or nothing where it tells no times.
std::string time_at_end(bool times, double seconds);

// ", 12 dropped" in a line about a video, or nothing where no frame was.
std::string dropped_text(std::int64_t dropped);

// The most memory that this process has used at a time, in bytes.
std::uint64_t peak_memory_bytes();

// Measures the host memory that a piece of work takes in addition to what the process used before,
// from the construction of the object to working_bytes().
class MemoryWatch {
 public:
  MemoryWatch();
  // Does not count `kept_bytes`, which belong to the result.
  std::uint64_t working_bytes(std::uint64_t kept_bytes) const;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace fovea::operations
