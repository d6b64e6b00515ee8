// Reduces lines and clouds of very many points to what an image can show.
#pragma once
#include <fovea/report/draw.h>

#include <vector>

namespace fovea::report {

// Points are in pixels. Where x never falls, a column of half a pixel keeps its first, lowest,
// highest and last point (M4: Jugel et al., "M4: a visualization-oriented time series data
// aggregation", VLDB 2014), which leaves the drawn line unchanged. Elsewhere, points within a fifth
// of a pixel of the one before are dropped. The first and the last point always stay.
std::vector<Point> thin_line(std::vector<Point> points);

// Keeps one point of each group in the same square cell of `cell_pixels`, in the given order.
std::vector<Point> thin_cloud(const std::vector<Point>& points, double cell_pixels);

}  // namespace fovea::report
