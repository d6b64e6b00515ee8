// A target that colors cannot show, for the gallery: followed by its edges.
#pragma once
#include <fovea/report/page.h>

#include <vector>

#include "demo/demo.h"

namespace fovea::cli {

void add_edges_track(std::vector<report::Figure>& figures, const DemoRun& run);

}  // namespace fovea::cli
