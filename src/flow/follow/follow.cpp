// The face of following points: checks images and points, converts to gray levels, and follows many
// points at a time.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/follow.h>

#include <cmath>
#include <utility>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "flow/flow_gray_pair.h"
#include "flow/follow/follow_cpu.h"

namespace fovea::flow {
namespace {

constexpr std::int64_t kPointsAtATime = 16;

template <class T>
void require_followed_image(const char* name, ImageView<const T> image) {
  detail::require_host("follow", name, image.memory);
  if (image.empty())
    throw InvalidArgument(fmt::format("follow: {} has {}x{} pixels; expected 1x1 at least", name,
                                      image.width, image.height));
  if (image.channels != 1 && image.channels != 3 && image.channels != 4)
    throw InvalidArgument(
        fmt::format("follow: {} has {} channels; expected 1, 3 or 4", name, image.channels));
  if constexpr (std::is_same_v<T, float>) require_finite(name, image);
}

void require_finite_places(const char* what, std::span<const Position> places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!std::isfinite(places[i].x) || !std::isfinite(places[i].y))
      throw InvalidArgument(fmt::format("follow: {} {} is ({}, {}); expected finite numbers", what,
                                        i, places[i].x, places[i].y));
}

void check_request(const FollowPoints& points, const FollowOptions& options) {
  check_options(options);
  if (options.exec.device.kind == DeviceKind::kCuda)
    throw InvalidArgument(
        "follow: works on the CPU only, but the device is a GPU; use the device cpu or auto");
  require_finite_places("point", points.points);
  require_finite_places("guess", points.guesses);
  if (!points.guesses.empty() && points.guesses.size() != points.points.size())
    throw InvalidArgument(
        fmt::format("follow: there are {} guesses for {} points; expected as many",
                    points.guesses.size(), points.points.size()));
}

template <class T>
cpu::FollowPyramid pyramid_of(ImageView<const T> image, const GrayRange& range,
                              const FollowOptions& options) {
  cpu::FollowLevel whole = cpu::follow_level(image.width, image.height, options);
  cpu::to_gray(image, range, whole.inside(), options.exec);
  return cpu::follow_pyramid(std::move(whole), options);
}

// Where the points of one pyramid are in another.
Followed follow_all(const cpu::FollowPyramid& first, const cpu::FollowPyramid& second,
                    const FollowPoints& points, const FollowOptions& options) {
  const auto count = points.points.size();
  const auto guesses = points.guesses.empty() ? points.points : points.guesses;
  Followed result{std::vector<Position>(count), std::vector<std::uint8_t>(count),
                  std::vector<float>(count)};
  parallel_for(options.exec, static_cast<std::int64_t>(count), kPointsAtATime,
               [&](std::int64_t begin, std::int64_t end) {
                 cpu::PointFollower follower(first, second, options);
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i) {
                   const auto followed = follower.follow(points.points[i], guesses[i]);
                   result.points[i] = followed.place;
                   result.status[i] = followed.found ? 1 : 0;
                   result.error[i] = followed.error;
                 }
               });
  return result;
}

void lose(Followed& result, std::size_t i) {
  result.status[i] = 0;
  result.error[i] = 0;
}

}  // namespace

void describe(OptionVisitor& visit, FollowOptions& options) {
  visit("radius", options.radius, "radius in pixels of the window around a point", 1, 50);
  visit("levels", options.levels, "levels of the pyramid at most, with the image itself", 1, 16);
  visit("iterations", options.iterations, "steps per level at most", 1, 1000);
  visit("epsilon", options.epsilon, "pixels of a step below which a level ends", 0, 100);
  visit("min-eigenvalue", options.min_eigenvalue,
        "texture that a point needs: the smaller eigenvalue of the mean products of the gradients "
        "in its window, in squares of gray levels (of 255) per pixel",
        1e-6, 1e6);
  visit("check", options.check,
        "pixels by which a point may miss its place when it is followed back; farther ones are "
        "lost",
        0, 1e6, {.absent = "no check"});
}

template <class T>
Followed follow(ImageView<const T> first, ImageView<const T> second, const FollowPoints& points,
                const FollowOptions& options) {
  check_request(points, options);
  require_followed_image("the first image", first);
  require_followed_image("the second image", second);
  if (first.width != second.width || first.height != second.height)
    throw InvalidArgument(
        fmt::format("follow: the first image is {}x{}, but the second one is {}x{}; a pair has one "
                    "size",
                    first.width, first.height, second.width, second.height));
  FollowOptions here = options;
  here.exec.device = Device::cpu();
  const GrayRange range = range_of_both(first, second, here.exec);
  const cpu::FollowPyramid from = pyramid_of(first, range, here),
                           to = pyramid_of(second, range, here);
  Followed result = follow_all(from, to, points, here);
  if (!options.check) return result;
  const Followed back = follow_all(to, from, {result.points, points.points}, here);
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    const Position was = points.points[i], is = back.points[i];
    if (back.status[i] == 0 || std::hypot(is.x - was.x, is.y - was.y) > *options.check)
      lose(result, i);
  }
  return result;
}
template FOVEA_API Followed follow(ImageView<const std::uint8_t>, ImageView<const std::uint8_t>,
                                   const FollowPoints&, const FollowOptions&);
template FOVEA_API Followed follow(ImageView<const std::uint16_t>, ImageView<const std::uint16_t>,
                                   const FollowPoints&, const FollowOptions&);
template FOVEA_API Followed follow(ImageView<const float>, ImageView<const float>,
                                   const FollowPoints&, const FollowOptions&);

}  // namespace fovea::flow
