#include "report/raster.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dispatch.h"

namespace fovea::report {
namespace {

// How much of a window one pixel wide at `offset` lies in [low, high].
double overlap(double offset, double low, double high) {
  return std::clamp(std::min(offset + 0.5, high) - std::max(offset - 0.5, low), 0.0, 1.0);
}

// The first pixel, and one past the last, whose center lies within [low, high], cut to [0, size).
// None does where a bound is NaN, as with coordinates whose differences overflow.
struct Range {
  int first, last;
};
Range centers_within(double low, double high, int size) {
  if (std::isnan(low) || std::isnan(high)) return {0, 0};
  const double first = std::clamp(std::ceil(low - 0.5), 0.0, static_cast<double>(size));
  const double last = std::clamp(std::floor(high - 0.5) + 1, 0.0, static_cast<double>(size));
  return {static_cast<int>(first), static_cast<int>(last)};
}

// Narrows [low, high] to the x with least <= slope * x + offset <= most.
void narrow(double slope, double offset, double least, double most, double& low, double& high) {
  if (std::abs(slope) < 1e-9) {
    if (offset < least || offset > most) high = low - 1;
    return;
  }
  const double a = (least - offset) / slope, b = (most - offset) / slope;
  low = std::max(low, std::min(a, b));
  high = std::min(high, std::max(a, b));
}

}  // namespace

void require_canvas(const char* function, const Canvas& image) {
  detail::require_host(function, "the image", image.memory);
  if (image.channels != 1 && image.channels != 3)
    throw InvalidArgument(fmt::format("{}: the image has {} channels; 1 or 3 can be drawn on",
                                      function, image.channels));
}

// The image row that is being drawn: the middle of its height and the coverage so far.
struct Shapes::Row {
  double y = 0;
  int width = 0;
  std::vector<float> coverage;
  std::vector<double> area;  // scratch memory of polygons, zero between them
  int first = 0, last = 0;   // the range of pixels that were touched

