// Covers: raster
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/report/draw.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "support/images.h"

namespace fovea::report {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Image<std::uint8_t> blank(int width, int height, int channels = 1, std::uint8_t value = 0) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), width * channels, value);
  return image;
}

// Every pixel of a one-channel image by a rule.
template <class Rule>
void expect_pixels(const Image<std::uint8_t>& image, Rule rule) {
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      ASSERT_EQ(static_cast<int>(image.at(x, y)), static_cast<int>(rule(x, y))) << x << ' ' << y;
}

TEST(DrawLine, LiesExactlyOnPixelsAlongTheAxes) {
  auto image = blank(12, 9);
  draw_line(image, {2, 4.5}, {10, 4.5}, {kWhite, 1});
  expect_pixels(image, [](int x, int y) { return y == 4 && x >= 2 && x < 10 ? 255 : 0; });
  image = blank(12, 9);
  draw_line(image, {5, 8}, {5, 1}, {kWhite, 2});
  expect_pixels(image,
                [](int x, int y) { return (x == 4 || x == 5) && y >= 1 && y < 8 ? 255 : 0; });
}

TEST(DrawLine, HalfCoveredPixelsAreHalfInked) {
  auto image = blank(6, 5);
  draw_line(image, {1, 2}, {5, 2}, {kWhite, 1});
  expect_pixels(image,
                [](int x, int y) { return (y == 1 || y == 2) && x >= 1 && x < 5 ? 128 : 0; });
  image = blank(6, 5);
  draw_line(image, {1, 2.5}, {5, 2.5}, {kWhite, 0.5F});  // thin lines keep their weight
  EXPECT_EQ(image.at(3, 2), 128);
}

TEST(DrawLine, AlphaBlendsAndZeroLeavesThePicture) {
  auto image = blank(4, 3, 3, 100);
  draw_line(image, {0, 1.5}, {4, 1.5}, {{200, 100, 0}, 1, 0.5F});
  EXPECT_EQ(image.at(1, 1, 0), 150);
  EXPECT_EQ(image.at(1, 1, 1), 100);
  EXPECT_EQ(image.at(1, 1, 2), 50);
  draw_line(image, {0, 0.5}, {4, 0.5}, {kWhite, 1, 0});
  EXPECT_EQ(image.at(1, 0, 0), 100);
}

TEST(DrawLine, AntiAliasingIsSymmetric) {
  auto image = blank(21, 21);
  draw_line(image, {2, 4}, {19, 17}, {kWhite, 2.3F});
  auto turned = blank(21, 21);
  draw_line(turned, {19, 17}, {2, 4}, {kWhite, 2.3F});
  auto mirrored = blank(21, 21);
  draw_line(mirrored, {19, 4}, {2, 17}, {kWhite, 2.3F});
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 21; ++x) {
      ASSERT_NEAR(image.at(x, y), turned.at(x, y), 1);
      ASSERT_NEAR(image.at(x, y), mirrored.at(20 - x, y), 1);
      ASSERT_NEAR(image.at(x, y), image.at(20 - x, 20 - y), 1);
    }
}

TEST(DrawLine, InkIsLengthTimesThickness) {
  for (const double angle : {0.0, 0.2, 0.7, 1.1, 1.5}) {
    auto image = blank(80, 80);
    const double dx = 25 * std::cos(angle), dy = 25 * std::sin(angle);
    draw_line(image, {40 - dx, 40 - dy}, {40 + dx, 40 + dy}, {kWhite, 3});
    double ink = 0;
    for (int y = 0; y < 80; ++y)
      for (int x = 0; x < 80; ++x) ink += image.at(x, y) / 255.0;
    EXPECT_NEAR(ink, 150, 3) << angle;
  }
}

TEST(DrawBox, OutlineLiesInsideAndIsSharp) {
  auto image = blank(12, 10);
  draw_box(image, {2, 1, 8, 7}, {kWhite, 2});
  expect_pixels(image, [](int x, int y) {
    const bool inside = x >= 2 && x < 10 && y >= 1 && y < 8;
    const bool hole = x >= 4 && x < 8 && y >= 3 && y < 6;
    return inside && !hole ? 255 : 0;
  });
}

TEST(DrawBox, TooThinForAHoleIsFilled) {
  auto image = blank(8, 8);
  draw_box(image, {2, 2, 3, 3}, {kWhite, 2});
  expect_pixels(image, [](int x, int y) { return x >= 2 && x < 5 && y >= 2 && y < 5 ? 255 : 0; });
}

