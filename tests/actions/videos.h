// Small videos of actions: a textured square that swings across, up and down, or grows and shrinks.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <fovea/io/video.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace fovea::actions {

inline const std::vector<std::string>& swing_names() {
  static const std::vector<std::string> kNames{"across", "grow", "up"};
  return kNames;
}

// A frame of an action (by its place among the names) by a subject; -1: nothing moves.
inline Image<std::uint8_t> swing_frame(int action, int subject, int frame) {
  Image<std::uint8_t> image(96, 72);
  const double phase = 0.55 * frame + 0.9 * subject;
  const double swing = action < 0 ? 0 : std::sin(phase);
  const double x0 = 48 + subject % 3 + (action == 0 ? 16 * swing : 0);
  const double y0 = 36 - subject % 2 + (action == 2 ? 12 * swing : 0);
  const double half = 9 + (action == 1 ? 4 * swing : 0);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const bool inside = std::abs(x - x0) < half && std::abs(y - y0) < half;
      const int shade = (static_cast<int>(std::floor((x - x0) / 4)) +
                         static_cast<int>(std::floor((y - y0) / 4))) %
                                    2 ==
                                0
                            ? 230
                            : 170 + 5 * subject;
      const auto noise = static_cast<int>(philox(static_cast<std::uint64_t>(7 + subject),
                                                 static_cast<std::uint64_t>(frame),
                                                 static_cast<std::uint64_t>(y * 96 + x))
                                              .word[0] %
                                          4);
      image.at(x, y) = static_cast<std::uint8_t>((inside ? shade : 60 + (x + y) / 4) + noise);
    }
  return image;
}

// Actions one after the other, by one subject.
inline void write_swings(const std::string& path, const std::vector<int>& actions, int subject,
                         int frames_each = 36) {
  io::VideoWriter writer(path);
  int frame = 0;
  for (const int action : actions)
    for (int i = 0; i < frames_each; ++i)
      writer.write(swing_frame(action, subject, frame++).view());
  writer.finish();
}

// A folder with a folder an action, a video a subject.
inline void write_swing_folder(const std::string& folder, int subjects) {
  for (std::size_t action = 0; action < swing_names().size(); ++action) {
    const std::string to = folder + "/" + swing_names()[action];
    std::filesystem::create_directories(to);
    for (int subject = 0; subject < subjects; ++subject)
      write_swings(to + "/s" + std::to_string(subject) + "_swing.y4m", {static_cast<int>(action)},
                   subject);
  }
}

}  // namespace fovea::actions
