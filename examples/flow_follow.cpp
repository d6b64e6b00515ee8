// Follows points through a video and writes it with them marked: flow_follow VIDEO OUT
#include <fovea/core/error.h>
#include <fovea/flow/follow.h>
#include <fovea/io/video.h>
#include <fovea/report/draw.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s VIDEO OUT.mp4|.avi|.mkv|.y4m\n", argv[0]);
    return 2;
  }
  io::VideoReader video(argv[1]);
  io::VideoWriter marked(argv[2], {.frame_rate = video.info().rate.value()});
  std::vector<flow::Position> points;
  for (int y = 12; y < video.info().size.height; y += 12)
    for (int x = 12; x < video.info().size.width; x += 12)
      points.push_back({static_cast<float>(x), static_cast<float>(y)});
  Image<std::uint8_t> last;
  for (io::Frame frame; video.next(frame);) {
    if (!last.empty()) {
      const flow::Followed found = flow::follow(last, frame.image, {points}, {.check = 1.0});
      points.clear();
      for (std::size_t i = 0; i < found.points.size(); ++i)
        if (found.status[i] != 0) points.push_back(found.points[i]);
    }
    last = clone(frame.image);
    for (const auto [x, y] : points) report::fill_circle(frame.image, {x + 0.5, y + 0.5}, 2);
    marked.write(frame.image);
  }
  marked.finish();
  std::printf("%s: %zu points were followed to the end\n", argv[2], points.size());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "flow_follow: %s\n", error.what());
  return 1;
}
