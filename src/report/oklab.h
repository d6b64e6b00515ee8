// OKLab (B. Ottosson, "A perceptual color space for image processing", 2020): distances are close
// to what eyes see, and L is lightness. All colors that the library chooses are computed in it.
#pragma once
#include <fovea/report/color.h>

namespace fovea::report {

struct Oklab {
  double l = 0;  // 0 is black, 1 is white
  double a = 0;
  double b = 0;
};

// Converts lightness, chroma and hue in degrees.
Oklab oklch(double l, double chroma, double hue);
Oklab to_oklab(Color color);
// Reduces the chroma to the nearest color that sRGB contains.
Color to_color(Oklab lab);
double distance(const Oklab& a, const Oklab& b);

}  // namespace fovea::report
