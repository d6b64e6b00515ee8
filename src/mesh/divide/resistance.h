// Spectral coordinates of a part's superfaces.
#pragma once
#include "mesh/divide/clusters.h"
#include "mesh/divide/representatives.h"
#include "mesh/divide/spectrum.h"
#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

// Rounds of smoothing that reach as far on this graph as `rounds` do on one of 10000 faces.
double rounds_by_length(const DualGraph& graph, double rounds);

// The coordinates of `count` clusters: the modes after the constant one, each divided by a power of
// its value, so that slow modes, which divide large parts, count most.
Points spectral_points(const Spectrum& spectrum, std::vector<double> weights, int count,
                       double power);

// How many clusters there are: after the mode where the values leap most, of those near the limit
// below which a mode is held up by a neck.
int choose_count(const Spectrum& spectrum, int most);

}  // namespace fovea::mesh
