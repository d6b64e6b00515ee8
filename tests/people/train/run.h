// How a training of the tests runs, apart from what it learns.
#pragma once
#include <fovea/core/exec.h>

#include <cstdint>
#include <string>

namespace fovea::people_test {

struct TrainRun {
  std::string checkpoint{};
  std::uint64_t sample_bytes = 2ULL << 30U;
  Exec exec{};
};

template <class Options>
Options with(Options options, const TrainRun& run) {
  options.checkpoint = run.checkpoint;
  options.sample_bytes = run.sample_bytes;
  options.exec = run.exec;
  return options;
}

}  // namespace fovea::people_test
