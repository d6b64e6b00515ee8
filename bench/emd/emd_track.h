// Tracking of images and cubes, frame by frame.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/options.h>

#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

struct EmdTrackBenchOptions {
  bool track = false;
  std::vector<Extent> image_sizes{{640, 480}, {1920, 1080}};
  std::vector<Extent> cube_sizes{{1920, 1080}, {512, 512}};
  std::vector<int> cube_bands{11, 100};
};
void describe(OptionVisitor& visit, EmdTrackBenchOptions& options);

// Two cases per size of images, with and without the filter, and one per size of cubes, which goes
// with the number of bands at the same place.
std::vector<BenchCase> emd_track_cases(const EmdTrackBenchOptions& options);

}  // namespace fovea::cli
