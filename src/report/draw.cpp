// The shapes of draw.h, as primitives of the rasterizer.
#include <fovea/report/draw.h>

#include <algorithm>
#include <cmath>

#include "report/raster.h"

namespace fovea::report {
namespace {

using Cap = Shapes::Cap;

bool finite(const Rect<double>& box) {
  return finite(Point{box.x, box.y}) && finite(Point{box.x + box.width, box.y + box.height});
}

std::vector<Point> rectangle(double left, double top, double right, double bottom) {
  return {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
}

void add_marker(Shapes& shapes, Point at, const MarkerStyle& style) {
  const double r = style.size / 2;
  const double arm = r / std::sqrt(2.0);
  switch (style.marker) {
    case Marker::kDot: shapes.disc(at, r); break;
    case Marker::kRing:
      shapes.ring(at, std::max(0.0, r - style.thickness / 2), style.thickness);
      break;
    case Marker::kSquare:
      shapes.polygon({rectangle(at.x - r * 0.9, at.y - r * 0.9, at.x + r * 0.9, at.y + r * 0.9)});
      break;
    case Marker::kDiamond:
      shapes.polygon({{{at.x, at.y - r * 1.15},
                       {at.x + r * 1.15, at.y},
                       {at.x, at.y + r * 1.15},
                       {at.x - r * 1.15, at.y}}});
      break;
    case Marker::kTriangle:  // its center of mass, not its box, lies on the point
      shapes.polygon({{{at.x, at.y - r * 1.2},
                       {at.x + r * 1.04, at.y + r * 0.6},
                       {at.x - r * 1.04, at.y + r * 0.6}}});
      break;
    case Marker::kPlus:
      shapes.segment({at.x - r, at.y}, {at.x + r, at.y}, style.thickness, Cap::kStraight,
                     Cap::kStraight);
      shapes.segment({at.x, at.y - r}, {at.x, at.y + r}, style.thickness, Cap::kStraight,
                     Cap::kStraight);
      break;
    case Marker::kCross:
      shapes.segment({at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}, style.thickness,
                     Cap::kRound, Cap::kRound);
      shapes.segment({at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}, style.thickness,
                     Cap::kRound, Cap::kRound);
      break;
  }
}

}  // namespace

void draw_line(Canvas image, Point from, Point to, const Stroke& stroke) {
  require_canvas("draw_line", image);
  Shapes shapes;
  shapes.segment(from, to, stroke.thickness, Cap::kStraight, Cap::kStraight);
  shapes.paint(image, stroke.color, stroke.alpha);
}

void draw_polyline(Canvas image, std::span<const Point> points, const Stroke& stroke, bool closed) {
  require_canvas("draw_polyline", image);
  const std::size_t count = points.size();
  if (count < 2) return;
  Shapes shapes;
  const std::size_t pieces = closed ? count : count - 1;
  for (std::size_t i = 0; i < pieces; ++i) {
    // A point is an end of the line where no neighbor continues it.
    const bool starts = !closed && (i == 0 || !finite(points[i - 1]));
    const bool ends = !closed && (i + 2 >= count || !finite(points[i + 2]));
    shapes.segment(points[i], points[(i + 1) % count], stroke.thickness,
                   starts ? Cap::kStraight : Cap::kRound, ends ? Cap::kStraight : Cap::kRound);
  }
  shapes.paint(image, stroke.color, stroke.alpha);
}

void draw_arrow(Canvas image, Point from, Point to, const Stroke& stroke) {
  require_canvas("draw_arrow", image);
  if (!finite(from) || !finite(to) || !(stroke.thickness > 0)) return;
  Shapes shapes;
  const double dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (!(length > 0)) {
    shapes.disc(to, stroke.thickness / 2 + 0.25);
  } else if (std::isfinite(length)) {
    const double ux = dx / length, uy = dy / length;
    const double head = std::min(length, 3.0 + 3.2 * stroke.thickness), half = head * 0.42;
    const Point neck{to.x - ux * head, to.y - uy * head};
    shapes.polygon(
        {{to, {neck.x - uy * half, neck.y + ux * half}, {neck.x + uy * half, neck.y - ux * half}}});
    // The shaft ends inside the head, so that no seam shows between them.
    const Point shaft_end{to.x - ux * head * 0.7, to.y - uy * head * 0.7};
    if (length > head)
      shapes.segment(from, shaft_end, stroke.thickness, Cap::kRound, Cap::kStraight);
  }
  shapes.paint(image, stroke.color, stroke.alpha);
}

void draw_circle(Canvas image, Point center, double radius, const Stroke& stroke) {
  require_canvas("draw_circle", image);
  if (!std::isfinite(stroke.thickness)) return;
  Shapes shapes;
  shapes.ring(center, radius, stroke.thickness);
  shapes.paint(image, stroke.color, stroke.alpha);
}

void fill_circle(Canvas image, Point center, double radius, const Fill& fill) {
  require_canvas("fill_circle", image);
  Shapes shapes;
  shapes.disc(center, radius);
  shapes.paint(image, fill.color, fill.alpha);
}

void draw_box(Canvas image, const Rect<double>& box, const Stroke& stroke) {
  require_canvas("draw_box", image);
  const double t = stroke.thickness;
  if (!finite(box) || !(box.width > 0) || !(box.height > 0) || !(t > 0)) return;
  const double right = box.x + box.width, bottom = box.y + box.height;
  std::vector<std::vector<Point>> contours{rectangle(box.x, box.y, right, bottom)};
  if (2 * t < std::min(box.width, box.height)) {
    contours.push_back(rectangle(box.x + t, box.y + t, right - t, bottom - t));
    std::reverse(contours.back().begin(), contours.back().end());
  }
  Shapes shapes;
  shapes.polygon(contours);
  shapes.paint(image, stroke.color, stroke.alpha);
}

void fill_box(Canvas image, const Rect<double>& box, const Fill& fill) {
  require_canvas("fill_box", image);
  if (!finite(box) || !(box.width > 0) || !(box.height > 0)) return;
  Shapes shapes;
  shapes.polygon({rectangle(box.x, box.y, box.x + box.width, box.y + box.height)});
  shapes.paint(image, fill.color, fill.alpha);
}

void fill_polygon(Canvas image, std::span<const Point> points, const Fill& fill) {
  require_canvas("fill_polygon", image);
  Shapes shapes;
  shapes.polygon({{points.begin(), points.end()}});
  shapes.paint(image, fill.color, fill.alpha);
}

void draw_markers(Canvas image, std::span<const Point> points, const MarkerStyle& style) {
  require_canvas("draw_markers", image);
  if (!(style.size > 0) || !std::isfinite(style.size)) return;
  Shapes shapes;
  for (const Point point : points)
    if (finite(point)) add_marker(shapes, point, style);
  shapes.paint(image, style.color, style.alpha);
}

void draw_box(Canvas image, const Rect<double>& box, std::string_view label,
              const LabelStyle& style) {
  draw_box(image, box, {style.color, style.thickness, style.alpha});
  if (label.empty() || !finite(box)) return;
  TextStyle text{.color = readable_on(style.color),
                 .size = style.text_size,
                 .alpha = style.alpha,
                 .vertical = Vertical::kBottom,
                 .background = style.color,
                 .background_alpha = style.alpha,
                 .padding = std::max(2.0F, style.text_size * 0.2F),
                 .keep_inside = true};
  const double above = text_size(label, text).height + 2 * text.padding;
  Point anchor{box.x, box.y};
  if (box.y < above) {  // no room above: the label hangs into the box
    text.vertical = Vertical::kTop;
    anchor.y = std::max(box.y, 0.0);
  }
  draw_text(image, anchor, label, text);
}

}  // namespace fovea::report
