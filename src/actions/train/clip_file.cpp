#include "actions/train/clip_file.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "io/text/list_text.h"

namespace fovea::actions {
PointSet read_described_points(const std::string& path, const PointOptions& expected) {
  PointSet points = read_points(path);
  if (const std::string why = why_not_comparable(points, expected); !why.empty())
    throw FormatError(fmt::format("{}: {}", path, why));
  if (points.frames == 0)
    throw FormatError(path + ": no point, and no comment that tells how many frames there are");
  return points;
}

PointSet part_of_points(const PointSet& points, std::int64_t first, std::int64_t last) {
  PointSet part;
  part.size = points.size;
  part.frame_rate = points.frame_rate;
  part.detector = points.detector;
  part.votes = points.votes;
  part.found_with = points.found_with;
  part.frames = last - first;
  const auto earlier = [](const SpaceTimePoint& point, std::int64_t frame) {
    return point.frame < frame;
  };
  const auto begin = std::lower_bound(points.points.begin(), points.points.end(), first, earlier);
  const auto end = std::lower_bound(begin, points.points.end(), last, earlier);
  part.points.assign(begin, end);
  for (SpaceTimePoint& point : part.points) point.frame -= static_cast<std::int32_t>(first);
  if (!points.descriptors.empty())
    part.descriptors =
        clone(points.descriptors.view().crop(0, static_cast<int>(begin - points.points.begin()),
                                             kDescriptorSize, static_cast<int>(end - begin)));
  return part;
}

std::vector<std::string> clip_files_in(const std::string& folder) {
  namespace fs = std::filesystem;
  io::InputKind kind = io::video_files();
  kind.extensions.insert(kind.extensions.end(), {"txt", "stip"});
  std::vector<std::string> names;
  std::map<std::string, std::string> stems;
  for (const std::string& name : io::files_in(folder, kind)) {
    const std::string path = (fs::path(folder) / name).string();
    if (!io::has_extension(name, io::video_files()) && !is_points_file(path)) continue;
    const auto [known, is_new] = stems.try_emplace(fs::path(name).stem().string(), name);
    if (!is_new && is_points_file(path) != is_points_file((fs::path(folder) / known->second)))
      throw InvalidArgument(
          fmt::format("{}: {} and {} would be two clips; keep the video or its points, not both",
                      folder, known->second, name));
    names.push_back(name);
  }
  return names;
}

}  // namespace fovea::actions