TEST(FillBox, FractionsOfPixelsAreExact) {
  auto image = blank(5, 5);
  fill_box(image, {1.25, 1.5, 2.25, 2}, {kWhite});
  EXPECT_EQ(image.at(1, 1), 96);   // 0.75 x 0.5
  EXPECT_EQ(image.at(2, 1), 128);  // 0.5
  EXPECT_EQ(image.at(2, 2), 255);
  EXPECT_EQ(image.at(3, 2), 128);
  EXPECT_EQ(image.at(3, 3), 64);
  EXPECT_EQ(image.at(4, 2), 0);
}

TEST(FillPolygon, HasTheAreaOfThePolygonInEitherDirection) {
  std::vector<Point> points{{3.3, 2.1}, {36.7, 8.4}, {30.2, 33.9}, {12.5, 38.1}, {20, 20}};
  double twice = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point a = points[i], b = points[(i + 1) % points.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  for (int direction = 0; direction < 2; ++direction) {
    auto image = blank(42, 42);
    fill_polygon(image, points, {kWhite});
    double ink = 0;
    for (int y = 0; y < 42; ++y)
      for (int x = 0; x < 42; ++x) ink += image.at(x, y) / 255.0;
    EXPECT_NEAR(ink, std::abs(twice) / 2, 0.5);
    std::reverse(points.begin(), points.end());
  }
}

TEST(FillPolygon, PartsLeftOfTheViewStillCountForPixelsWithin) {
  auto image = blank(6, 6);
  const Point points[] = {{-1e9, -1e9}, {3, -1e9}, {3, 1e9}, {-1e9, 1e9}};
  fill_polygon(image, points, {kWhite});
  expect_pixels(image, [](int x, int) { return x < 3 ? 255 : 0; });
}

TEST(Circle, HasTheAreaOfACircleAndItsSymmetry) {
  auto image = blank(41, 41);
  fill_circle(image, {20.5, 20.5}, 15.3, {kWhite});
  double ink = 0;
  for (int y = 0; y < 41; ++y)
    for (int x = 0; x < 41; ++x) {
      ink += image.at(x, y) / 255.0;
      ASSERT_EQ(image.at(x, y), image.at(y, x));
      ASSERT_EQ(image.at(x, y), image.at(40 - x, y));
    }
  EXPECT_NEAR(ink, 3.14159 * 15.3 * 15.3, 3);
  image = blank(41, 41);
  draw_circle(image, {20.5, 20.5}, 12, {kWhite, 2});
  EXPECT_EQ(image.at(20, 20), 0);
  EXPECT_EQ(image.at(20 + 12, 20), 255);
}

TEST(DrawPolyline, AlphaDoesNotAddUpAtJointsOrCrossings) {
  auto image = blank(30, 30);
  const Point points[] = {{4, 15}, {26, 15}, {26, 4}, {15, 4}, {15, 26}};
  draw_polyline(image, points, {kWhite, 3, 0.5F});
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 30; ++x) ASSERT_LE(image.at(x, y), 128);
  EXPECT_EQ(image.at(15, 15), 128);
}

TEST(DrawPolyline, APointThatIsNotFiniteLeavesAGap) {
  auto image = blank(30, 3);
  const Point points[] = {{0, 1.5}, {10, 1.5}, {kNaN, 1.5}, {20, 1.5}, {30, 1.5}};
  draw_polyline(image, points, {kWhite, 1});
  expect_pixels(image, [](int x, int y) { return y == 1 && (x < 10 || x >= 20) ? 255 : 0; });
}

TEST(DrawArrow, TipLiesOnTheTargetAndNothingBeyond) {
  auto image = blank(40, 21);
  draw_arrow(image, {4, 10.5}, {35, 10.5}, {kWhite, 2});
  EXPECT_GT(image.at(33, 10), 100);
  EXPECT_EQ(image.at(35, 10), 0);
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 40; ++x) ASSERT_NEAR(image.at(x, y), image.at(x, 20 - y), 1);
}

TEST(Draw, OneChannelTakesTheBrightness) {
  auto image = blank(3, 3);
  fill_box(image, {0, 0, 3, 3}, {{255, 0, 0}});
  EXPECT_EQ(image.at(1, 1), gray_of({255, 0, 0}));
  EXPECT_EQ(gray_of({77, 77, 77}), 77);
}

