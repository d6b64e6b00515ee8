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

// For every motion the nearest of those behind it, so that the nearest pair need not be searched
// among all pairs anew after every merge. Among equal distances the first pair counts.
class NearestMotions {
 public:
  struct Pair {
    std::size_t first = 0, second = 0;  // second is 0 where there is none
    double distance = std::numeric_limits<double>::infinity();
  };

  explicit NearestMotions(const std::vector<Moments>& motions) : motions_(motions) {
    pairs_.reserve(motions.size());
    for (std::size_t i = 0; i < motions.size(); ++i) pairs_.push_back(nearest_to(i));
  }
  Pair best() const {
    Pair best;
    for (const Pair& pair : pairs_)
      if (pair.distance < best.distance) best = pair;
    return best;
  }
  // Follows a merge into the first motion, after which the second is no more.
  void merged(std::size_t first, std::size_t second) {
    pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(second));
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      const bool gone = pair.second == second || pair.second == first || i == first;
      if (pair.second > second) --pair.second;
      pair.first = i;
      if (gone) pair = nearest_to(i);
      else if (i < first) take(pair, first);
    }
  }

 private:
  Pair nearest_to(std::size_t i) const {
    Pair pair{.first = i};
    for (std::size_t j = i + 1; j < motions_.size(); ++j) take(pair, j);
    return pair;
  }
  void take(Pair& pair, std::size_t j) const {
    const double distance = distance_between(motions_[pair.first], motions_[j]);
    if (distance < pair.distance || (distance == pair.distance && j < pair.second)) {
      pair.second = j;
      pair.distance = distance;
    }
  }

  const std::vector<Moments>& motions_;
  std::vector<Pair> pairs_{};
};

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
  AffineMotion plain;
  for (const std::size_t k : {0U, 3U}) {  // u and v
    const double across = motion.terms[k + 1] / unit, down = motion.terms[k + 2] / unit;
    plain.terms[k] = motion.terms[k] - across * middle_x - down * middle_y;
    plain.terms[k + 1] = across;
    plain.terms[k + 2] = down;
  }
  return plain;
}

Fit fit_of(const Moments& m) {
  const Solution u = solve(m, m.u, m.xu, m.yu), v = solve(m, m.v, m.xv, m.yv);
  const double explained =
      2 * (u.a * m.u + u.b * m.xu + u.c * m.yu) + 2 * (v.a * m.v + v.b * m.xv + v.c * m.yv);
  const auto form = [&](const Solution& s) {
    return s.a * s.a * m.n + 2 * s.a * (s.b * m.x + s.c * m.y) + s.b * s.b * m.xx +
           2 * s.b * s.c * m.xy + s.c * s.c * m.yy;
  };
  return {{{u.a, u.b, u.c, v.a, v.b, v.c}},
          std::max(0.0, m.squares - explained + form(u) + form(v))};
}

double distance_between(const Moments& a, const Moments& b) {
  if (!(a.n > 0) || !(b.n > 0)) return std::numeric_limits<double>::infinity();
  Moments both = a;
  both += b;
  const double lost = fit_of(both).squares - fit_of(a).squares - fit_of(b).squares;
  return std::max(0.0, lost) * (a.n + b.n) / (a.n * b.n);
}

void add_motions(std::vector<Moments>& motions, std::vector<Moments> more) {
  const std::size_t room = kMostMotions > motions.size() ? kMostMotions - motions.size() : 0;
  if (more.size() > room) {
    std::stable_sort(more.begin(), more.end(),
                     [](const Moments& a, const Moments& b) { return a.n > b.n; });
    more.resize(room);
  }
  motions.insert(motions.end(), more.begin(), more.end());
}

void merge_motions(std::vector<Moments>& motions, const SegmentOptions& options) {
  const double near = squared_tolerance(options);
  const auto most = static_cast<std::size_t>(options.layers.value_or(64));
  NearestMotions nearest(motions);
  while (motions.size() > 1) {
    throw_if_stopped(options.exec);
    const auto [first, second, least] = nearest.best();
    if (second == 0 || (least > near && motions.size() <= most)) break;
    motions[first] += motions[second];
    motions.erase(motions.begin() + static_cast<std::ptrdiff_t>(second));
    nearest.merged(first, second);
  }
  std::stable_sort(motions.begin(), motions.end(),
                   [](const Moments& a, const Moments& b) { return a.n > b.n; });
}

}  // namespace fovea::flow::segment
