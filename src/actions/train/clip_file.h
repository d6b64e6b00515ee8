// Clips whose points were computed elsewhere: files of points that stand in place of videos.
#pragma once
#include <fovea/actions/points.h>

#include <string>
#include <vector>

namespace fovea::actions {

// Reads a file of points for matching. Throws FormatError that names the file where it has no
// descriptors or was made in another way than `expected`.
PointSet read_described_points(const std::string& path, const PointOptions& expected);

// Returns the points of frames [first, last), with frames counted from the first.
PointSet part_of_points(const PointSet& points, std::int64_t first, std::int64_t last);

// Returns the names of videos and files of points in a folder, in natural order. Text files that
// contain no points are left out. Throws InvalidArgument where two files have one name but for the
// ending, such as a video and its points, because they would count as two clips.
std::vector<std::string> clip_files_in(const std::string& folder);

}  // namespace fovea::actions
