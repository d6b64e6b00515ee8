// Interest points of an endless video, 64 frames per run: discs move over a texture and turn
// around, with about as many points per frame as a street has.
#include "cli/bench/actions.h"

#include <fovea/actions/points.h>
#include <fovea/core/random.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fovea::cli {
namespace {

constexpr int kWidth = 160, kHeight = 120, kFrames = 64;
// The speed that STIP-2.0 reports for frames of this size, including descriptors.
constexpr double kStipFramesPerSecond = 10.8;

using Frames = std::vector<Image<std::uint8_t>>;

struct Disc {
  double x, y, dx, dy, radius, gray;
};

Image<std::uint8_t> draw(const std::vector<Disc>& discs) {
  Image<std::uint8_t> frame(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      double gray = 110 + 20 * std::sin(0.5 * x) * std::cos(0.4 * y);
      for (const Disc& disc : discs)
        if (std::hypot(x - disc.x, y - disc.y) < disc.radius) gray = disc.gray;
      frame.at(x, y) = static_cast<std::uint8_t>(gray);
    }
  return frame;
}

std::shared_ptr<const Frames> make_frames() {
  Random random(1);
  const auto between = [&](double from, double to) {
    return from + (to - from) * random.uniform();
  };
  std::vector<Disc> discs;
  discs.reserve(8);
  for (int i = 0; i < 8; ++i)
    discs.push_back({between(20, kWidth - 20), between(20, kHeight - 20), between(-2, 2),
                     between(-2, 2), between(4, 12), between(0, 255)});
  auto frames = std::make_shared<Frames>();
  for (int t = 0; t < kFrames; ++t) {
    frames->push_back(draw(discs));
    for (Disc& disc : discs) {
      if (random.uniform() < 0.15) disc.dx = -disc.dx;
      if (random.uniform() < 0.15) disc.dy = -disc.dy;
      disc.x = std::clamp(disc.x + disc.dx, 0.0, static_cast<double>(kWidth));
      disc.y = std::clamp(disc.y + disc.dy, 0.0, static_cast<double>(kHeight));
    }
  }
  return frames;
}

BenchCase points_case(const std::string& name, actions::PointOptions options,
                      const std::shared_ptr<const Frames>& frames) {
  options.block = kFrames;
  return {.name = name,
          .shape = {.width = kWidth, .height = kHeight},
          .bytes = static_cast<double>(kWidth) * kHeight * kFrames,
          .prepare = [=](Memory) -> BenchWork {
            const auto stream = std::make_shared<std::optional<actions::PointStream>>();
            return [=](const Exec& exec) {
              if (!*stream) {
                actions::PointOptions own = options;
                own.exec = exec;
                own.exec.stream = nullptr;  // the clock's stream ends with the first measurement
                stream->emplace(own);
              }
              for (const auto& frame : *frames) (*stream)->push(frame);
            };
          },
          .published = PublishedTime{"STIP-2.0", kFrames / kStipFramesPerSecond}};
}

}  // namespace

std::vector<BenchCase> points_bench_cases() {
  const auto frames = make_frames();
  actions::PointOptions described, plain, periodic;
  plain.descriptors = false;
  periodic.detector = actions::PointDetector::kPeriodic;
  periodic.descriptors = false;
  return {points_case("points_harris_described_64_frames", described, frames),
          points_case("points_harris_64_frames", plain, frames),
          points_case("points_periodic_64_frames", periodic, frames)};
}

}  // namespace fovea::cli
