// Text drawn in strokes. Scaled glyphs are fitted to the pixel grid (their boxes and the heights of
// upper-case and lower-case letters take whole pixels), which keeps text of 10 pixels sharp.
#include <algorithm>
#include <cmath>
#include <map>

#include "report/font.h"
#include "report/raster.h"

namespace fovea::report {
namespace {

using Metrics = FontMetrics;
constexpr float kLargestText = 2000;  // pixels; larger glyphs would only cover the whole view

// The font at one size, fitted to pixels.
class FittedFont {
 public:
  FittedFont(float size, float weight)
      : scale_(std::clamp(size, 1.0F, kLargestText) / Metrics::kEm),
        stroke_(std::max(1.0, Metrics::kStroke * scale_ * std::clamp(weight, 0.1F, 4.0F))),
        capital_(std::round(Metrics::kCapital * scale_)),
        small_(std::min(std::round(Metrics::kSmall * scale_), capital_ - 2)),  // room for i's dot
        gap_(std::max(1.0, std::round(Metrics::kGap * scale_))) {}

  double stroke() const { return stroke_; }
  double gap() const { return gap_; }
  double ascent() const { return std::round(Metrics::kAscent * scale_); }
  double descent() const { return std::round(Metrics::kDescent * scale_); }
  double space() const { return std::round(Metrics::kSpace * scale_); }
  double line_height() const { return ascent() + descent(); }
  double width(const Glyph& glyph) const {
    return std::max(std::round(glyph.width * scale_), std::ceil(stroke_ - 0.25));
  }

  const Glyph& glyph(char32_t character) {
    auto found = glyphs_.find(character);
    if (found == glyphs_.end())
      found = glyphs_.emplace(character, glyph_of(character, 0.08 / scale_)).first;
    return found->second;
  }

  // Converts font units to pixels right of the glyph's left edge and above the baseline.
  Point place(const Glyph& glyph, Point p) const {
    const double box = width(glyph);
    const double x = glyph.width > 0 ? stroke_ / 2 + p.x / glyph.width * (box - stroke_) : box / 2;
    return {x, height(glyph, p.y)};
  }

 private:
  double height(const Glyph& glyph, double y) const {
    if (y <= 0) return stroke_ / 2 + y * scale_;
    if (y > Metrics::kCapital) return capital_ - stroke_ / 2 + (y - Metrics::kCapital) * scale_;
    if (!glyph.small) return stroke_ / 2 + y / Metrics::kCapital * (capital_ - stroke_);
    if (y <= Metrics::kSmall) return stroke_ / 2 + y / Metrics::kSmall * (small_ - stroke_);
    return small_ - stroke_ / 2 +
           (y - Metrics::kSmall) / (Metrics::kCapital - Metrics::kSmall) * (capital_ - small_);
  }

  double scale_, stroke_, capital_, small_, gap_;
  std::map<char32_t, Glyph> glyphs_;
};

// Calls visit(glyph, left edge) along one line and returns the line's width.
template <class Visit>
double walk_line(FittedFont& font, std::string_view line, Visit visit) {
  double pen = 0;
  bool after_glyph = false;
  while (!line.empty()) {
    const char32_t character = next_character(line);
    if (character == U' ' || character == U'\t' || character == U'\u00A0') {
      pen += font.space();
      after_glyph = false;
      continue;
    }
    if (character < U' ') continue;
    if (after_glyph) pen += font.gap();
    const Glyph& glyph = font.glyph(character);
    visit(glyph, pen);
    pen += font.width(glyph);
    after_glyph = true;
  }
  return pen;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

Rect<double> measure(FittedFont& font, const std::vector<std::string_view>& lines) {
  double width = 0;
  for (const auto line : lines)
    width = std::max(width, walk_line(font, line, [](const Glyph&, double) {}));
  return {0, 0, width, font.line_height() * static_cast<double>(lines.size())};
}

void add_glyph(Shapes& shapes, const FittedFont& font, const Glyph& glyph, Point at) {
  const auto place = [&](Point p) {
    const Point q = font.place(glyph, p);
    return Point{at.x + q.x, at.y - q.y};
  };
  for (const auto& stroke : glyph.strokes) {
    if (stroke.size() == 1) {
      shapes.disc(place(stroke[0]), font.stroke() * 0.62);
      continue;
    }
    for (std::size_t i = 1; i < stroke.size(); ++i)
      shapes.segment(place(stroke[i - 1]), place(stroke[i]), font.stroke(), Shapes::Cap::kRound,
                     Shapes::Cap::kRound);
  }
}

// The box of the text, including its padding, on whole pixels.
Rect<double> block_at(Canvas image, Point anchor, const Rect<double>& block, double ascent,
                      const TextStyle& style, double padding) {
  const double width = block.width + 2 * padding, height = block.height + 2 * padding;
  double x = anchor.x, y = anchor.y;
  if (style.horizontal == Horizontal::kCenter) x -= width / 2;
  if (style.horizontal == Horizontal::kRight) x -= width;
  if (style.vertical == Vertical::kMiddle) y -= height / 2;
  if (style.vertical == Vertical::kBaseline) y -= ascent + padding;
  if (style.vertical == Vertical::kBottom) y -= height;
  if (style.keep_inside) {  // where it does not fit, its beginning is shown
    x = std::max(0.0, std::min(x, image.width - width));
    y = std::max(0.0, std::min(y, image.height - height));
  }
  return {std::round(x), std::round(y), width, height};
}

bool drawable(const TextStyle& style) {
  return std::isfinite(style.size) && style.size > 0 && std::isfinite(style.weight);
}

}  // namespace

Rect<double> text_size(std::string_view text, const TextStyle& style) {
  if (!drawable(style)) return {};
  FittedFont font(style.size, style.weight);
  return measure(font, lines_of(text));
}

Rect<double> draw_text(Canvas image, Point anchor, std::string_view text, const TextStyle& style) {
  require_canvas("draw_text", image);
  if (!drawable(style) || !std::isfinite(anchor.x) || !std::isfinite(anchor.y))
    return {anchor.x, anchor.y, 0, 0};
  FittedFont font(style.size, style.weight);
  const auto lines = lines_of(text);
  const double padding =
      style.background && std::isfinite(style.padding) ? std::round(style.padding) : 0;
  const Rect<double> block = measure(font, lines);
  const Rect<double> box = block_at(image, anchor, block, font.ascent(), style, padding);
  if (style.background) fill_box(image, box, {*style.background, style.background_alpha});

  Shapes shapes;
  double baseline = box.y + padding + font.ascent();
  for (const auto line : lines) {
    const double width = walk_line(font, line, [](const Glyph&, double) {});
    double left = box.x + padding;
    if (style.horizontal == Horizontal::kCenter) left += std::round((block.width - width) / 2);
    if (style.horizontal == Horizontal::kRight) left += block.width - width;
    // Lines outside the view are not drawn at all.
    if (baseline + font.line_height() > 0 && baseline - font.line_height() < image.height)
      walk_line(font, line, [&](const Glyph& glyph, double pen) {
        const double x = left + pen;
        if (x < image.width && x + font.width(glyph) > 0)
          add_glyph(shapes, font, glyph, {x, baseline});
      });
    baseline += font.line_height();
  }
  shapes.paint(image, style.color, style.alpha);
  return box;
}

}  // namespace fovea::report
