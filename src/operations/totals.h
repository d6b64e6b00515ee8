// What became of the inputs of a run.
#pragma once
#include <cstddef>

namespace fovea::operations {

struct Totals {
  std::size_t inputs = 0;  // those that failed count as well
  std::size_t failed = 0;
  double seconds = 0;
  bool times = true;  // whether results tell times
};

}  // namespace fovea::operations
