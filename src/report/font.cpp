// The glyphs, in a small path language (y points up from the baseline, angles are in degrees and
// counterclockwise):
//   M x y   lift the pen          L x y   line          D x y   dot
//   A cx cy rx ry from to   arc, joined to the pen; a: the same, pen lifted
//   C x1 y1 x2 y2 x y       cubic curve
#include "report/font.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numbers>
#include <string_view>

namespace fovea::report {
namespace {

struct Entry {
  char32_t character;
  float width;
  const char* path;
};

// Sorted by character, for the binary search.
constexpr Entry kGlyphs[] = {
    {U'!', 0, "M0 14L0 4.6D0 0"},
    {U'"', 3.4F, "M0 14L0 9.8M3.4 14L3.4 9.8"},
    {U'#', 10.6F, "M2.2 0L4 14M6.6 0L8.4 14M0 4.4L10 4.4M.6 9.6L10.6 9.6"},
    {U'$', 9,
     "M8.6 11.4C7.6 12.7 6.2 13.3 4.6 13.3C2.1 13.3 .4 12.1 .4 10.2C.4 8 2.6 7.5 4.6 7C7 6.4 9 5.8 "
     "9 3.7C9 1.8 7.2 .7 4.6 .7C2.6 .7 .9 1.4 0 2.9M4.5 16L4.5 -2"},
    {U'%', 13, "a2.8 10.9 2.8 3.1 0 360M11 14L2 0a10.2 3.1 2.8 3.1 0 360"},
    {U'&', 11,
     "M11 0L2.9 8.9C2 9.9 1.7 10.6 1.7 11.4C1.7 13 2.9 14 4.5 14C6.1 14 7.2 13 7.2 11.5C7.2 9.6 "
     "5.4 8.6 3.6 7.6C1.4 6.4 0 5.4 0 3.4C0 1.3 1.7 0 4.2 0C7.4 0 9.8 2.6 10.4 6.4"},
    {U'\'', 0, "M0 14L0 9.8"},
    {U'(', 3.4F, "M3.4 16C1 13.4 0 10.2 0 6.5C0 2.8 1 -.4 3.4 -3"},
    {U')', 3.4F, "M0 16C2.4 13.4 3.4 10.2 3.4 6.5C3.4 2.8 2.4 -.4 0 -3"},
    {U'*', 6, "M3 14L3 8M.4 12.5L5.6 9.5M.4 9.5L5.6 12.5"},
    {U'+', 9, "M4.5 2L4.5 11M0 6.5L9 6.5"},
    {U',', 1.4F, "M1.4 1L0 -2.8"},
    {U'-', 5.4F, "M0 5.6L5.4 5.6"},
    {U'.', 0, "D0 0"},
    {U'/', 6.6F, "M0 -2L6.6 15.5"},
    {U'0', 9, "a4.5 7 4.5 7 90 450"},
    {U'1', 9, "M1.2 11L5 14L5 0M1.4 0L8.6 0"},
    {U'2', 9,
     "M.4 10.6C.6 12.8 2.2 14 4.4 14C6.9 14 8.5 12.5 8.5 10.4C8.5 8.4 7.2 6.9 5 4.8L0 0L9 0"},
    {U'3', 9,
     "M.5 11.6C1.2 13.2 2.6 14 4.4 14C6.8 14 8.4 12.7 8.4 10.8C8.4 8.7 6.7 7.4 4.4 7.4L3 7.4M4.4 "
     "7.4C7.2 7.4 9 6 9 3.8C9 1.4 7.2 0 4.5 0C2.3 0 .7 1 0 2.8"},
    {U'4', 9, "M6.9 0L6.9 14L0 4L9 4"},
    {U'5', 9,
     "M8.2 14L1.4 14L.7 7.5C1.7 8.4 3 8.9 4.4 8.9C7.2 8.9 9 7.1 9 4.5C9 1.8 7.1 0 4.3 0C2.2 0 .7 "
     ".9 0 2.6"},
    {U'6', 9, "M7.9 12.3C7.1 13.5 5.9 14 4.7 14C1.8 14 0 11.2 0 6L0 4.5A4.5 4.4 4.5 4.4 180 540"},
    {U'7', 9, "M0 14L9 14L3.2 0"},
    {U'8', 9, "a4.5 10.6 3.9 3.4 0 360a4.5 3.6 4.5 3.6 0 360"},
    {U'9', 9, "M1.1 1.7C1.9 .5 3.1 0 4.3 0C7.2 0 9 2.8 9 8L9 9.5A4.5 9.6 4.5 4.4 0 360"},
    {U':', 0, "D0 0D0 8.4"},
    {U';', 1.4F, "M1.4 1L0 -2.8D1.2 8.4"},
    {U'<', 8.6F, "M8.6 11L0 6.5L8.6 2"},
    {U'=', 9, "M0 8.6L9 8.6M0 4.4L9 4.4"},
    {U'>', 8.6F, "M0 11L8.6 6.5L0 2"},
    {U'?', 8, "M0 11C.4 13 1.9 14 4 14C6.4 14 8 12.6 8 10.6C8 7.6 4.2 7.8 4.2 4.6D4.2 0"},
    {U'@', 15,
     "a7.2 5.6 3.2 3.6 0 360M10.4 9.2L10.4 4.2C10.4 2.6 11 2 12.2 2C14 2 15 3.6 15 6.2A7.5 6.2 7.5 "
     "7.6 0 302"},
    {U'A', 12, "M0 0L6 14L12 0M2.1 5L9.9 5"},
    {U'B', 9.5F, "M0 7.2L5.6 7.2A5.6 10.6 3.4 3.4 -90 90L0 14L0 0L5.8 0A5.8 3.6 3.7 3.6 -90 90"},
    {U'C', 11, "a6.6 7 6.6 7 48 312"},
    {U'D', 11.2F, "M0 0L0 14L4.4 14A4.4 7 6.8 7 90 -90L0 0"},
    {U'E', 8.5F, "M8.5 14L0 14L0 0L8.5 0M0 7.2L7.6 7.2"},
    {U'F', 8, "M8 14L0 14L0 0M0 7L7 7"},
    {U'G', 12, "a6.6 7 6.6 7 48 325L12 6.8L7.4 6.8"},
    {U'H', 10.5F, "M0 0L0 14M10.5 0L10.5 14M0 7.2L10.5 7.2"},
    {U'I', 0, "M0 0L0 14"},
    {U'J', 7, "M7 14L7 4A3.5 4 3.5 4 0 -168"},
    {U'K', 9.6F, "M0 0L0 14M9.2 14L0 5.2M3.5 8.5L9.6 0"},
    {U'L', 8, "M0 14L0 0L8 0"},
    {U'M', 12.5F, "M0 0L0 14L6.25 4L12.5 14L12.5 0"},
    {U'N', 10.5F, "M0 0L0 14L10.5 0L10.5 14"},
    {U'O', 13, "a6.5 7 6.5 7 90 450"},
    {U'P', 9, "M0 0L0 14L5 14A5 10 4 4 90 -90L0 6"},
    {U'Q', 13, "a6.5 7 6.5 7 90 450M8 3.8L12.6 -1"},
    {U'R', 9.6F, "M0 0L0 14L5 14A5 10 4.2 4 90 -90L0 6M5 6L9.6 0"},
    {U'S', 9,
     "M8.6 11.7C7.6 13.3 6.2 14 4.6 14C2.1 14 .4 12.6 .4 10.5C.4 8 2.6 7.5 4.6 7C7 6.4 9 5.8 9 "
     "3.5C9 1.3 7.2 0 4.6 0C2.6 0 .9 .8 0 2.6"},
    {U'T', 11, "M0 14L11 14M5.5 14L5.5 0"},
    {U'U', 10.5F, "M0 14L0 5.2A5.25 5.2 5.25 5.2 180 360L10.5 14"},
    {U'V', 11.5F, "M0 14L5.75 0L11.5 14"},
    {U'W', 16.5F, "M0 14L4.1 0L8.25 12L12.4 0L16.5 14"},
    {U'X', 10.5F, "M0 14L10.5 0M10.5 14L0 0"},
    {U'Y', 11, "M0 14L5.5 6.6L11 14M5.5 6.6L5.5 0"},
    {U'Z', 9.5F, "M0 14L9.5 14L0 0L9.5 0"},
    {U'[', 3.2F, "M3.2 16L0 16L0 -3L3.2 -3"},
    {U'\\', 6.6F, "M0 15.5L6.6 -2"},
    {U']', 3.2F, "M0 16L3.2 16L3.2 -3L0 -3"},
    {U'^', 8, "M0 9L4 14L8 9"},
    {U'_', 9, "M0 -2.5L9 -2.5"},
    {U'`', 2.4F, "M0 14L2.4 11.4"},
    {U'a', 8,
     "M.6 8.4C1.5 9.4 2.7 10 4.1 10C6.6 10 8 8.8 8 6.5L8 0M8 5.8L4.2 5.7C1.4 5.6 0 4.6 0 2.8C0 1 "
     "1.3 0 3.3 0C5.8 0 8 1.4 8 4"},
    {U'b', 9, "M0 14L0 0a4.5 5 4.5 5 180 540"},
    {U'c', 8, "a4.7 5 4.7 5 46 314"},
    {U'd', 9, "M9 14L9 0a4.5 5 4.5 5 0 360"},
    {U'e', 9, "M0 5L9 5A4.5 5 4.5 5 0 314"},
    {U'f', 5.8F, "M5.8 14L5.2 14A5.2 10.8 3.2 3.2 90 180L2 0M0 10L5.4 10"},
    {U'g', 9, "a4.5 5 4.5 5 0 360M9 10L9 -.6A4.7 -.6 4.3 3.4 0 -150"},
    {U'h', 8.4F, "M0 14L0 0M0 5.8A4.2 5.8 4.2 4.2 180 0L8.4 0"},
    {U'i', 0, "M0 10L0 0D0 14"},
    {U'j', 3, "M3 10L3 -1.2A.4 -1.2 2.6 2.8 0 -90L0 -4D3 14"},
    {U'k', 8, "M0 14L0 0M7.6 10L0 3.8M3 6.25L8 0"},
    {U'l', 3, "M0 14L0 2.6A2.6 2.6 2.6 2.6 180 270L3 0"},
    {U'm', 14, "M0 10L0 0M0 6.5A3.5 6.5 3.5 3.5 180 0L7 0M7 6.5A10.5 6.5 3.5 3.5 180 0L14 0"},
    {U'n', 8.4F, "M0 10L0 0M0 5.8A4.2 5.8 4.2 4.2 180 0L8.4 0"},
    {U'o', 9.4F, "a4.7 5 4.7 5 90 450"},
    {U'p', 9, "M0 10L0 -4a4.5 5 4.5 5 180 540"},
    {U'q', 9, "M9 10L9 -4a4.5 5 4.5 5 0 360"},
    {U'r', 5, "M0 10L0 0M0 5.4A4.5 5.4 4.5 4.6 180 90L5 10"},
    {U's', 7.4F,
     "M7 8.4C6.3 9.4 5.2 10 3.8 10C1.7 10 .4 9 .4 7.5C.4 5.8 2 5.4 3.8 5C5.8 4.6 7.4 4.1 7.4 "
     "2.5C7.4 1 6 0 3.8 0C2.2 0 .8 .6 0 1.8"},
    {U't', 5.4F, "M2 13L2 2.8A4.8 2.8 2.8 2.8 180 270L5.4 0M0 10L5.2 10"},
    {U'u', 8.4F, "M0 10L0 4.2A4.2 4.2 4.2 4.2 180 360M8.4 10L8.4 0"},
    {U'v', 8.8F, "M0 10L4.4 0L8.8 10"},
    {U'w', 13, "M0 10L3.25 0L6.5 9L9.75 0L13 10"},
    {U'x', 8.4F, "M0 10L8.4 0M8.4 10L0 0"},
    {U'y', 8.8F, "M0 10L4.4 0M8.8 10L3.6 -1.9C3 -3.3 2.2 -4 .6 -4"},
    {U'z', 7.6F, "M0 10L7.6 10L0 0L7.6 0"},
    {U'{', 4.2F,
     "M4.2 16C2.6 16 2 15.2 2 13.6L2 9C2 7.4 1.4 6.5 0 6.5C1.4 6.5 2 5.6 2 4L2 -.6C2 -2.2 2.6 -3 "
     "4.2 -3"},
    {U'|', 0, "M0 16L0 -3"},
    {U'}', 4.2F,
     "M0 16C1.6 16 2.2 15.2 2.2 13.6L2.2 9C2.2 7.4 2.8 6.5 4.2 6.5C2.8 6.5 2.2 5.6 2.2 4L2.2 "
     "-.6C2.2 -2.2 1.6 -3 0 -3"},
    {U'~', 9.5F, "M0 5.5C.5 7 1.4 7.8 2.7 7.8C4.6 7.8 4.9 5.2 6.8 5.2C8.1 5.2 9 6 9.5 7.5"},
    {U'°', 5, "a2.5 11.5 2.5 2.5 0 360"},
    {U'±', 9, "M4.5 4L4.5 12.4M0 8.2L9 8.2M0 1L9 1"},
    {U'²', 5.4F,
     "M.2 12.1C.4 13.3 1.4 14 2.6 14C4.1 14 5 13.2 5 12C5 10.9 4.3 10 3.1 9L0 6.4L5.4 6.4"},
    {U'³', 5.4F,
     "M.2 12.8C.7 13.6 1.6 14 2.6 14C4 14 4.9 13.3 4.9 12.2C4.9 11.1 4 10.4 2.4 10.4C4.3 10.4 5.4 "
     "9.7 5.4 8.4C5.4 7.1 4.3 6.2 2.6 6.2C1.4 6.2 .5 6.7 0 7.6"},
    {U'µ', 8.4F, "M0 10L0 -4M0 4.2A4.2 4.2 4.2 4.2 180 360M8.4 10L8.4 0"},
    {U'·', 0, "D0 6"},
    {U'×', 8, "M0 2.5L8 10.5M0 10.5L8 2.5"},
    {U'–', 9, "M0 5.6L9 5.6"},
    {U'…', 10, "D0 0D5 0D10 0"},
    {U'₂', 5.4F,
     "M.2 2.7C.4 3.9 1.4 4.6 2.6 4.6C4.1 4.6 5 3.8 5 2.6C5 1.5 4.3 .6 3.1 -.4L0 -3L5.4 -3"},
    {U'←', 13, "M13 6L0 6M4.4 10.2L0 6L4.4 1.8"},
    {U'↑', 8.4F, "M4.2 0L4.2 13M0 8.8L4.2 13L8.4 8.8"},
    {U'→', 13, "M0 6L13 6M8.6 10.2L13 6L8.6 1.8"},
    {U'↓', 8.4F, "M4.2 13L4.2 0M0 4.2L4.2 0L8.4 4.2"},
    {U'−', 9, "M0 6.5L9 6.5"},
    {U'≈', 9.5F,
     "M0 7.7C.5 9.2 1.4 10 2.7 10C4.6 10 4.9 7.4 6.8 7.4C8.1 7.4 9 8.2 9.5 9.7M0 3.3C.5 4.8 1.4 "
     "5.6 2.7 5.6C4.6 5.6 4.9 3 6.8 3C8.1 3 9 3.8 9.5 5.3"},
    {U'≤', 8.6F, "M8.6 12.6L0 8.4L8.6 4.2M0 1L8.6 1"},
    {U'≥', 8.6F, "M0 12.6L8.6 8.4L0 4.2M0 1L8.6 1"},
};
constexpr Entry kMissing{U'\uFFFD', 9, "M0 0L0 14L9 14L9 0L0 0"};

// Turns a path into strokes. Curves become chords that deviate by at most `tolerance` units.
class Pen {
 public:
  explicit Pen(double tolerance) : tolerance_(std::max(tolerance, 1e-3)) {}

