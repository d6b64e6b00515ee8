// Options that run as given.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/scenes/features.h>

namespace fovea::scenes {

template <class Options>
Options with(Options options, const Exec& exec) {
  options.exec = exec;
  return options;
}

inline FeatureOptions features_with(int pyramid, const Exec& exec = {}) {
  FeatureOptions options;
  options.pyramid = pyramid;
  options.exec = exec;
  return options;
}

}  // namespace fovea::scenes
