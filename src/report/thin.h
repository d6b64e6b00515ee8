// Lines and clouds of very many points, cut down to what a picture can show.
#pragma once
#include <fovea/report/draw.h>

#include <vector>

namespace fovea::report {

// Points in pixels. Where x never falls, a column of half a pixel keeps its first, lowest, highest
// and last point (M4: Jugel et al., "M4: a visualization-oriented time series data aggregation",
// VLDB 2014), which leaves the drawn line as it was; elsewhere points within a fifth of a pixel of
// the one before are left out. The first and the last point always stay.
std::vector<Point> thin_line(std::vector<Point> points);

// One point of each group that falls into the same square cell of that many pixels; order kept.
std::vector<Point> thin_cloud(const std::vector<Point>& points, double cell_pixels);

}  // namespace fovea::report
