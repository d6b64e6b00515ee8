// Whole programs of rivals, from files to files, which fovea bench pipeline compares its commands
// with.
#pragma once
#include <fovea/core/geometry.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/rivals/rivals.h"

namespace fovea::cli::pipeline {

// A case that only rivals run. `to` is the size of the results, where it differs, and `ratio` the
// step between the levels of a scan, where there is one.
RivalCase files_case(const std::string& name, RivalFiles files, Extent to, double ratio);

// Items per second of a rival's program.
struct RivalRates {
  std::string rival{};  // empty where there is none
  double loop = 0;      // one image after the other, on one thread
  double pool = 0;      // one image per thread, on as many threads as ours
};

// Measures the rival of one job. Its loop is measured once for all numbers of threads.
class RivalClock {
 public:
  RivalClock(const Rivals& rivals, const std::optional<RivalCase>& contest)
      : rivals_(rivals), contest_(contest) {}

  RivalRates measure(int count, int threads);

 private:
  double rate_of(int count, int threads);

  const Rivals& rivals_;
  const std::optional<RivalCase>& contest_;
  std::string rival_{};
  std::optional<double> loop_{};
};

}  // namespace fovea::cli::pipeline
