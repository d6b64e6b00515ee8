// Prints the actions of a video as they are recognized: actions_recognize VIDEO [MODEL]
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/io/video.h>

#include <cstdio>

using namespace fovea;

void print(std::span<const actions::Event> events) {
  for (const actions::Event& event : events)
    std::printf("%-8s %6.2f s to %6.2f s, score %.2f, at (%.0f, %.0f), %.0f x %.0f\n",
                event.name.c_str(), event.start_seconds, event.end_seconds, event.score,
                event.box.x, event.box.y, event.box.width, event.box.height);
}

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s VIDEO [MODEL]\n", argv[0]);
    return 2;
  }
  io::VideoReader video(argv[1], {.color = io::VideoColor::kGray});
  actions::RecognizeOptions options;
  if (video.info().rate.numerator > 0) options.frame_rate = video.info().rate.value();
  actions::Recognizer recognizer(argc > 2 ? argv[2] : "actions/weizmann", options);
  for (io::Frame frame; video.next(frame);) print(recognizer.push(frame.image));
  print(recognizer.finish());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "actions_recognize: %s\n", error.what());
  return 1;
}
