// Spectral coordinates of a part's superfaces.
#pragma once
#include "mesh/divide/clusters.h"
#include "mesh/divide/representatives.h"
#include "mesh/divide/spectrum.h"
#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

// Returns the number of smoothing rounds that reach as far on this graph as `rounds` do on 10000
// faces.
double rounds_by_length(const DualGraph& graph, double rounds);

// Returns the coordinates for `count` clusters: the modes after the constant one, each divided by a
// power of its eigenvalue, so that slow modes, which separate large parts, count most.
Points spectral_points(const Spectrum& spectrum, std::vector<double> weights, int count,
                       double power);

// Returns the number of clusters: the widest gap between eigenvalues decides, among those near the
// limit below which a mode is slowed by a neck. It is 1 where the slowest mode is faster than the
// share `whole_above` of what a surface without necks would have last. If `scores` is given, it is
// filled with those of all numbers that were compared.
int choose_count(const Spectrum& spectrum, int most, double whole_above,
                 std::vector<CountScore>* scores = nullptr);

}  // namespace fovea::mesh
