// A proportional stroke font: every glyph consists of a few pen strokes in its own box.
#pragma once
#include <fovea/report/draw.h>

#include <string_view>
#include <vector>

namespace fovea::report {

// Heights above the baseline in font units; the em has 20 units. A glyph's box runs from 0 to its
// width and bounds its ink: the middle of a stroke stays half a stroke inside, whatever the weight.
struct FontMetrics {
  static constexpr double kEm = 20, kCapital = 14, kSmall = 10, kAscent = 16.5, kDescent = 4.5;
  static constexpr double kGap = 2.3;     // between glyphs
  static constexpr double kSpace = 6.6;   // a blank, including its gaps
  static constexpr double kStroke = 1.7;  // regular weight
};

struct Glyph {
  double width = 0;
  bool small = false;                       // has features at the height of lower-case letters
  std::vector<std::vector<Point>> strokes;  // y upwards; a stroke of one point is a dot
};

// The glyph of a character; a hollow box for characters that the font lacks.
Glyph glyph_of(char32_t character, double tolerance);

// Reads one character of UTF-8 and moves past it; returns U+FFFD for bytes that are not UTF-8.
char32_t next_character(std::string_view& text);

}  // namespace fovea::report