// Everything there is, at one place.
void draw_all(Canvas view, Point a, Point b, float thickness) {
  const Stroke stroke{palette(1), thickness, 0.8F};
  const Point points[] = {a, b, {a.x, b.y}, {3, 4}};
  draw_line(view, a, b, stroke);
  draw_polyline(view, points, stroke, true);
  draw_arrow(view, a, b, stroke);
  draw_circle(view, a, b.x, stroke);
  fill_circle(view, b, a.y, {palette(2)});
  draw_box(view, {a.x, a.y, b.x, b.y}, stroke);
  fill_box(view, {a.x, a.y, b.x, b.y}, {palette(2)});
  fill_polygon(view, points, {palette(3), 0.5F});
  for (int m = 0; m < 7; ++m)
    draw_markers(view, points,
                 {.marker = static_cast<Marker>(m), .size = thickness * 3, .thickness = thickness});
  draw_text(view, a, "Q|gj\xff\n±", {.size = thickness * 4, .background = kBlack});
  draw_box(view, {a.x, a.y, b.x, b.y}, "label", {.text_size = thickness * 4});
}

TEST(Draw, NeverWritesOutsideTheView) {
  Random random(1);
  for (const int channels : {1, 3}) {
    for (int round = 0; round < 150; ++round) {
      auto frame = blank(40, 36, channels, 77);
      const Canvas view = frame.view().crop(9, 7, 19, 17);
      const auto any = [&] { return random.uniform(-30, 50); };
      draw_all(view, {any(), any()}, {any(), any()}, random.uniform(0.2F, 12));
      for (int y = 0; y < 36; ++y)
        for (int x = 0; x < 40; ++x) {
          const bool inside = x >= 9 && x < 28 && y >= 7 && y < 24;
          for (int c = 0; c < channels && !inside; ++c) ASSERT_EQ(frame.at(x, y, c), 77);
        }
    }
  }
}

TEST(Draw, AbsurdCoordinatesNeitherCrashNorTakeLong) {
  const std::clock_t start = std::clock();  // other programs take none of this time
  const double odd[] = {kNaN, kInf, -kInf, 1e300, -1e300, 1e18, -1e9, 0, 5.5, 2147483648.0};
  auto image = blank(64, 48, 3);
  for (const double a : odd)
    for (const double b : odd)
      for (const float thickness :
           {0.0F, -1.0F, 2.0F, 1e30F, std::numeric_limits<float>::infinity(),
            std::numeric_limits<float>::quiet_NaN()})
        draw_all(image, {a, b}, {b, a}, thickness);
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
  Image<std::uint8_t> nothing;
  draw_all(nothing, {1, 1}, {5, 5}, 2);
}

TEST(Draw, NaNDrawsNothing) {
  auto image = blank(16, 16);
  draw_line(image, {kNaN, 1}, {5, 5});
  draw_circle(image, {8, 8}, kNaN);
  draw_box(image, {1, 1, kInf, 5});
  fill_circle(image, {8, kInf}, 4);
  draw_line(image, {1, 1}, {8, 8}, {kWhite, std::numeric_limits<float>::quiet_NaN()});
  expect_pixels(image, [](int, int) { return 0; });
}

TEST(Draw, RefusesWhatItCannotDrawOn) {
  Image<std::uint8_t> image(4, 4, 2);
  EXPECT_THROW(draw_line(image, {0, 0}, {1, 1}), InvalidArgument);
  Canvas device = image.view();
  device.channels = 1;
  device.memory = Memory::kCuda;
  EXPECT_THROW(draw_text(device, {0, 0}, "x"), InvalidArgument);
}

TEST(DrawLabel, StaysWithinTheImage) {
  for (const Rect<double> box : {Rect<double>{-20, -10, 40, 40}, Rect<double>{150, 3, 60, 20},
                                 Rect<double>{100, 80, 90, 60}}) {
    auto image = blank(160, 100);
    draw_box(image, box, "a long label 0.99", {.color = kWhite});
    // The label's own box is the only place with black text on white; count it by its area.
    int white = 0;
    for (int y = 0; y < 100; ++y)
      for (int x = 0; x < 160; ++x) white += image.at(x, y) == 255 ? 1 : 0;
    EXPECT_GT(white, 1000) << box.x;
  }
}

}  // namespace
}  // namespace fovea::report
