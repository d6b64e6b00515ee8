// The coverage of shapes, row by row. Shapes are collected and then drawn from top to bottom with
// one row of coverage, so that a diagonal across the image costs its own pixels and not its
// bounding box. Shapes with the same paint are joined by the maximum, so that alpha does not add up
// at joints.
#pragma once
#include <fovea/report/draw.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fovea::report {

inline bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Throws InvalidArgument for an image that cannot be drawn on.
void require_canvas(const char* function, const Canvas& image);

class Shapes {
 public:
  enum class Cap : unsigned char { kStraight, kRound };

  void segment(Point a, Point b, double thickness, Cap cap_a, Cap cap_b);
  void ring(Point center, double radius, double thickness);
  void disc(Point center, double radius);
  // Area coverage that is exact for any polygon. Contours of opposite direction cut holes.
  void polygon(const std::vector<std::vector<Point>>& contours);

  void paint(Canvas image, Color color, float alpha) const;

 private:
  struct Segment {
    Point a, b;
    double thickness;
    Cap cap_a, cap_b;
  };
  struct Ring {
    Point center;
    double radius;
    double thickness;  // infinite for a disc
  };
  struct Edge {
    Point from, to;
  };
  using Polygon = std::vector<Edge>;
  enum class Kind : unsigned char { kSegment, kRing, kPolygon };
  struct Entry {
    double top, bottom;
    Kind kind;
    std::size_t index;
  };
  struct Row;

  void add(Kind kind, std::size_t index, double top, double bottom);
  static void cover(const Segment& segment, Row& row);
  static void cover(const Ring& ring, Row& row);
  static void cover(const Polygon& polygon, Row& row);

  std::vector<Segment> segments_;
  std::vector<Ring> rings_;
  std::vector<Polygon> polygons_;
  std::vector<Entry> entries_;
};

}  // namespace fovea::report