  void join(int x, double covered) {
    coverage[x] = std::max(coverage[x], static_cast<float>(covered));
  }
  void touch(Range range) {
    if (range.first >= range.last) return;
    first = std::min(first, range.first);
    last = std::max(last, range.last);
  }
};

void Shapes::add(Kind kind, std::size_t index, double top, double bottom) {
  entries_.push_back({top, bottom, kind, index});
}

void Shapes::segment(Point a, Point b, double thickness, Cap cap_a, Cap cap_b) {
  if (!finite(a) || !finite(b) || !(thickness > 0) || !std::isfinite(thickness)) return;
  const double reach = thickness / 2 + 1;
  segments_.push_back({a, b, thickness, cap_a, cap_b});
  add(Kind::kSegment, segments_.size() - 1, std::min(a.y, b.y) - reach, std::max(a.y, b.y) + reach);
}

void Shapes::ring(Point center, double radius, double thickness) {
  if (!finite(center) || !std::isfinite(radius) || radius < 0 || !(thickness > 0)) return;
  const double reach = radius + (std::isfinite(thickness) ? thickness / 2 : 0) + 1;
  rings_.push_back({center, radius, thickness});
  add(Kind::kRing, rings_.size() - 1, center.y - reach, center.y + reach);
}

void Shapes::disc(Point center, double radius) {
  if (radius > 0) ring(center, radius, std::numeric_limits<double>::infinity());
}

void Shapes::polygon(const std::vector<std::vector<Point>>& contours) {
  Polygon edges;
  double top = std::numeric_limits<double>::infinity(), bottom = -top;
  for (const auto& contour : contours) {
    for (std::size_t i = 0; i < contour.size(); ++i) {
      const Point from = contour[i], to = contour[(i + 1) % contour.size()];
      if (!finite(from)) return;
      if (from.y != to.y) edges.push_back({from, to});
      top = std::min(top, from.y);
      bottom = std::max(bottom, from.y);
    }
  }
  if (edges.empty()) return;
  polygons_.push_back(std::move(edges));
  add(Kind::kPolygon, polygons_.size() - 1, top, bottom);
}

// Across the line, a pixel is covered by the overlap of two intervals. That is exact for lines
// along the axes and keeps the weight of lines thinner than a pixel. The same holds along the line
// at a straight end. At a round end the distance from the end point counts.
void Shapes::cover(const Segment& segment, Row& row) {
  const double dx = segment.b.x - segment.a.x, dy = segment.b.y - segment.a.y;
  const double length = std::hypot(dx, dy);
  const bool dot = !(length > 0);
  if (dot && segment.cap_a == Cap::kStraight) return;
  const double ux = dot ? 1 : dx / length, uy = dot ? 0 : dy / length;
  const double half = segment.thickness / 2, reach = half + 0.5;
  const double y = row.y - segment.a.y;
  double low = -segment.a.x, high = row.width - segment.a.x;  // x relative to a
  narrow(uy, -y * ux, -reach, reach, low, high);
  narrow(ux, y * uy, -reach, length + reach, low, high);
  const Range range = centers_within(low + segment.a.x, high + segment.a.x, row.width);
  row.touch(range);
  for (int i = range.first; i < range.last; ++i) {
    const double x = i + 0.5 - segment.a.x;
    const double across = std::abs(x * uy - y * ux), along = x * ux + y * uy;
    const bool before = along < length / 2;
    const double beyond = before ? -along : along - length;
    if ((before ? segment.cap_a : segment.cap_b) == Cap::kRound) {
      const double distance = beyond > 0 ? std::hypot(across, beyond) : across;
      row.join(i, overlap(distance, -half, half));
    } else {
      row.join(i, overlap(across, -half, half) * overlap(along, 0, length));
    }
  }
}

void Shapes::cover(const Ring& ring, Row& row) {
  const bool disc = std::isinf(ring.thickness);
  const double half = disc ? 0 : ring.thickness / 2;
  const double outer = ring.radius + half + 0.5, inner = ring.radius - half - 0.5;
  const double dy = row.y - ring.center.y;
  if (std::abs(dy) > outer) return;
  const double reach = std::sqrt(outer * outer - dy * dy);
  const auto cover_range = [&](double low, double high) {
    const Range range = centers_within(low, high, row.width);
    row.touch(range);
    for (int i = range.first; i < range.last; ++i) {
      const double distance = std::hypot(i + 0.5 - ring.center.x, dy);
      row.join(
          i, disc ? overlap(distance, -ring.radius, ring.radius)
                  : overlap(distance, std::max(ring.radius - half, -distance), ring.radius + half));
    }
  };
  if (disc || inner <= std::abs(dy)) {
    cover_range(ring.center.x - reach, ring.center.x + reach);
    return;
  }
  const double hole = std::sqrt(inner * inner - dy * dy);  // pixels inside the hole are not visited
  cover_range(ring.center.x - reach, ring.center.x - hole);
  cover_range(ring.center.x + hole, ring.center.x + reach);
}

namespace {

// Adds the area to the right of an edge within one row. area[i] collects the change of coverage at
// pixel i, so that the running sum is the coverage. y runs over the row from 0 to 1, signed by
// direction.
class AreaSum {
 public:
  explicit AreaSum(std::vector<double>& area, int width) : area_(area), width_(width) {}

  void edge(double x0, double y0, double x1, double y1) {
    if (x0 > x1) {
      std::swap(x0, x1);
      sign_ = -1;
      std::swap(y0, y1);
    } else {
      sign_ = 1;
    }
    const double width = width_;
    if (x0 >= width) return;
    if (x1 <= 0) return put(0, sign_ * (y1 - y0));
    const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    if (x0 < 0) {
      const double y = y0 + slope * (0 - x0);
      put(0, sign_ * (y - y0));
      x0 = 0;
      y0 = y;
    }
    if (x1 > width) {
      y1 = y0 + slope * (width - x0);
      x1 = width;
    }
    walk(x0, y0, x1, y1, slope);
  }

 private:
  void put(int x, double change) { area_[x] += change; }

  void walk(double x0, double y0, double x1, double y1, double slope) {
    int pixel = std::min(static_cast<int>(x0), width_ - 1);
    while (true) {
      const bool ends = x1 <= pixel + 1 || pixel + 1 >= width_;
      const double next_x = ends ? x1 : pixel + 1;
      const double next_y = ends ? y1 : y0 + slope * (next_x - x0);
      const double height = sign_ * (next_y - y0);
      const double right = 1 - ((x0 + next_x) / 2 - pixel);  // share of the pixel right of the edge
      put(pixel, height * right);
      put(pixel + 1, height * (1 - right));
      if (ends) return;
      x0 = next_x;
      y0 = next_y;
      ++pixel;
    }
  }

