// Interest points of an endless video, 64 frames per run: people walk along a drawn street, with
// about as many points per frame as in videos of people.
#include "cli/bench/actions/actions.h"

#include <fovea/actions/points.h>
#include <fovea/io/image_io.h>

#include <optional>

#include "cli/bench/natural_scene.h"

namespace fovea::cli {
namespace {

constexpr int kWidth = 160, kHeight = 120, kFrames = 64;
// The speed that STIP-2.0 reports for frames of this size, including descriptors.
constexpr double kStipFramesPerSecond = 10.8;

using Frames = std::vector<Image<std::uint8_t>>;

// The street's frames to and fro, so that the video can go on without a jump.
std::shared_ptr<const Frames> make_frames() {
  const NaturalScene scene({kWidth, kHeight});
  auto frames = std::make_shared<Frames>();
  for (int t = 0; t < kFrames; ++t) {
    const int number = t < kFrames / 2 ? t : kFrames - 1 - t;
    frames->push_back(io::to_gray(scene.frame({number}).view()));
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
