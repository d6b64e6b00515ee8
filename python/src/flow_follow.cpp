// fovea.flow: single points that are followed from one image to the next.
#include <fovea/core/error.h>
#include <fovea/flow/follow.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "arrays.h"
#include "define.h"
#include "flow_input.h"
#include "systems.h"

namespace fovea::python {
namespace {

using flow::FollowOptions;
using flow::Position;

// What a point takes per pixel of its window, and an image per pixel.
constexpr double kOperationsPerWindowPixel = 400, kOperationsPerImagePixel = 60;

// Points, with the shape that they came in: OpenCV's have an axis of one in the middle.
struct PositionsInput {
  AnyArray array;
  std::vector<std::size_t> shape{};

  std::span<const Position> view() const {
    return {static_cast<const Position*>(array.data()), array.size() / 2};
  }
};

PositionsInput positions(nb::handle value, const char* name) {
  PositionsInput input{dense_array<float>(value, name, {2, 3})};
  const AnyArray& array = input.array;
  for (std::size_t i = 0; i < array.ndim(); ++i) input.shape.push_back(array.shape(i));
  if (input.shape.back() != 2 || (array.ndim() == 3 && input.shape[1] != 1))
    throw InvalidArgument(fmt::format(
        "{} is {}; expected an array of float32 and of shape (points, 2) or (points, 1, 2)", name,
        array_text(value)));
  return input;
}

nb::tuple follow(FollowOptions options, nb::handle image, nb::handle next_image, nb::handle points,
                 nb::handle guess) {
  static_assert(sizeof(Position) == 2 * sizeof(float));
  options.exec = on_cpu_only("points are followed", options.exec);
  const ImageInput a = flow_image(image, "image"), b = flow_image(next_image, "next_image");
  require_one_type({a, image, "image"}, {b, next_image, "next_image"});
  const PositionsInput from = positions(points, "points");
  PositionsInput guesses;
  if (!guess.is_none()) {
    guesses = positions(guess, "guess");
    if (guesses.array.size() != from.array.size())
      throw InvalidArgument(fmt::format("guess is {}, but there are {} points; expected as many",
                                        array_text(guess), from.view().size()));
  }
  const double side = 2 * options.radius + 1;
  flow::Followed found = visit_samples(a, [&]<class T>(ImageView<const T> view) {
    const double pixels = static_cast<double>(view.width) * view.height;
    const Work work{kOperationsPerWindowPixel * side * side *
                        static_cast<double>(from.view().size()) +
                    kOperationsPerImagePixel * pixels};
    return run_once(work, options.exec, nb::none(), [&](const Exec& exec) {
      return flow::follow<T>(
          view, b.of<T>(),
          {from.view(), guess.is_none() ? std::span<const Position>() : guesses.view()},
          with_exec(options, exec));
    });
  });
  auto places = std::make_unique_for_overwrite<float[]>(2 * found.points.size());
  if (!found.points.empty())
    std::memcpy(places.get(), found.points.data(), found.points.size() * sizeof(Position));
  return nb::make_tuple(detail::owned_array(std::move(places), from.shape), to_numpy(found.status),
                        to_numpy(found.error));
}

}  // namespace

void bind_flow_follow(nb::module_& m) { define<ChoosesDevice::kOperation>(m, "follow", &follow); }

}  // namespace fovea::python