  std::vector<double>& area_;
  int width_;
  double sign_ = 1;
};

}  // namespace

void Shapes::cover(const Polygon& polygon, Row& row) {
  const double top = row.y - 0.5, bottom = row.y + 0.5;
  double left = row.width, right = 0;
  AreaSum sum(row.area, row.width);
  for (const Edge& edge : polygon) {
    const Point from = edge.from, to = edge.to;
    const double low = std::max(std::min(from.y, to.y), top);
    const double high = std::min(std::max(from.y, to.y), bottom);
    if (low >= high) continue;
    const auto x_at = [&](double y) {
      const double part = (y - from.y) / (to.y - from.y);
      return from.x * (1 - part) + to.x * part;
    };
    const double y0 = from.y < to.y ? low : high, y1 = from.y < to.y ? high : low;
    const double x0 = x_at(y0), x1 = x_at(y1);
    left = std::min({left, x0, x1});
    right = std::max({right, x0, x1});
    sum.edge(x0, y0 - top, x1, y1 - top);
  }
  const int first = static_cast<int>(std::clamp(std::floor(left), 0.0, double(row.width)));
  const int last = static_cast<int>(std::clamp(std::ceil(right), 0.0, double(row.width)));
  row.touch({first, last});
  double covered = 0;
  for (int i = first; i < last; ++i) {
    covered += std::exchange(row.area[i], 0.0);
    // Rounding of the running sum must not tint pixels beside the polygon.
    const double clean = std::abs(covered) < 1e-9 ? 0 : std::min(1.0, std::abs(covered));
    row.join(i, clean > 1 - 1e-9 ? 1 : clean);
  }
  row.area[last] = row.area[last + 1] = 0;
}

namespace {

void blend_row(Canvas image, int y, const std::vector<float>& coverage, Range range, Color color,
               float alpha) {
  const std::uint8_t gray[1] = {gray_of(color)};
  const std::uint8_t rgb[3] = {color.r, color.g, color.b};
  const std::uint8_t* ink = image.channels == 1 ? gray : rgb;
  for (int x = range.first; x < range.last; ++x) {
    const float weight = coverage[x] * alpha;
    if (weight <= 0) continue;
    std::uint8_t* pixel = &image.at(x, y);
    for (int c = 0; c < image.channels; ++c) {
      const float under = pixel[c];
      pixel[c] = static_cast<std::uint8_t>(std::lround(under + (ink[c] - under) * weight));
    }
  }
}

}  // namespace

void Shapes::paint(Canvas image, Color color, float alpha) const {
  if (image.empty() || !(alpha > 0)) return;
  alpha = std::min(alpha, 1.0F);
  std::vector<Entry> waiting = entries_;
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Entry& a, const Entry& b) { return a.top < b.top; });
  std::vector<Entry> active;
  std::size_t next = 0;
  Row row;
  row.width = image.width;
  row.coverage.assign(static_cast<std::size_t>(image.width), 0.0F);
  if (!polygons_.empty()) row.area.assign(static_cast<std::size_t>(image.width) + 2, 0.0);
  for (int y = 0; y < image.height; ++y) {
    if (active.empty()) {
      if (next == waiting.size()) return;
      const double skip = std::floor(waiting[next].top);
      if (skip >= image.height) return;
      y = std::max(y, static_cast<int>(std::max(skip, 0.0)));
    }
    while (next < waiting.size() && waiting[next].top < y + 1) active.push_back(waiting[next++]);
    std::erase_if(active, [y](const Entry& entry) { return entry.bottom <= y; });
    row.y = y + 0.5;
    row.first = image.width;
    row.last = 0;
    for (const Entry& entry : active) {
      switch (entry.kind) {
        case Kind::kSegment: cover(segments_[entry.index], row); break;
        case Kind::kRing: cover(rings_[entry.index], row); break;
        case Kind::kPolygon: cover(polygons_[entry.index], row); break;
      }
    }
    if (row.first >= row.last) continue;
    blend_row(image, y, row.coverage, {row.first, row.last}, color, alpha);
    std::fill(row.coverage.begin() + row.first, row.coverage.begin() + row.last, 0.0F);
  }
}

}  // namespace fovea::report
