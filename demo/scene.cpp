// The gallery's test scene, drawn from formulas and a seeded random sequence.
#include <fovea/core/random.h>
#include <fovea/report/draw.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "demo/demo.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr int kSceneWidth = 640;
constexpr int kSceneHeight = 400;

std::uint8_t byte(double value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)); }

void draw_sky(Canvas image) {
  for (int y = 0; y < kSceneHeight; ++y) {
    const double t = static_cast<double>(y) / kSceneHeight;
    for (int x = 0; x < kSceneWidth; ++x) {
      image.at(x, y, 0) = byte(96 + 140 * t);
      image.at(x, y, 1) = byte(150 + 70 * t);
      image.at(x, y, 2) = byte(214 - 20 * t);
    }
  }
  fill_circle(image, {110, 80}, 34, {{255, 236, 170}, 1});
  for (const Point& puff : {Point{300, 60}, Point{330, 48}, Point{362, 62}, Point{332, 70}})
    fill_circle(image, puff, 24, {{250, 250, 252}, 0.85F});
}

void draw_hills(Canvas image) {
  const auto ridge = [&](double base, double height, double pitch, Color color) {
    std::vector<Point> outline{{0, kSceneHeight}};
    for (int x = 0; x <= kSceneWidth; x += 4)
      outline.push_back({static_cast<double>(x), base - height * std::sin(x / pitch) -
                                                     0.3 * height * std::sin(x / (0.37 * pitch))});
    outline.push_back({kSceneWidth, kSceneHeight});
    fill_polygon(image, outline, {color, 1});
  };
  ridge(210, 34, 96, {112, 140, 150});
  ridge(262, 22, 70, {84, 122, 92});
  ridge(320, 10, 120, {66, 96, 62});
}

// Adds the grass: a texture without edges of its own.
void add_grain(Canvas image) {
  Random random(5);
  for (int y = 300; y < kSceneHeight; ++y) {
    const double strength = std::min(16.0, 0.4 * (y - 300));
    for (int x = 0; x < kSceneWidth; ++x) {
      const double grain = strength * random.normal();
      for (int c = 0; c < 3; ++c) image.at(x, y, c) = byte(image.at(x, y, c) + grain);
    }
  }
}

void draw_house(Canvas image) {
  fill_box(image, {70, 210, 150, 110}, {{206, 178, 142}, 1});
  const Point roof[] = {{56, 212}, {145, 146}, {234, 212}};
  fill_polygon(image, roof, {{150, 66, 52}, 1});
  for (int i = 0; i < 2; ++i) {
    const double x = 86 + 84.0 * i;
    fill_box(image, {x, 232, 36, 32}, {{58, 74, 98}, 1});
    draw_line(image, {x + 18, 232}, {x + 18, 264}, {kWhite, 2});
    draw_line(image, {x, 248}, {x + 36, 248}, {kWhite, 2});
  }
  fill_box(image, {130, 270, 30, 50}, {{92, 60, 44}, 1});
  for (int i = 0; i < 40; ++i)  // a fence with pales 3 pixels wide, 6 apart
    fill_box(image, {8 + 6.0 * i, 326, 3, 34}, {{236, 230, 216}, 1});
}

// Rings that become finer outward, down to two pixels per ring. Plain subsampling turns them into
// false rings.
void draw_zone_plate(Canvas image, Point center, double radius) {
  fill_circle(image, center, radius + 4, {{40, 44, 52}, 1});
  const double rate = 1.5707963267948966 / radius;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const double dx = x + 0.5 - center.x, dy = y + 0.5 - center.y;
      const double squared = dx * dx + dy * dy;
      if (squared > radius * radius) continue;
      for (int c = 0; c < 3; ++c) image.at(x, y, c) = byte(128 + 112 * std::cos(rate * squared));
    }
  }
}

}  // namespace

Image<std::uint8_t> demo_scene() {
  Image<std::uint8_t> image(kSceneWidth, kSceneHeight, 3);
  draw_sky(image);
  draw_hills(image);
  add_grain(image);
  draw_house(image);
  draw_zone_plate(image, {520, 150}, 100);
  for (int row = 0; row < 4; ++row)  // a checkerboard seen from the front
    for (int column = row % 2; column < 8; column += 2)
      fill_box(image, {280 + 14.0 * column, 316 + 14.0 * row, 14, 14}, {{24, 24, 28}, 1});
  draw_text(image, {430, 330}, "fovea 0123",
            {.color = {252, 246, 220}, .size = 34, .weight = 1.4F});
  return image;
}

}  // namespace fovea::cli
