// Rows of fovea bench emd for whole frames: the two figures of Shaffer's paper, time against
// channels.
#pragma once
#include <string>
#include <vector>

#include "cli/bench/bench.h"

namespace fovea::cli {

struct EmdFrameOptions {
  std::string sizes = "1280x720,1920x1080";
  std::string channels = "2,3,4,5,6,7,8,9,10,11,13,16";
  std::string image{};
  double noise = 16;
  float threshold = 0;
};
void describe(OptionVisitor& visit, EmdFrameOptions& options);

// "emd_map_cold": nothing is kept from frame to frame; "emd_map_warm": all is known. Windows of
// 11x11, a thresholded ground distance; the size tells channels and share of distinct histograms.
std::vector<BenchCase> emd_frame_cases(const EmdFrameOptions& options, const Exec& exec);

}  // namespace fovea::cli
