// fovea bench people --integral: time of integral images against their size, as
// figures 6-4 to 6-7 of the thesis have it.
#pragma once
#include <fovea/core/geometry.h>

#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// Measures integral images of floats, of four floats per pixel (CUDA's float4)
// and of doubles with one thread, with all threads and on a GPU, where the data
// lies in device memory, prints the times, and draws the thesis' figures where
// `charts` names a folder. Returns the exit status.
int run_integral_sizes(const BenchOptions& options, const std::string& charts, Context& context,
                       const std::vector<Extent>& sizes);

}  // namespace fovea::cli
