// Figures 3 and 4 of Chen: the speed of the filters and of the search for words against the shape
// of the blocks that a GPU works in.
#pragma once
#include <functional>
#include <string>

#include "bench/bench.h"

namespace fovea::cli {

// What is measured, on the host.
struct BlockData {
  Image<std::uint8_t> photos;  // gray, below each other
  Image<float> samples;        // one per row
  Image<float> words;
};

// Measures every shape on a GPU and prints its time and how many times as fast as one thread of the
// CPU it is. `chart` is an SVG file to draw, or empty. Returns the exit status; throws DeviceError
// where there is no GPU.
int run_scene_blocks(const BenchOptions& options, const std::string& chart, Context& context,
                     const std::function<BlockData()>& draw);

}  // namespace fovea::cli
