// Parts of the gallery's section on flow.
#pragma once
#include "demo/demo.h"

namespace fovea::cli {

// The disparities of a drawn pair.
void add_demo_stereo(report::Page& page, const DemoRun& run);
// What moves as one in a drawn pair.
void add_demo_regions(report::Page& page, const DemoRun& run);

}  // namespace fovea::cli
