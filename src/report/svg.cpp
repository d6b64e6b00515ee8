#include "report/svg.h"

#include <algorithm>
#include <cmath>

#include "report/font.h"
#include "report/oklab.h"

#include <fmt/format.h>

namespace fovea::report {
namespace {

constexpr std::string_view kFont =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, "
    "sans-serif";

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
            static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

void add_color(std::string& attributes, std::string& style, std::string_view property,
               const std::optional<ThemeColor>& color) {
  if (!color) return;
  attributes += fmt::format(" {}=\"{}\"", property, hex(color->light));
  if (!color->name.empty())
    style += fmt::format("{}:var({},{});", property, color->name, hex(color->light));
}

std::string painted(const Paint& paint) {
  std::string attributes, style;
  if (paint.fill) add_color(attributes, style, "fill", paint.fill);
  else attributes += " fill=\"none\"";
  if (paint.stroke) {
    add_color(attributes, style, "stroke", paint.stroke);
    if (paint.width != 1)
      attributes += fmt::format(" stroke-width=\"{}\"", coordinate(paint.width));
  }
  if (paint.opacity != 1) attributes += fmt::format(" opacity=\"{}\"", coordinate(paint.opacity));
  if (paint.dashed) attributes += " stroke-dasharray=\"5 4\"";
  if (!style.empty()) {
    style.pop_back();
    attributes += fmt::format(" style=\"{}\"", style);
  }
  return attributes;
}

std::string place(const Rect<double>& box) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(box.x),
                     coordinate(box.y), coordinate(std::max(0.0, box.width)),
                     coordinate(std::max(0.0, box.height)));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = next_character(text);
    switch (c) {
      case U'<': out += "&lt;"; break;
      case U'>': out += "&gt;"; break;
      case U'&': out += "&amp;"; break;
      case U'"': out += "&quot;"; break;
      case U'\'': out += "&#39;"; break;
      default: {
        const bool control = c < 0x20 && c != U'\n' && c != U'\t';
        append_utf8(out, control || c == 0x7F || c == 0xFFFE || c == 0xFFFF ? U'\uFFFD' : c);
      }
    }
  }
  return out;
}

std::string coordinate(double value) {
  if (std::isnan(value)) value = 0;
  const double hundredths = std::round(std::clamp(value, -1e6, 1e6) * 100);
  std::string text = fmt::format("{:.2f}", hundredths / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

ThemeColor series_color(int index, std::optional<Color> chosen) {
  if (chosen) return {"", *chosen};
  Oklab lab = to_oklab(palette(index));
  lab.l = std::min(lab.l, 0.70);
  const int place = index % kPaletteSize + 1;
  return {fmt::format("--fovea-series-{}", place), to_color(lab)};
}

Color series_color_on_dark(int index) {
  Oklab lab = to_oklab(palette(index));
  lab.l = std::max(lab.l, 0.66);
  return to_color(lab);
}

Svg::Svg(int width, int height, std::string_view title) {
  const std::string name = escaped(title.empty() ? "chart" : title);
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"{2}\" font-family=\"{3}\" font-size=\"12\">",
      width, height, name, escaped(kFont));
  box({0, 0, double(width), double(height)}, {.fill = theme::kPaper});
}

void Svg::text(Point at, std::string_view text, const SvgLabel& label) {
  if (text.empty()) return;
  std::string attributes, style;
  add_color(attributes, style, "fill", label.color);
  if (label.halo) {
    add_color(attributes, style, "stroke", theme::kPaper);
    attributes += " stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
  }
  if (label.anchor != Anchor::kStart)
    attributes += label.anchor == Anchor::kEnd ? " text-anchor=\"end\"" : " text-anchor=\"middle\"";
  if (label.size != 12) attributes += fmt::format(" font-size=\"{}\"", coordinate(label.size));
  if (label.bold) attributes += " font-weight=\"600\"";
  if (label.rotate != 0)
    attributes += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(label.rotate),
                              coordinate(at.x), coordinate(at.y));
  if (!style.empty()) {
    style.pop_back();
    attributes += fmt::format(" style=\"{}\"", style);
  }
  text_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", coordinate(at.x), coordinate(at.y),
                       attributes, escaped(text));
}

void Svg::line(Point from, Point to, const Paint& paint) {
  path(fmt::format("M{} {}L{} {}", coordinate(from.x), coordinate(from.y), coordinate(to.x),
                   coordinate(to.y)),
       paint);
}

void Svg::box(const Rect<double>& box, const Paint& paint, double radius) {
  const std::string round = radius > 0 ? fmt::format(" rx=\"{}\"", coordinate(radius)) : "";
  text_ += fmt::format("<rect {}{}{}/>\n", place(box), round, painted(paint));
}

void Svg::path(std::string_view data, const Paint& paint) {
  if (data.empty()) return;
  text_ += fmt::format("<path d=\"{}\"{}{}/>\n", data, painted(paint),
                       paint.stroke ? " stroke-linejoin=\"round\" stroke-linecap=\"round\"" : "");
}

void Svg::image(const Rect<double>& box, std::string_view data_uri) {
  text_ += fmt::format(
      "<image {} preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"{}\"/>\n",
      place(box), data_uri);
}

void Svg::open_clip(const Rect<double>& box, double slack) {
  const Rect<double> outer{box.x - slack, box.y - slack, box.width + 2 * slack,
                           box.height + 2 * slack};
  text_ += fmt::format("<svg {} viewBox=\"{} {} {} {}\">\n", place(outer), coordinate(-slack),
                       coordinate(-slack), coordinate(outer.width), coordinate(outer.height));
}

std::string Svg::finish() { return std::move(text_) + "</svg>\n"; }

double svg_text_width(std::string_view text, double size, bool bold) {
  // Measured at a large size, where the font is not fitted to pixels, and widened, because the
  // reader's font may be wider.
  constexpr float kMeasure = 100;
  return report::text_size(text, {.size = kMeasure}).width / kMeasure * size * (bold ? 1.2 : 1.13);
}

std::string svg_fitted(std::string_view text, double width, double size) {
  if (svg_text_width(text, size) <= width) return std::string(text);
  std::string kept;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t before = text.size() - rest.size();
    next_character(rest);
    const std::string longer =
        kept + std::string(text.substr(before, text.size() - rest.size() - before));
    if (svg_text_width(longer + "…", size) > width) break;
    kept = longer;
  }
  return kept + "…";
}

}  // namespace fovea::report
