#include "demo/act_videos.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>

#include <filesystem>

namespace fovea::cli {

ActVideo gray_video(const ActVideo& video) {
  ActVideo frames;
  frames.reserve(video.size());
  for (const Image<std::uint8_t>& frame : video) frames.push_back(io::to_gray(frame));
  return frames;
}

std::vector<ImageView<const std::uint8_t>> frame_views(const ActVideo& frames) {
  return {frames.begin(), frames.end()};
}

void write_act_video(const std::string& path, const ActVideo& video) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  io::VideoWriter writer(path);
  for (const Image<std::uint8_t>& frame : video) writer.write(frame);
  writer.finish();
}

ActVideo side_by_side(const ActVideo& left, const ActVideo& right) {
  if (left.size() != right.size())
    throw InvalidArgument("side_by_side: the videos have different lengths");
  ActVideo both;
  both.reserve(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Image<std::uint8_t>&one = left[i], &other = right[i];
    Image<std::uint8_t>& frame =
        both.emplace_back(one.width() + other.width(), one.height(), one.channels());
    copy(one.view(), frame.view().crop(0, 0, one.width(), one.height()));
    copy(other.view(), frame.view().crop(one.width(), 0, other.width(), one.height()));
  }
  return both;
}

}  // namespace fovea::cli
