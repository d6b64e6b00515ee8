// A small study of the descriptor on drawn people, for the gallery.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/report/page.h>

namespace fovea::cli {

// Adds the charts of two parameters with the miss rates of their values.
void add_people_study(report::Page& page, const Exec& exec);

}  // namespace fovea::cli
