// OKLab (B. Ottosson, "A perceptual color space for image processing", 2020): distances are close
// to what eyes see, L is lightness. All colors of the library's making are computed in it.
#pragma once
#include <fovea/report/color.h>

namespace fovea::report {

struct Oklab {
  double l = 0;  // 0 black, 1 white
  double a = 0;
  double b = 0;
};

// From lightness, chroma and hue in degrees.
Oklab oklch(double l, double chroma, double hue);
Oklab to_oklab(Color color);
// The nearest color of less chroma where sRGB does not reach.
Color to_color(Oklab lab);
double distance(const Oklab& a, const Oklab& b);

}  // namespace fovea::report
