// Times several pieces of work in turns, to compare them.
#pragma once
#include <fovea/core/exec.h>

#include <functional>
#include <string>
#include <vector>

namespace fovea::cli {

// Runs a piece of work `iterations` times and returns the seconds that it took.
using Runner = std::function<double(int iterations)>;

struct Timing {
  double seconds = 0;  // median time of one run
  double spread = 0;   // interquartile range divided by the median
};

// Returns a text such as "812 ns", "43.1 us", "2.05 ms" or "1.31 s".
std::string seconds_text(double seconds);

// The runners take turns (A B A B ...), so that a machine that slows down affects all of them; each
// turn is long enough for the clock. Throws Cancelled once `stop` has fired.
std::vector<Timing> time_in_turns(const std::vector<Runner>& runners, int repeats,
                                  const std::stop_token& stop);

// A runner that times work with the clock of the device in `exec`.
Runner runner_of(const std::function<void(const Exec&)>& work, const Exec& exec);
// The same for a rival's work, with the host's clock.
Runner host_runner(std::function<void()> work);

}  // namespace fovea::cli
