#include "cli/bench/emd/emd_track.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/emd/track.h>

#include <memory>
#include <optional>

#include "cli/emd/cube_scene.h"

namespace fovea::cli {
namespace {

constexpr int kTrackedCubes = 4;  // they come again and again, to and fro, so that the target does
                                  // not jump

BenchCase track_case(Extent size, int bands) {
  struct Course {
    std::vector<Stack<float>> cubes;
    std::vector<Rect<double>> boxes;
    std::optional<emd::Tracker> tracker{};  // made for the settings of the first call
    int next = 0;
  };
  const double samples = static_cast<double>(size.width) * size.height * bands;
  return {
      .name = "emd_track_cubes",
      .shape = {.width = size.width, .height = size.height, .channels = bands},
      .bytes = samples * sizeof(float),
      .prepare = [=](Memory memory) -> BenchWork {
        const auto course = std::make_shared<Course>();
        DrawnCube drawn = drawn_cube(size, bands, 1);
        CubeSceneOptions options{.target = {drawn.target.x, drawn.target.y, 48, 48}};
        options.frames = kTrackedCubes;
        const CubeScene scene(std::move(drawn.bands), {}, options);
        for (int i = 0; i < kTrackedCubes; ++i) {
          const Stack<float> cube = scene.frame(i, {});
          Stack<float> there(size.width, size.height, bands, 1, memory);
          copy(cube.view(), there.view());
          course->cubes.push_back(std::move(there));
          const Rect<int>& box = scene.box(i);
          course->boxes.push_back({1.0 * box.x, 1.0 * box.y, 1.0 * box.width, 1.0 * box.height});
        }
        return [=](const Exec& exec) {
          if (!course->tracker) {
            emd::TrackOptions with;
            with.exec = exec;
            with.exec.stream = nullptr;  // the clock's stream ends with the measurement
            course->tracker.emplace(std::as_const(course->cubes[0]).view(), course->boxes[0], with);
          }
          constexpr int kTurns = 2 * kTrackedCubes - 2;
          course->next = (course->next + 1) % kTurns;
          const int cube = course->next < kTrackedCubes ? course->next : kTurns - course->next;
          course->tracker->track(
              std::as_const(course->cubes[static_cast<std::size_t>(cube)]).view());
        };
      }};
}

}  // namespace

void describe(OptionVisitor& visit, EmdTrackBenchOptions& options) {
  visit("track", options.track, "measure the tracker on cubes, instead of the solver alone");
  visit("cube-sizes", options.cube_sizes, "sizes of the cubes of --track");
  visit("cube-bands", options.cube_bands, "numbers of bands of the cubes of --track, one per size",
        6, 1000);
}

std::vector<BenchCase> emd_track_cases(const EmdTrackBenchOptions& options) {
  if (options.cube_sizes.size() != options.cube_bands.size())
    throw InvalidArgument(
        fmt::format("--cube-sizes holds {} and --cube-bands {}; expected as many of both",
                    options.cube_sizes.size(), options.cube_bands.size()));
  std::vector<BenchCase> cases;
  cases.reserve(options.cube_sizes.size());
  for (std::size_t i = 0; i < options.cube_sizes.size(); ++i) {
    const Extent size = options.cube_sizes[i];
    if (size.width < 128 || size.height < 128)
      throw InvalidArgument(
          fmt::format("--cube-sizes holds '{}x{}'; expected cubes of at least 128x128", size.width,
                      size.height));
    cases.push_back(track_case(size, options.cube_bands[i]));
  }
  return cases;
}

}  // namespace fovea::cli
