// A color map drawn as a bar with ticks.
#include <fovea/report/color_map.h>

#include <algorithm>
#include <cmath>

#include "report/raster.h"
#include "report/ticks.h"

namespace fovea::report {
namespace {

constexpr double kTick = 4;    // length in pixels
constexpr double kMargin = 6;  // around everything

TextStyle text_style(const ColorBarStyle& style) {
  return {.color = style.ink, .size = style.text_size};
}

std::vector<Tick> bar_ticks(const ColorBarStyle& style, double length) {
  const int target = std::max(2, static_cast<int>(length / (style.text_size * 3.5)));
  const ValueRange range = style.range;
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low == range.high) return {};
  return ticks({range.low, range.high, false}, target);
}

double widest(const std::vector<Tick>& marks, const TextStyle& style) {
  double width = 0;
  for (const Tick& tick : marks) width = std::max(width, text_size(tick.label, style).width);
  return width;
}

void draw_gradient(Canvas image, const Rect<double>& bar, ColorMap map, bool upright) {
  const int length = static_cast<int>(upright ? bar.height : bar.width);
  const std::vector<Color> shades = colors(map, length);
  for (int i = 0; i < length; ++i) {
    const Rect<double> slice = upright
                                   ? Rect<double>{bar.x, bar.y + bar.height - 1 - i, bar.width, 1}
                                   : Rect<double>{bar.x + i, bar.y, 1, bar.height};
    fill_box(image, slice, {shades[static_cast<std::size_t>(i)]});
  }
}

void draw_upright(Canvas image, const ColorBarStyle& style) {
  TextStyle text = text_style(style);
  const double line = text_size("0", text).height;
  const double head = style.title.empty() ? line / 2 : line + kMargin;
  const double length = std::max(1.0, std::floor(image.height - head - line / 2 - 2 * kMargin));
  const auto marks = bar_ticks(style, length);
  const double room = image.width - widest(marks, text) - 3 * kMargin - kTick;
  const Rect<double> bar{kMargin, std::floor(kMargin + head),
                         std::clamp(std::floor(room), 4.0, 18.0), length};
  draw_gradient(image, bar, style.map, true);
  draw_text(image, {kMargin, kMargin}, style.title, text);
  text.vertical = Vertical::kMiddle;
  for (const Tick& tick : marks) {
    const double part = (tick.value - style.range.low) / (style.range.high - style.range.low);
    const double y = std::floor(bar.y + bar.height - part * (bar.height - 1)) - 0.5;
    const double x = bar.x + bar.width;
    draw_line(image, {x, y}, {x + kTick, y}, {style.ink, 1, 0.7F});
    draw_text(image, {x + kTick + 3, y}, tick.label, text);
  }
}

void draw_lying(Canvas image, const ColorBarStyle& style) {
  TextStyle text = text_style(style);
  const double line = text_size("0", text).height;
  const double side = std::max(kMargin, 2.2 * style.text_size);
  const double length = std::max(1.0, std::floor(image.width - 2 * side));
  const double head = style.title.empty() ? 0 : line;
  const double room = image.height - head - line - kTick - 2 * kMargin;
  const Rect<double> bar{std::floor(side), std::floor(kMargin + head), length,
                         std::clamp(std::floor(room), 4.0, 18.0)};
  draw_gradient(image, bar, style.map, false);
  draw_text(image, {bar.x, kMargin / 2}, style.title, text);
  text.horizontal = Horizontal::kCenter;
  for (const Tick& tick : bar_ticks(style, length)) {
    const double part = (tick.value - style.range.low) / (style.range.high - style.range.low);
    const double x = std::floor(bar.x + part * (bar.width - 1)) + 0.5;
    const double y = bar.y + bar.height;
    draw_line(image, {x, y}, {x, y + kTick}, {style.ink, 1, 0.7F});
    draw_text(image, {x, y + kTick}, tick.label, text);
  }
}

}  // namespace

void draw_color_bar(Canvas image, const ColorBarStyle& style) {
  require_canvas("draw_color_bar", image);
  if (image.empty()) return;
  fill_box(image, {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)},
           {style.background});
  if (image.height >= image.width) draw_upright(image, style);
  else draw_lying(image, style);
}

Image<std::uint8_t> with_color_bar(ImageView<const std::uint8_t> picture,
                                   const ColorBarStyle& style) {
  const TextStyle text = text_style(style);
  const double labels = widest(bar_ticks(style, picture.height), text);
  const double content = std::max(18 + kTick + 3 + labels, text_size(style.title, text).width);
  const int bar_width = static_cast<int>(content + 2 * kMargin);
  const int height = std::max(picture.height, 24);
  Image<std::uint8_t> result(picture.width + bar_width, height, 3);
  const Canvas canvas = result.view();
  require_canvas("with_color_bar", {nullptr, 0, 0, picture.channels, 0, picture.memory});
  fill_box(canvas, {0, 0, static_cast<double>(canvas.width), static_cast<double>(height)},
           {style.background});
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      for (int c = 0; c < 3; ++c)
        canvas.at(x, y, c) = picture.at(x, y, picture.channels == 3 ? c : 0);
  const Canvas bar = canvas.crop(picture.width, 0, bar_width, height);
  draw_upright(bar, style);
  return result;
}

}  // namespace fovea::report
