// Which bands of a frame a verb looks at.
#pragma once
#include <fovea/emd/scene.h>

#include <string>
#include <vector>

namespace fovea::operations {

// "0,5,12", "10-19,30", "mean" or "all".
struct BandChoice {
  std::vector<int> bands{};  // empty: all
  bool mean = false;         // their mean, over what was measured, as a single band

  bool all() const { return bands.empty() && !mean; }
};
// Throws InvalidArgument that shows the words where they choose no bands.
BandChoice parse_band_choice(const std::string& words);
// Throws InvalidArgument that names the frame where it has no such band.
void choose_bands(const BandChoice& choice, emd::BandFrame& frame);

}  // namespace fovea::operations
