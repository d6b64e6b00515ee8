#include "report/thin.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace fovea::report {
namespace {

constexpr double kColumn = 0.5;    // pixels; half of one, for screens of twice the resolution
constexpr double kFarthest = 1e6;  // pixels; nothing is visible farther out

std::int64_t cell(double pixels, double size) {
  return static_cast<std::int64_t>(std::floor(std::clamp(pixels, -kFarthest, kFarthest) / size));
}

std::vector<Point> thin_rising(const std::vector<Point>& points) {
  std::vector<Point> kept;
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first, lowest = first, highest = first;
    const std::int64_t column = cell(points[first].x, kColumn);
    for (std::size_t i = first; i < points.size() && cell(points[i].x, kColumn) == column; ++i) {
      if (points[i].y < points[lowest].y) lowest = i;
      if (points[i].y > points[highest].y) highest = i;
      last = i;
    }
    std::size_t chosen[4] = {first, lowest, highest, last};
    std::sort(std::begin(chosen), std::end(chosen));
    for (std::size_t k = 0; k < 4; ++k)
      if (k == 0 || chosen[k] != chosen[k - 1]) kept.push_back(points[chosen[k]]);
    first = last + 1;
  }
  return kept;
}

std::vector<Point> thin_wandering(const std::vector<Point>& points) {
  constexpr double kNear = 0.2;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool end = i == 0 || i + 1 == points.size();
    if (end || std::abs(points[i].x - kept.back().x) > kNear ||
        std::abs(points[i].y - kept.back().y) > kNear)
      kept.push_back(points[i]);
  }
  return kept;
}

}  // namespace

std::vector<Point> thin_line(std::vector<Point> points) {
  if (points.size() < 3) return points;
  const bool rising =
      std::is_sorted(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x; });
  return rising ? thin_rising(points) : thin_wandering(points);
}

std::vector<Point> thin_cloud(const std::vector<Point>& points, double cell_pixels) {
  std::unordered_set<std::int64_t> taken;
  std::vector<Point> kept;
  for (const Point point : points)
    if (taken.insert((cell(point.x, cell_pixels) << 32) + cell(point.y, cell_pixels)).second)
      kept.push_back(point);
  return kept;
}

}  // namespace fovea::report
