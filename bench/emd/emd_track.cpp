#include "bench/emd/emd_track.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/emd/track.h>

#include <memory>
#include <optional>

#include "bench/natural_scene.h"
#include "cli/emd/cube_scene.h"

namespace fovea::cli {
namespace {

constexpr int kTrackedCubes = 4;  // they come again and again, to and fro, so that the target does
                                  // not jump, as do images

// Where a tracker is on its way to and fro.
struct TrackCourse {
  std::optional<emd::Tracker> tracker{};  // made for the settings of the first call
  int next = 0;

  std::size_t step() {
    constexpr int kTurns = 2 * kTrackedCubes - 2;
    next = (next + 1) % kTurns;
    return static_cast<std::size_t>(next < kTrackedCubes ? next : kTurns - next);
  }
};
emd::TrackOptions options_for(const Exec& exec) {
  emd::TrackOptions with;
  with.exec = exec;
  with.exec.stream = nullptr;  // the clock's stream ends with the measurement
  return with;
}

BenchCase track_case(Extent size, int bands) {
  struct CubeCourse : TrackCourse {
    std::vector<Stack<float>> cubes;
    std::vector<Rect<double>> boxes;
  };
  const double samples = static_cast<double>(size.width) * size.height * bands;
  return {
      .name = "emd_track_cubes",
      .shape = {.width = size.width, .height = size.height, .channels = bands},
      .bytes = samples * sizeof(float),
      .prepare = [=](Memory memory) -> BenchWork {
        const auto course = std::make_shared<CubeCourse>();
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
          if (!course->tracker)
            course->tracker.emplace(std::as_const(course->cubes[0]).view(), course->boxes[0],
                                    options_for(exec));
          course->tracker->track(std::as_const(course->cubes[course->step()]).view());
        };
      }};
}

// A piece of a drawn street, seen by a camera that moves.
BenchCase image_case(Extent size, emd::TrackFilter filter) {
  struct ImageCourse : TrackCourse {
    std::vector<Image<std::uint8_t>> images;
  };
  constexpr double kTargetSide = 48, kCameraPixels = 4;
  return {
      .name = filter == emd::TrackFilter::kOff ? "emd_track_colors" : "emd_track_colors_and_edges",
      .shape = {.width = size.width, .height = size.height, .channels = 3},
      .bytes = 3.0 * size.width * size.height,
      .prepare = [=](Memory memory) -> BenchWork {
        const auto course = std::make_shared<ImageCourse>();
        const NaturalScene scene(size, 1);
        course->images.reserve(kTrackedCubes);
        for (int i = 0; i < kTrackedCubes; ++i)
          course->images.push_back(
              clone(scene.frame({.number = i, .camera = kCameraPixels}).view(), memory));
        return [=](const Exec& exec) {
          if (!course->tracker) {
            emd::TrackOptions with = options_for(exec);
            with.filter = filter;
            course->tracker.emplace(
                std::as_const(course->images[0]).view(),
                Rect<double>{0.5 * (size.width - kTargetSide), 0.5 * (size.height - kTargetSide),
                             kTargetSide, kTargetSide},
                with);
          }
          course->tracker->track(std::as_const(course->images[course->step()]).view());
        };
      }};
}

void require_least(const char* option, Extent size) {
  if (size.width < 128 || size.height < 128)
    throw InvalidArgument(fmt::format("{} holds '{}x{}'; expected at least 128x128", option,
                                      size.width, size.height));
}

}  // namespace

void describe(OptionVisitor& visit, EmdTrackBenchOptions& options) {
  visit("track", options.track,
        "measure the tracker on images and cubes, instead of the solver alone");
  visit("image-sizes", options.image_sizes,
        "sizes of the images of --track, which are followed with and without the filter of edges");
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
  cases.reserve(2 * options.image_sizes.size() + options.cube_sizes.size());
  for (const Extent size : options.image_sizes) {
    require_least("--image-sizes", size);
    cases.push_back(image_case(size, emd::TrackFilter::kOn));
    cases.push_back(image_case(size, emd::TrackFilter::kOff));
  }
  for (std::size_t i = 0; i < options.cube_sizes.size(); ++i) {
    require_least("--cube-sizes", options.cube_sizes[i]);
    cases.push_back(track_case(options.cube_sizes[i], options.cube_bands[i]));
  }
  return cases;
}

}  // namespace fovea::cli
