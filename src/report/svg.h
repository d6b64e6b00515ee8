// SVG text with colors that follow the page's theme. Every color is written twice: as an attribute
// for viewers that do not support variables, and as a CSS variable with the same fallback.
#pragma once
#include <fovea/report/chart.h>

#include <optional>
#include <string>
#include <string_view>

namespace fovea::report {

// Text as XML content or attribute value: markup is escaped, and characters that XML forbids and
// bytes that are not UTF-8 are replaced.
std::string escaped(std::string_view text);
// A number with at most two decimals. Numbers that are extremely large or not finite are clamped.
std::string coordinate(double value);
std::string hex(Color color);

// A color that the page's theme may change. Without a name it is the same in every theme.
struct ThemeColor {
  std::string name{};
  Color light{};
};
namespace theme {
inline const ThemeColor kInk{"--fovea-ink", {0x1d, 0x23, 0x30}};
inline const ThemeColor kMuted{"--fovea-muted", {0x5b, 0x65, 0x75}};
inline const ThemeColor kPaper{"--fovea-paper", {0xff, 0xff, 0xff}};
inline const ThemeColor kGrid{"--fovea-grid", {0xe4, 0xe7, 0xec}};
inline const ThemeColor kAxis{"--fovea-axis", {0x97, 0xa0, 0xae}};
}  // namespace theme
// A palette color, darkened or lightened until lines in it are readable on white or on black.
ThemeColor series_color(int index, std::optional<Color> chosen);
Color series_color_on_dark(int index);

struct Paint {
  std::optional<ThemeColor> fill{};
  std::optional<ThemeColor> stroke{};
  double width = 1;
  double opacity = 1;
  bool dashed = false;
};

enum class Anchor : unsigned char { kStart, kMiddle, kEnd };
struct SvgLabel {
  Anchor anchor = Anchor::kStart;
  double size = 12;
  ThemeColor color = theme::kInk;
  bool bold = false;
  bool halo = false;  // an outline in the paper's color, for text over data
  double rotate = 0;  // degrees
};

class Svg {
 public:
  Svg(int width, int height, std::string_view title);

  void text(Point at, std::string_view text, const SvgLabel& label = {});
  void line(Point from, Point to, const Paint& paint);
  void box(const Rect<double>& box, const Paint& paint, double radius = 0);
  // `data` is an SVG path.
  void path(std::string_view data, const Paint& paint);
  void image(const Rect<double>& box, std::string_view data_uri);
  // Until close(), coordinates are relative to the box's corner, and drawings are cut off more than
  // `slack` beyond the box.
  void open_clip(const Rect<double>& box, double slack);
  void close_clip() { text_ += "</svg>"; }
  std::string finish();

 private:
  std::string text_;
};

// The estimated width of a text in a page's font.
double svg_text_width(std::string_view text, double size = 12, bool bold = false);
// The text, cut with an ellipsis where it does not fit.
std::string svg_fitted(std::string_view text, double width, double size = 12);

}  // namespace fovea::report
