// Rows of fovea bench emd for whole frames: the two figures of Shaffer's paper, which plot time
// against channels.
#pragma once
#include <string>
#include <vector>

#include "cli/bench/bench.h"

namespace fovea::cli {

struct EmdFrameOptions {
  std::vector<Extent> sizes{{1280, 720}, {1920, 1080}};
  std::vector<int> channels{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16};
  std::string image{};
  double noise = 0;
  float threshold = 0;
};
void describe(OptionVisitor& visit, EmdFrameOptions& options);

// "emd_map_cold" keeps nothing from frame to frame; in "emd_map_warm" all histograms are known.
// Windows have 11x11 pixels and the ground distance is thresholded; a row's size names the channels
// and the share of distinct histograms.
std::vector<BenchCase> emd_frame_cases(const EmdFrameOptions& options, const Context& context);

}  // namespace fovea::cli
