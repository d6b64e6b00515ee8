// Affine motions by least squares over sums (Wang and Adelson, 1994, equations 8 to 10), and which
// of them are one motion.
#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/segment/segment_parts.h"

namespace fovea::flow::segment {
namespace {

// Pulls the slopes of motions with few pixels towards 0: as much as this many pixels do at one unit
// of distance.
constexpr double kRidge = 0.01;

// Blurred flow at the borders of motions looks like motions of their own in smaller areas.
constexpr double kLeastCells = 2.5;

struct Solution {
  double a = 0, b = 0, c = 0;
};

// Solves the symmetric system of a + b x + c y by elimination; a set without extent gets a
// constant.
Solution solve(const Moments& m, double t, double xt, double yt) {
  if (!(m.n > 0)) return {};
  const double mean_x = m.x / m.n, mean_y = m.y / m.n, mean_t = t / m.n;
  const double xx = m.xx - m.x * mean_x + kRidge, yy = m.yy - m.y * mean_y + kRidge;
  const double xy = m.xy - m.x * mean_y;
  const double xr = xt - m.x * mean_t, yr = yt - m.y * mean_t;
  const double determinant = xx * yy - xy * xy;
  if (!(determinant > 0)) return {mean_t, 0, 0};
  const double b = (yy * xr - xy * yr) / determinant, c = (xx * yr - xy * xr) / determinant;
  return {mean_t - b * mean_x - c * mean_y, b, c};
}

}  // namespace

void Moments::add(double weight, double px, double py, double pu, double pv) {
  const double wx = weight * px, wy = weight * py;
  n += weight;
  x += wx;
  y += wy;
  xx += wx * px;
  xy += wx * py;
  yy += wy * py;
  u += weight * pu;
  xu += wx * pu;
  yu += wy * pu;
  v += weight * pv;
  xv += wx * pv;
  yv += wy * pv;
  squares += weight * (pu * pu + pv * pv);
}

Moments& Moments::operator+=(const Moments& other) {
  n += other.n;
  x += other.x;
  y += other.y;
  xx += other.xx;
  xy += other.xy;
  yy += other.yy;
  u += other.u;
  xu += other.xu;
  yu += other.yu;
  v += other.v;
  xv += other.xv;
  yv += other.yv;
  squares += other.squares;
  return *this;
}

double least_pixels(const SegmentOptions& options, int width, int height) {
  const double cells = kLeastCells * options.cell * options.cell;
  return std::min(std::max(options.least_share * width * height, cells), width * height / 4.0);
}

Frame frame_of(int width, int height) {
  return {(width - 1) / 2.0, (height - 1) / 2.0, std::max(1.0, std::max(width, height) / 2.0)};
}

AffineMotion Frame::to_pixels(const AffineMotion& motion) const {
  const auto plain = [&](const std::array<double, 3>& t) {
    const double across = t[1] / unit, down = t[2] / unit;
    return std::array<double, 3>{t[0] - across * middle_x - down * middle_y, across, down};
  };
  return {plain(motion.u), plain(motion.v)};
}

Fit fit_of(const Moments& m) {
  const Solution u = solve(m, m.u, m.xu, m.yu), v = solve(m, m.v, m.xv, m.yv);
  const double explained =
      2 * (u.a * m.u + u.b * m.xu + u.c * m.yu) + 2 * (v.a * m.v + v.b * m.xv + v.c * m.yv);
  const auto form = [&](const Solution& s) {
    return s.a * s.a * m.n + 2 * s.a * (s.b * m.x + s.c * m.y) + s.b * s.b * m.xx +
           2 * s.b * s.c * m.xy + s.c * s.c * m.yy;
  };
  return {{{u.a, u.b, u.c}, {v.a, v.b, v.c}},
          std::max(0.0, m.squares - explained + form(u) + form(v))};
}

double distance_between(const Moments& a, const Moments& b) {
  if (!(a.n > 0) || !(b.n > 0)) return std::numeric_limits<double>::infinity();
  Moments both = a;
  both += b;
  const double lost = fit_of(both).squares - fit_of(a).squares - fit_of(b).squares;
  return std::max(0.0, lost) * (a.n + b.n) / (a.n * b.n);
}

void merge_motions(std::vector<Moments>& motions, const SegmentOptions& options) {
  const double near = squared_tolerance(options);
  const auto most = static_cast<std::size_t>(options.layers.value_or(64));
  while (motions.size() > 1) {
    std::size_t first = 0, second = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < motions.size(); ++i) {
      for (std::size_t j = i + 1; j < motions.size(); ++j) {
        const double distance = distance_between(motions[i], motions[j]);
        if (distance < least) {
          least = distance;
          first = i;
          second = j;
        }
      }
    }
    if (second == 0 || (least > near && motions.size() <= most)) break;
    motions[first] += motions[second];
    motions.erase(motions.begin() + static_cast<std::ptrdiff_t>(second));
  }
  std::stable_sort(motions.begin(), motions.end(),
                   [](const Moments& a, const Moments& b) { return a.n > b.n; });
}

}  // namespace fovea::flow::segment