  std::vector<std::vector<Point>> draw(const char* path) {
    while (*path != '\0') {
      const char command = *path++;
      switch (command) {
        case 'M':
        case 'D': lift(); [[fallthrough]];
        case 'L': {
          const double x = number(path), y = number(path);
          strokes_.back().push_back({x, y});
          break;
        }
        case 'a': lift(); [[fallthrough]];
        case 'A': arc(path); break;
        case 'C': curve(path); break;
        default: break;
      }
    }
    return std::move(strokes_);
  }

 private:
  void lift() { strokes_.emplace_back(); }

  static double number(const char*& path) {
    if (*path == ' ') ++path;
    double value = 0;
    path = std::from_chars(path, path + std::strlen(path), value).ptr;  // ignores the locale
    return value;
  }

  int pieces(double radius, double turn) const {
    const double step = 2 * std::acos(std::max(0.0, 1 - tolerance_ / std::max(radius, 1e-3)));
    return std::clamp(static_cast<int>(std::ceil(turn / std::max(step, 1e-3))), 2, 64);
  }

  void arc(const char*& path) {
    const double cx = number(path), cy = number(path), rx = number(path), ry = number(path);
    const double from = number(path) * std::numbers::pi / 180;
    const double to = number(path) * std::numbers::pi / 180;
    const int n = pieces(std::max(rx, ry), std::abs(to - from));
    for (int i = 0; i <= n; ++i) {
      const double angle = from + (to - from) * i / n;
      strokes_.back().push_back({cx + rx * std::cos(angle), cy + ry * std::sin(angle)});
    }
  }

