#include "operations/actions/explain.h"

#include <fovea/actions/points.h>
#include <fovea/actions/show.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fovea::operations {

std::int64_t drawn_frame(const report::Explanation& explanation) {
  std::vector<int> frames;
  for (const report::Shape& shape : explanation.shapes)
    if (shape.frame >= 0) frames.push_back(shape.frame);
  std::ranges::sort(frames);
  return frames.empty() ? -1 : frames[frames.size() / 2];
}

void show_frame(report::Explanation& explanation, std::int64_t frame) {
  for (report::Shape& shape : explanation.shapes)
    if (shape.frame == frame) shape.frame = -1;
}

Image<std::uint8_t> frame_of_clip(const actions::Clip& clip, std::int64_t frame,
                                  const io::VideoReadOptions& reading) {
  if (actions::is_points_file(clip.path)) {
    actions::PointSet points = std::move(actions::clip_points({&clip, 1}, {})[0]);
    return std::move(actions::point_frames(points).at(static_cast<std::size_t>(frame)));
  }
  io::VideoReader reader(clip.path, reading);
  io::Frame one;
  for (std::int64_t left = clip.first + frame; reader.next(one); --left)
    if (left == 0) return std::move(one.image);
  throw FormatError(fmt::format("{}: the video has no frame {}", clip.path, clip.first + frame));
}

}  // namespace fovea::operations
