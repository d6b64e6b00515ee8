// Options that run as given.
#pragma once
#include <fovea/core/exec.h>

namespace fovea::scenes {

template <class Options>
Options with(Options options, const Exec& exec) {
  options.exec = exec;
  return options;
}

}  // namespace fovea::scenes
