#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/report/color.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// Draws on byte images in host memory with one channel (colors become their brightness) or three
// (RGB); other images throw InvalidArgument. Everything is anti-aliased and clipped to the view.
//
// Coordinates are continuous: pixel (i, j) covers [i, i + 1) x [j, j + 1) and has its center at
// (i + 0.5, j + 0.5), so that a box with integer coordinates has sharp edges. A shape with a NaN or
// infinite coordinate, or without thickness, draws nothing. The cost is that of the pixels that are
// changed, however far a shape reaches beyond the image.
namespace fovea::report {

struct Point {
  double x = 0;
  double y = 0;
};

struct Stroke {
  Color color = palette(0);
  float thickness = 2;  // pixels
  float alpha = 1;      // 0 leaves the image as it is, 1 covers it
};

struct Fill {
  Color color = palette(0);
  float alpha = 1;
};

using Canvas = ImageView<std::uint8_t>;

// Ends are cut straight at `from` and `to`.
FOVEA_API void draw_line(Canvas image, Point from, Point to, const Stroke& stroke = {});
// Corners are round, and a point with a NaN or infinite coordinate leaves a gap. Alpha does not add
// up where the line crosses itself.
FOVEA_API void draw_polyline(Canvas image, std::span<const Point> points, const Stroke& stroke = {},
                             bool closed = false);
// The tip lies on `to`, and a head that is longer than the arrow shrinks to fit. An arrow without
// length is a dot.
FOVEA_API void draw_arrow(Canvas image, Point from, Point to, const Stroke& stroke = {});
// The stroke's middle lies on the circle.
FOVEA_API void draw_circle(Canvas image, Point center, double radius, const Stroke& stroke = {});
FOVEA_API void fill_circle(Canvas image, Point center, double radius, const Fill& fill = {});
// The stroke lies inside the box, its outer edge on the box's edge.
FOVEA_API void draw_box(Canvas image, const Rect<double>& box, const Stroke& stroke = {});
FOVEA_API void fill_box(Canvas image, const Rect<double>& box, const Fill& fill = {});
// Fills any simple polygon, given in either direction. Where a polygon crosses itself every lobe is
// filled.
FOVEA_API void fill_polygon(Canvas image, std::span<const Point> points, const Fill& fill = {});

enum class Marker : unsigned char { kDot, kRing, kSquare, kDiamond, kTriangle, kPlus, kCross };

struct MarkerStyle {
  Marker marker = Marker::kDot;
  Color color = palette(0);
  float size = 7;       // pixels across
  float thickness = 2;  // thickness of ring, plus and cross
  float alpha = 1;
};
FOVEA_API void draw_markers(Canvas image, std::span<const Point> points,
                            const MarkerStyle& style = {});

enum class Horizontal : unsigned char { kLeft, kCenter, kRight };
enum class Vertical : unsigned char { kTop, kMiddle, kBaseline, kBottom };

struct TextStyle {
  Color color = kWhite;
  float size = 14;   // height of the em in pixels; capitals are 0.7 of it. 9 is still legible
  float weight = 1;  // thickness of strokes relative to the regular one; 1.5 is bold
  float alpha = 1;
  Horizontal horizontal = Horizontal::kLeft;
  Vertical vertical = Vertical::kTop;
  std::optional<Color> background{};  // fills a box behind the text
  float background_alpha = 1;
  float padding = 3;         // pixels of background around the text
  bool keep_inside = false;  // move the text into the image where it would reach beyond it
};

// Draws UTF-8 text: printable ASCII and ° ± × · µ ² ³ ₂ ← ↑ → ↓ – … ≤ ≥ ≈ −; other characters
// become a hollow box. '\n' starts a new line. Glyphs are placed at whole pixels, so that stems
// stay sharp. Returns the box that the text takes, including the padding of a background.
FOVEA_API Rect<double> draw_text(Canvas image, Point anchor, std::string_view text,
                                 const TextStyle& style = {});
// The box that the text would take at (0, 0), without padding.
FOVEA_API Rect<double> text_size(std::string_view text, const TextStyle& style = {});

struct LabelStyle {
  Color color = palette(0);  // color of the box and behind the label, whose text is black or white
  float thickness = 2;
  float alpha = 1;
  float text_size = 13;
};
// Draws a detection: the box and, where it is not empty, the label above its upper left corner, or
// inside the box where there is no room above. The label always lies within the image.
FOVEA_API void draw_box(Canvas image, const Rect<double>& box, std::string_view label,
                        const LabelStyle& style);

}  // namespace fovea::report