  void curve(const char*& path) {
    const Point p0 = strokes_.back().back();
    Point p[3];
    for (Point& point : p) {
      point.x = number(path);
      point.y = number(path);
    }
    const double size = std::hypot(p[2].x - p0.x, p[2].y - p0.y);
    const int n = pieces(size / 2 + 0.5, std::numbers::pi / 2 + 0.6);
    for (int i = 1; i <= n; ++i) {
      const double t = static_cast<double>(i) / n, u = 1 - t;
      const double b0 = u * u * u, b1 = 3 * u * u * t, b2 = 3 * u * t * t, b3 = t * t * t;
      strokes_.back().push_back({b0 * p0.x + b1 * p[0].x + b2 * p[1].x + b3 * p[2].x,
                                 b0 * p0.y + b1 * p[0].y + b2 * p[1].y + b3 * p[2].y});
    }
  }

  double tolerance_;
  std::vector<std::vector<Point>> strokes_;
};

}  // namespace

Glyph glyph_of(char32_t character, double tolerance) {
  if (character == U'μ') character = U'µ';  // Greek mu and micro sign look alike
  constexpr std::u32string_view kRaised = U"⁰¹⁴⁵⁶⁷⁸⁹⁻", kPlain = U"01456789−";
  if (const std::size_t raised = kRaised.find(character); raised != kRaised.npos) {
    constexpr double kShare = 0.56, kBaseline = 6.2;
    Glyph glyph = glyph_of(kPlain[raised], tolerance);
    glyph.width *= kShare;
    for (std::vector<Point>& stroke : glyph.strokes)
      for (Point& p : stroke) p = {p.x * kShare, kBaseline + p.y * kShare};
    return glyph;
  }
  const auto* entry = std::lower_bound(std::begin(kGlyphs), std::end(kGlyphs), character,
                                       [](const Entry& e, char32_t c) { return e.character < c; });
  const bool found = entry != std::end(kGlyphs) && entry->character == character;
  const Entry& chosen = found ? *entry : kMissing;
  const bool small = (character >= U'a' && character <= U'z') || character == U'µ';
  return {chosen.width, small, Pen(tolerance).draw(chosen.path)};
}

char32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const bool bad_lead = (lead >= 0x80 && lead < 0xC2) || lead > 0xF4;
  char32_t value = length == 1 ? lead : lead & (0x7FU >> length);
  bool good = !bad_lead && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0U) == 0x80;
    value = value << 6U | (byte(i) & 0x3FU);
  }
  // Overlong forms, surrogates and values beyond Unicode are not characters either.
  good = good && !(length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) &&
         !(length == 4 && (value < 0x10000 || value > 0x10FFFF));
  text.remove_prefix(good ? length : 1);
  return good ? value : U'\uFFFD';
}

}  // namespace fovea::report
