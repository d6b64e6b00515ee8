// Explains one pixel of a map by solving its problem again with the flow that has the least cost.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dispatch.h"

namespace fovea::emd {
namespace {

void require_pixel(int x, int y, int width, int height) {
  if (x >= 0 && y >= 0 && x < width && y < height) return;
  throw InvalidArgument(fmt::format("explain: the pixel {},{} lies outside of the image of {}x{}",
                                    x, y, width, height));
}

// Fills in distance, moves and costs from the two histograms.
void solve_again(const Mapper& mapper, MapExplanation& to) {
  SolverOptions options = mapper.options().solver;
  options.exec = {.device = Device::cpu(), .threads = 1};
  const GroundDistance& ground = mapper.ground();
  to.mass = options.mass;
  to.target.assign(mapper.target().begin(), mapper.target().end());
  const Solution solution = distance(ground, to.histogram, to.target, options);
  to.distance = solution.distance;
  to.status = solution.status;
  to.solved_by = solution.solved_by;
  to.cost_from.assign(to.histogram.size(), 0.0);
  to.cost_to.assign(to.target.size(), 0.0);
  double moved = 0;
  const int rows = ground.rows(), columns = ground.columns();
  for (int i = 0; i < rows && !solution.flow.empty(); ++i)
    for (int j = 0; j < columns; ++j) {
      const double mass = solution.flow[static_cast<std::size_t>(i) * columns + j];
      if (!(mass > 0)) continue;
      const double cost = ground.cost(i, j);
      to.moves.push_back({i, j, mass, cost, mass * cost});
      moved += mass;
    }
  // Rubner's distance is the cost per unit of mass that is moved.
  const double divisor = options.mass == MassPolicy::kPartial && moved > 0 ? moved : 1;
  double sum = 0;
  for (BinMove& move : to.moves) {
    move.value /= divisor;
    sum += move.value;
    to.cost_from[static_cast<std::size_t>(move.from)] += move.value;
    to.cost_to[static_cast<std::size_t>(move.to)] += move.value;
  }
  // Without moves all of it is what an empty histogram is charged.
  if (options.mass == MassPolicy::kPenalty || to.moves.empty()) to.surplus = to.distance - sum;
  std::stable_sort(to.moves.begin(), to.moves.end(),
                   [](const BinMove& a, const BinMove& b) { return a.value > b.value; });
}

}  // namespace

MapExplanation explain(const Mapper& mapper, ImageView<const std::uint8_t> labels, int x, int y) {
  fovea::detail::require_host("explain", "the image of labels", labels.memory);
  fovea::detail::require_shape("explain", "labels", labels, labels.width, labels.height, 1);
  require_pixel(x, y, labels.width, labels.height);
  MapExplanation to;
  to.x = x;
  to.y = y;
  to.image = {labels.width, labels.height};
  const int side = mapper.options().window, radius = side / 2;
  to.window = intersect(Rect<int>{x - radius, y - radius, side, side}, whole(to.image));
  // The window touches the border of this part only where it touches that of the image.
  const ImageView<const std::uint8_t> part =
      labels.crop(to.window.x, to.window.y, to.window.width, to.window.height);
  const int bins = mapper.ground().rows(), in_x = x - to.window.x, in_y = y - to.window.y;
  Image<std::uint16_t> counts(part.width, part.height, bins);
  window_histogram(part, counts,
                   {.window = {side, side},
                    .border = mapper.options().border,
                    .exec = {.device = Device::cpu(), .threads = 1}});
  to.histogram.resize(static_cast<std::size_t>(bins));
  for (int b = 0; b < bins; ++b)
    to.histogram[static_cast<std::size_t>(b)] = counts.at(in_x, in_y, b);
  solve_again(mapper, to);
  // Pixels of a bin share its cost equally.
  to.heat = Image<float>(part.width, part.height);
  for (int v = 0; v < part.height; ++v) std::fill_n(to.heat.row(v), part.width, 0.0F);
  const bool repeats = mapper.options().border == WindowBorder::kRepeat;
  for (int dv = -radius; dv <= radius; ++dv)
    for (int du = -radius; du <= radius; ++du) {
      const int u = std::clamp(in_x + du, 0, part.width - 1),
                v = std::clamp(in_y + dv, 0, part.height - 1);
      if (!repeats && (u != in_x + du || v != in_y + dv)) continue;
      const std::uint8_t bin = part.at(u, v);
      if (bin < bins) to.heat.at(u, v) += static_cast<float>(to.cost_from[bin] / to.histogram[bin]);
    }
  return to;
}

MapExplanation explain_histograms(const Mapper& mapper, ImageView<const std::uint16_t> masses,
                                  int x, int y) {
  fovea::detail::require_host("explain", "the image of masses", masses.memory);
  fovea::detail::require_shape("explain", "masses", masses, masses.width, masses.height,
                               mapper.ground().rows());
  require_pixel(x, y, masses.width, masses.height);
  MapExplanation to;
  to.x = x;
  to.y = y;
  to.image = {masses.width, masses.height};
  to.window = {x, y, 1, 1};
  to.histogram.reserve(static_cast<std::size_t>(masses.channels));
  for (int b = 0; b < masses.channels; ++b) to.histogram.push_back(masses.at(x, y, b));
  solve_again(mapper, to);
  return to;
}

}  // namespace fovea::emd
