// Small videos for tests of points.
#pragma once
#include <fovea/actions/points.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace fovea::actions {

inline PointOptions points_on(PointOptions options, const Exec& exec) {
  options.exec = exec;
  return options;
}

}  // namespace fovea::actions

namespace fovea::test {

using Clip = std::vector<Image<std::uint8_t>>;

inline std::vector<ImageView<const std::uint8_t>> views_of(const Clip& clip) {
  std::vector<ImageView<const std::uint8_t>> views;
  for (const auto& frame : clip) views.push_back(frame.view());
  return views;
}

struct ClipSize {
  int width, height, frames;
};
inline Clip drawn_clip(ClipSize size, const std::function<double(int x, int y, int t)>& gray) {
  Clip clip;
  for (int t = 0; t < size.frames; ++t) {
    Image<std::uint8_t> frame(size.width, size.height);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        frame.at(x, y) =
            static_cast<std::uint8_t>(std::lround(std::clamp(gray(x, y, t), 0., 255.)));
    clip.push_back(std::move(frame));
  }
  return clip;
}

// Discs that wander before a texture, turning now and then.
inline Clip busy_clip(ClipSize size, std::uint64_t seed) {
  Random random(seed);
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * random.uniform();
  };
  struct Disc {
    double x, y, dx, dy, radius, gray;
  };
  std::vector<Disc> discs;
  for (int i = 0; i < 5; ++i)
    discs.push_back({uniform(0, size.width), uniform(0, size.height), uniform(-2, 2),
                     uniform(-2, 2), uniform(3, 9), uniform(0, 255)});
  std::vector<std::vector<Disc>> path;
  for (int t = 0; t < size.frames; ++t) {
    path.push_back(discs);
    for (Disc& disc : discs) {
      if (random.uniform() < 0.15) disc.dx = -disc.dx;
      if (random.uniform() < 0.15) disc.dy = -disc.dy;
      disc.x += disc.dx;
      disc.y += disc.dy;
    }
  }
  return drawn_clip(size, [&](int x, int y, int t) {
    double gray = 110 + 20 * std::sin(0.5 * x) * std::cos(0.4 * y);
    for (const Disc& disc : path[static_cast<std::size_t>(t)]) {
      const double distance = std::hypot(x - disc.x, y - disc.y) - disc.radius;
      if (distance < 1)
        gray = distance < 0 ? disc.gray : distance * gray + (1 - distance) * disc.gray;
    }
    return gray;
  });
}

}  // namespace fovea::test
