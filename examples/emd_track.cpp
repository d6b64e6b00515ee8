// Follows a box through a video and prints one line per frame: emd_track VIDEO X Y WIDTH HEIGHT
#include <fovea/core/error.h>
#include <fovea/emd/track.h>
#include <fovea/io/video.h>

#include <cstdio>
#include <cstdlib>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc < 6) {
    std::fprintf(stderr, "usage: %s VIDEO X Y WIDTH HEIGHT\n", argv[0]);
    return 2;
  }
  const Rect<double> box{std::atof(argv[2]), std::atof(argv[3]), std::atof(argv[4]),
                         std::atof(argv[5])};
  io::VideoReader video(argv[1]);  // a video file, a folder of images, or - for y4m
  io::Frame frame;
  if (!video.next(frame)) throw FormatError("the video has no frame");
  emd::Tracker tracker(frame.image, box, {.colors = 16});
  do {
    const emd::Track target =
        frame.frame == 0 ? tracker.tracks()[0] : tracker.track(frame.image)[0];
    std::printf("frame %d: %g,%g %gx%g, confidence %.2f%s\n", static_cast<int>(frame.frame),
                target.box.x, target.box.y, target.box.width, target.box.height, target.confidence,
                target.lost ? ", lost" : "");
  } while (video.next(frame));
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "emd_track: %s\n", error.what());
  return 1;
}
