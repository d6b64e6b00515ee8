// SVG text with colours that follow the page's theme: every colour is written twice, as an
// attribute for viewers that know no variables and as a CSS variable with the same fallback.
#pragma once
#include <fovea/chart.h>

#include <optional>
#include <string>
#include <string_view>

namespace fovea::report {

// Text as XML content or attribute value: markup escaped, characters XML forbids and bytes that
// are not UTF-8 replaced.
std::string escaped(std::string_view text);
// At most two decimals; what lies absurdly far out or is not finite is brought near.
std::string coordinate(double value);
std::string hex(Colour colour);

// A colour that the page may choose; without a name the same everywhere.
struct ThemeColour {
  std::string name{};
  Colour light{};
};
namespace theme {
inline const ThemeColour kInk{"--fovea-ink", {0x1d, 0x23, 0x30}};
inline const ThemeColour kMuted{"--fovea-muted", {0x5b, 0x65, 0x75}};
inline const ThemeColour kPaper{"--fovea-paper", {0xff, 0xff, 0xff}};
inline const ThemeColour kGrid{"--fovea-grid", {0xe4, 0xe7, 0xec}};
inline const ThemeColour kAxis{"--fovea-axis", {0x97, 0xa0, 0xae}};
}  // namespace theme
// The palette, darkened or lightened until lines of it read well on white or on black.
ThemeColour series_colour(int index, std::optional<Colour> chosen);
Colour series_colour_on_dark(int index);

struct Paint {
  std::optional<ThemeColour> fill{};
  std::optional<ThemeColour> stroke{};
  double width = 1;
  double opacity = 1;
  bool dashed = false;
};

enum class Anchor : unsigned char { kStart, kMiddle, kEnd };
struct SvgLabel {
  Anchor anchor = Anchor::kStart;
  double size = 12;
  ThemeColour colour = theme::kInk;
  bool bold = false;
  bool halo = false;  // a rim of paper, for text over data
  double rotate = 0;  // degrees
};

class Svg {
 public:
  Svg(int width, int height, std::string_view title);

  void text(Point at, std::string_view text, const SvgLabel& label = {});
  void line(Point from, Point to, const Paint& paint);
  void box(const Box& box, const Paint& paint, double radius = 0);
  // `data`: an SVG path.
  void path(std::string_view data, const Paint& paint);
  void image(const Box& box, std::string_view data_uri);
  // Until close(), coordinates count from the box's corner, and what reaches more than `slack`
  // beyond it is cut off.
  void open_clip(const Box& box, double slack);
  void close_clip() { text_ += "</svg>"; }
  std::string finish();

 private:
  std::string text_;
};

// Width of a text in a page's font, estimated.
double svg_text_width(std::string_view text, double size = 12, bool bold = false);
// Cut with an ellipsis to fit.
std::string svg_fitted(std::string_view text, double width, double size = 12);

}  // namespace fovea::report
