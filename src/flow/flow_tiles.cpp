// Chooses the finest level that still fits as a whole, so that tiles have few levels of their own
// and need only narrow surroundings.
#include "flow/flow_tiles.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>

namespace fovea::flow {
namespace {

constexpr int kMostMove = 256;   // pixels; greater motion may end at a tile's border
constexpr int kLeastSide = 256;  // smaller tiles would mostly be surroundings
constexpr int kFieldBytes =
    12;  // per pixel of a coarse level's flow, which is kept while tiles are processed
constexpr int kHalvingReach = 4;  // pixels of a level that the cut of the finer level affects

std::uint64_t bytes_of(int width, int height, std::uint64_t per_pixel) {
  return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) * per_pixel;
}
int up_to_multiple(int value, int unit) { return (value + unit - 1) / unit * unit; }

// Returns the largest side of a tile for a start at this level, or 0 if there is none.
int largest_side(const TilePlan& plan, std::uint64_t bytes, std::uint64_t per_pixel) {
  const double across = std::sqrt(static_cast<double>(bytes) / static_cast<double>(per_pixel));
  const double side = std::min(across - 2.0 * (plan.halo + plan.move), 1e9);
  return side < kLeastSide ? 0 : static_cast<int>(side) / plan.unit * plan.unit;
}

}  // namespace

TilePlan plan_tiles(const Matcher& matcher, int width, int height, std::uint64_t limit) {
  const std::uint64_t per_pixel = matcher.bytes_per_pixel();
  // Indices within an image are 32-bit numbers.
  constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 30;
  limit = limit == 0 ? kMostWhole * per_pixel : std::min(limit, kMostWhole * per_pixel);
  if (bytes_of(width, height, per_pixel) <= limit) return {};
  TilePlan plan;
  plan.move = kMostMove;
  int coarse_width = width, coarse_height = height;
  for (int level = 1; std::min(coarse_width, coarse_height) > 32; ++level) {
    coarse_width = (coarse_width + 1) / 2;
    coarse_height = (coarse_height + 1) / 2;
    plan.start_level = level;
    plan.halo += (matcher.reach(level - 1) + kHalvingReach) << (level - 1);
    plan.unit = matcher.grid() << level;
    plan.halo = up_to_multiple(plan.halo, plan.unit);
    plan.from_rest = level == matcher.most_levels();
    const std::uint64_t kept =
        plan.from_rest ? 0 : bytes_of(coarse_width, coarse_height, kFieldBytes);
    const std::uint64_t whole =
        plan.from_rest ? 0 : bytes_of(coarse_width, coarse_height, per_pixel + kFieldBytes);
    if (whole <= limit && kept <= limit / 2)
      plan.side = largest_side(plan, limit - kept, per_pixel);
    if (plan.side > 0) return plan;
    if (plan.from_rest) break;
  }
  throw InvalidArgument(
      fmt::format("flow: {} bytes of memory are not enough for an image of {}x{}; raise the limit",
                  limit, width, height));
}

std::vector<Rect<int>> tiles_of(const TilePlan& plan, int width, int height) {
  const auto even = [&](int size) {
    const int count = (size + plan.side - 1) / plan.side;
    return up_to_multiple((size + count - 1) / count, plan.unit);
  };
  const int across = even(width), down = even(height);
  std::vector<Rect<int>> tiles;
  for (int y = 0; y < height; y += down)
    for (int x = 0; x < width; x += across)
      tiles.push_back({x, y, std::min(across, width - x), std::min(down, height - y)});
  return tiles;
}

Rect<int> surrounded(const Rect<int>& tile, const TilePlan& plan, int move, int width, int height) {
  const int around = up_to_multiple(plan.halo + std::min(move, plan.move), plan.unit);
  return intersect(
      {tile.x - around, tile.y - around, tile.width + 2 * around, tile.height + 2 * around},
      Rect<int>{0, 0, width, height});
}

}  // namespace fovea::flow
