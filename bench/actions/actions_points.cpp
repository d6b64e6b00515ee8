// Interest points of an endless video, 64 frames per run: people walk along a drawn street, with
// about as many points per frame as in videos of people.
#include "bench/actions/actions.h"

#include <fovea/actions/points.h>
#include <fovea/io/image_io.h>

#include <optional>

#include "bench/natural_scene.h"

namespace fovea::cli {
namespace {

constexpr Extent kSmall{160, 120}, kCamera{640, 480};
constexpr int kFrames = 64;
// The speed that STIP-2.0 reports for frames of this size, including descriptors.
constexpr double kStipFramesPerSecond = 10.8;

using Frames = std::vector<Image<std::uint8_t>>;

// The street's frames to and fro, so that the video can go on without a jump.
std::shared_ptr<const Frames> make_frames(Extent size) {
  const NaturalScene scene(size);
  auto frames = std::make_shared<Frames>();
  for (int t = 0; t < kFrames; ++t) {
    const int number = t < kFrames / 2 ? t : kFrames - 1 - t;
    frames->push_back(io::to_gray(scene.frame({number}).view()));
  }
  return frames;
}

BenchCase points_case(const std::string& name, actions::PointOptions options, Extent size) {
  options.block = kFrames;
  return {.name = name,
          .shape = {.width = size.width, .height = size.height},
          .bytes = static_cast<double>(size.width) * size.height * kFrames,
          .prepare = [=](Memory) -> BenchWork {
            const auto frames = make_frames(size);
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
          .published = size == kSmall ? std::optional(PublishedTime{"STIP-2.0",
                                                                    kFrames / kStipFramesPerSecond})
                                      : std::nullopt};
}

}  // namespace

std::vector<BenchCase> points_bench_cases() {
  actions::PointOptions described, plain, periodic;
  plain.descriptors = false;
  periodic.detector = actions::PointDetector::kPeriodic;
  periodic.descriptors = false;
  return {points_case("points_harris_described_64_frames", described, kSmall),
          points_case("points_harris_described_camera_64_frames", described, kCamera),
          points_case("points_harris_64_frames", plain, kSmall),
          points_case("points_periodic_64_frames", periodic, kSmall)};
}

}  // namespace fovea::cli
