// Pyramidal Lucas-Kanade around one point as Bouguet's report of 2000 writes it: in double
// precision, every pixel fetched by itself, nothing shared between steps. Of a window, only pixels
// count that lie inside of both images, those of the first one with all of their neighbors.
#pragma once
#include <fovea/core/image.h>
#include <fovea/flow/follow.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fovea::reference {

struct FollowImage {
  int width = 0, height = 0;
  std::vector<double> gray;

  static int mirrored(int i, int count) {
    while (count > 1 && (i < 0 || i >= count)) i = i < 0 ? -i : 2 * (count - 1) - i;
    return count > 1 ? i : 0;
  }
  double at(int x, int y) const {
    return gray[static_cast<std::size_t>(mirrored(y, height)) * static_cast<std::size_t>(width) +
                static_cast<std::size_t>(mirrored(x, width))];
  }
  double at(double x, double y) const {
    const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
    const double a = x - i, b = y - j;
    return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) +
           b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
  }
  bool inside(double x, double y, int margin = 0) const {
    return x >= margin && y >= margin && x <= width - 1 - margin && y <= height - 1 - margin;
  }
  FollowImage half() const {
    constexpr double kTaps[] = {1, 4, 6, 4, 1};
    FollowImage small{(width + 1) / 2, (height + 1) / 2, {}};
    for (int y = 0; y < small.height; ++y)
      for (int x = 0; x < small.width; ++x) {
        double sum = 0;
        for (int j = 0; j < 5; ++j)
          for (int i = 0; i < 5; ++i) sum += kTaps[i] * kTaps[j] * at(2 * x + i - 2, 2 * y + j - 2);
        small.gray.push_back(sum / 256);
      }
    return small;
  }
};

inline std::vector<FollowImage> follow_levels(FollowImage image,
                                              const flow::FollowOptions& options) {
  std::vector<FollowImage> levels;
  levels.push_back(std::move(image));
  while (static_cast<int>(levels.size()) < options.levels) {
    FollowImage next = levels.back().half();
    const int side = 2 * options.radius + 1;
    if (std::min(next.width, next.height) <= side ||
        std::min(levels.back().width, levels.back().height) == 1)
      break;
    levels.push_back(std::move(next));
  }
  return levels;
}

struct FollowedPoint {
  double x, y;
  bool found;
  double error;
};

inline FollowedPoint follow(const std::vector<FollowImage>& first,
                            const std::vector<FollowImage>& second, flow::Position point,
                            const flow::FollowOptions& options) {
  const int r = options.radius;
  const double pixels = (2 * r + 1) * (2 * r + 1);
  FollowedPoint result{point.x, point.y, false, 0};
  if (!first[0].inside(point.x, point.y)) return result;
  for (int k = static_cast<int>(first.size()) - 1; k >= 0; --k) {
    const auto& a = first[static_cast<std::size_t>(k)];
    const auto& b = second[static_cast<std::size_t>(k)];
    const double scale = 1 << k, px = point.x / scale, py = point.y / scale;
    double x = result.x / scale, y = result.y / scale;
    const auto scharr = [&](int i, int j, bool down) {
      double sum = 0;
      for (int t = -1; t <= 1; ++t) {
        const int dx = down ? t : 1, dy = down ? 1 : t;
        const double weight = t == 0 ? 10 : 3;
        sum += weight * (a.at(px + i + dx, py + j + dy) -
                         a.at(px + i + (down ? dx : -dx), py + j + (down ? -dy : dy)));
      }
      return sum / 32;
    };
    const auto counts = [&](int i, int j) {
      return a.inside(px + i, py + j, 1) && b.inside(x + i, y + j);
    };
    const auto over_window = [&](auto value) {
      double sum = 0;
      for (int j = -r; j <= r; ++j)
        for (int i = -r; i <= r; ++i) sum += counts(i, j) ? value(i, j) : 0;
      return sum;
    };
    const auto difference = [&](int i, int j) { return b.at(x + i, y + j) - a.at(px + i, py + j); };
    double xx = 0, yy = 0, xy = 0;
    const auto textured = [&] {
      xx = over_window([&](int i, int j) { return std::pow(scharr(i, j, false), 2); });
      yy = over_window([&](int i, int j) { return std::pow(scharr(i, j, true), 2); });
      xy = over_window([&](int i, int j) { return scharr(i, j, false) * scharr(i, j, true); });
      return (xx + yy - std::hypot(xx - yy, 2 * xy)) / 2 >= options.min_eigenvalue * pixels;
    };
    result.found = b.inside(x, y) && textured();
    double before_x = 0, before_y = 0;
    for (int round = 0; result.found && round < options.iterations; ++round) {
      const double bx =
          over_window([&](int i, int j) { return difference(i, j) * scharr(i, j, false); });
      const double by =
          over_window([&](int i, int j) { return difference(i, j) * scharr(i, j, true); });
      const double determinant = xx * yy - xy * xy;
      const double dx = (xy * by - yy * bx) / determinant, dy = (xy * bx - xx * by) / determinant;
      if (!b.inside(x + dx, y + dy)) {
        result.found = false;
        break;
      }
      x += dx, y += dy;
      const bool is_short = std::hypot(dx, dy) <= options.epsilon;
      const bool to_and_fro =
          round > 0 && std::abs(dx + before_x) < 0.01 && std::abs(dy + before_y) < 0.01;
      if (!is_short && to_and_fro) x -= dx / 2, y -= dy / 2;
      result.found = textured();
      if (is_short || to_and_fro) break;
      before_x = dx, before_y = dy;
    }
    if (result.found || k == 0) result.x = x * scale, result.y = y * scale;
    if (k == 0 && result.found)
      result.error = over_window([&](int i, int j) { return std::abs(difference(i, j)); }) /
                     over_window([](int, int) { return 1.0; });
  }
  return result;
}

}  // namespace fovea::reference
