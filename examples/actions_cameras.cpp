// Recognizes actions in several videos or cameras at once: actions_cameras VIDEO...
#include <fovea/actions/recognize.h>
#include <fovea/core/error.h>
#include <fovea/io/video.h>

#include <atomic>
#include <cstdio>
#include <thread>

using namespace fovea;

std::atomic<int> status = 0;

// Each camera has a recognizer and a thread of its own.
void watch(actions::Recognizer recognizer, const std::string& path) try {
  const auto print = [&](std::span<const actions::Event> events) {
    for (const actions::Event& event : events)
      std::printf("%s: %s from %.2f s to %.2f s, score %.2f\n", path.c_str(), event.name.c_str(),
                  event.start_seconds, event.end_seconds, event.score);
  };
  io::VideoReader video(path, {.color = io::VideoColor::kGray});
  for (io::Frame frame; video.next(frame);) print(recognizer.push(frame.image));
  print(recognizer.finish());
} catch (const Error& error) {
  std::fprintf(stderr, "actions_cameras: %s\n", error.what());
  status = 1;
}

int main(int argc, char** argv) try {
  const actions::Recognizer first("actions/weizmann");
  std::vector<std::jthread> cameras;
  for (int i = 1; i < argc; ++i)
    cameras.emplace_back([&first, path = std::string(argv[i])] { watch(first.another(), path); });
  cameras.clear();  // waits for all of them
  return status;
} catch (const Error& error) {
  std::fprintf(stderr, "actions_cameras: %s\n", error.what());
  return 1;
}
