#include <fovea/report/color.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/rgb.h"
#include "report/oklab.h"

namespace fovea::report {
namespace {

// Chosen by search: the OKLab distance of any two colors is at least 0.13 for normal eyes and 0.1
// as seen by protanopes and deuteranopes (Machado, Oliveira and Fernandes 2009). The colors that
// are also readable as thin lines on white come first.
constexpr std::array<Color, kPaletteSize> kPalette{{{0x2f, 0x6f, 0xde},
                                                    {0xf2, 0x8a, 0x1c},
                                                    {0x45, 0x8b, 0x68},
                                                    {0x87, 0x11, 0x9e},
                                                    {0xd8, 0x52, 0x18},
                                                    {0xc2, 0x89, 0xb4},
                                                    {0x8b, 0x3e, 0x09},
                                                    {0x6e, 0x9b, 0xfb},
                                                    {0xfb, 0xd5, 0x09},
                                                    {0x35, 0x61, 0x5b},
                                                    {0xda, 0xc0, 0xfe},
                                                    {0x70, 0xf6, 0xb5},
                                                    {0x7d, 0x64, 0x9c},
                                                    {0xba, 0xb2, 0x8e}}};

struct LinearRgb {
  double r, g, b;
  bool inside() const {
    const auto [low, high] = std::minmax({r, g, b});
    return low >= -1e-6 && high <= 1 + 1e-6;
  }
};

LinearRgb to_linear_rgb(const Oklab& lab) {
  const double l = std::pow(lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
  const double m = std::pow(lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
  const double s = std::pow(lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

std::uint8_t to_byte(double linear) {
  return static_cast<std::uint8_t>(
      std::lround(255 * std::clamp(detail::linear_to_srgb(std::max(0.0, linear)), 0.0, 1.0)));
}

}  // namespace

Color palette(int index) {
  const int wrapped = index % kPaletteSize;
  return kPalette[static_cast<std::size_t>(wrapped < 0 ? wrapped + kPaletteSize : wrapped)];
}

std::uint8_t gray_of(Color c) {
  return static_cast<std::uint8_t>((54 * c.r + 183 * c.g + 19 * c.b + 128) >> 8);  // Rec. 709
}

Color readable_on(Color background) { return to_oklab(background).l > 0.68 ? kBlack : kWhite; }

Oklab oklch(double l, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180;
  return {l, chroma * std::cos(angle), chroma * std::sin(angle)};
}

Oklab to_oklab(Color color) {
  const double r = detail::srgb_to_linear(color.r / 255.0),
               g = detail::srgb_to_linear(color.g / 255.0),
               b = detail::srgb_to_linear(color.b / 255.0);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color to_color(Oklab lab) {
  lab.l = std::clamp(lab.l, 0.0, 1.0);
  LinearRgb rgb = to_linear_rgb(lab);
  if (!rgb.inside()) {
    double least = 0, most = 1;  // bounds of the chroma
    for (int i = 0; i < 20; ++i) {
      const double middle = (least + most) / 2;
      const bool inside = to_linear_rgb({lab.l, lab.a * middle, lab.b * middle}).inside();
      (inside ? least : most) = middle;
    }
    rgb = to_linear_rgb({lab.l, lab.a * least, lab.b * least});
  }
  return {to_byte(rgb.r), to_byte(rgb.g), to_byte(rgb.b)};
}

double distance(const Oklab& a, const Oklab& b) {
  return std::sqrt((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) +
                   (a.b - b.b) * (a.b - b.b));
}

}  // namespace fovea::report
