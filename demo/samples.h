// Made-up data for one of each kind of picture: a surface, a scene with detections, charts.
#pragma once
#include <fovea/core/random.h>
#include <fovea/report/chart.h>
#include <fovea/report/draw.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea::cli::samples {

using namespace fovea::report;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A surface with a hole in it.
inline Image<float> surface(int width, int height) {
  Image<float> values(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double u = 6.0 * x / width - 3, v = 4.0 * y / height - 2;
      const double hole = std::hypot(u - 1.6, v + 0.9);
      values.at(x, y) = static_cast<float>(
          hole < 0.25 ? kNaN : std::sin(1.7 * u) * std::cos(1.3 * v) + 0.3 * u * std::exp(-v * v));
    }
  return values;
}

inline Image<std::uint8_t> scene() {
  Image<std::uint8_t> image(520, 300, 3);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      for (int c = 0; c < 3; ++c)
        image.at(x, y, c) =
            static_cast<std::uint8_t>(70 + 0.25 * y + 8 * std::sin(x * 0.02) + 6 * c);
  const Point hill[] = {{0, 300},   {0, 220},   {130, 180}, {260, 230},
                        {390, 190}, {520, 240}, {520, 300}};
  fill_polygon(image, hill, {{58, 84, 66}, 0.9F});
  draw_box(image, {60, 110, 70, 150}, "person 0.97", {.color = palette(1)});
  draw_box(image, {170, 4, 90, 70}, "kite 0.61", {.color = palette(7)});
  draw_box(image, {430, 150, 120, 90}, "bicycle 0.83", {.color = palette(11)});
  std::vector<Point> track;
  for (int i = 0; i <= 60; ++i) track.push_back({150 + 4.3 * i, 210 - 50 * std::sin(i * 0.09)});
  draw_polyline(image, track, {palette(8), 2.5F});
  draw_arrow(image, {95, 185}, {150, 208}, {kWhite, 2.5F});
  draw_circle(image, {300, 130}, 26, {palette(5), 2});
  fill_circle(image, {300, 130}, 8, {palette(5), 0.8F});
  for (int i = 0; i < 7; ++i) {
    const Point at{300.0 + 28 * i, 40};
    draw_markers(image, {&at, 1}, {.marker = static_cast<Marker>(i), .color = kWhite, .size = 13});
  }
  draw_text(image, {510, 290}, "32 ± 1.5 °C  →  4 m²/µs",
            {.size = 16,
             .horizontal = Horizontal::kRight,
             .vertical = Vertical::kBottom,
             .background = kBlack,
             .background_alpha = 0.6F,
             .padding = 5});
  return image;
}

inline LineChart precision_recall() {
  LineChart chart{
      .title = "Precision and recall", .x = {.title = "recall"}, .y = {.title = "precision"}};
  for (int k = 0; k < 3; ++k) {
    Series series{.name = std::string("detector ") + "ABC"[k]};
    for (int i = 0; i <= 40; ++i) {
      const double recall = i / 40.0,
                   precision = 1 - (0.25 + 0.2 * k) * std::pow(recall, 3.0 - 0.6 * k);
      series.x.push_back(recall);
      series.y.push_back(k == 1 && i > 18 && i < 22 ? kNaN : precision);
      if (k != 0) continue;
      series.low.push_back(precision - 0.05);
      series.high.push_back(std::min(1.0, precision + 0.05));
    }
    chart.series.push_back(series);
  }
  chart.series[2].dashed = true;
  chart.references = {{0.7, "wanted: 0.7", false}};
  return chart;
}

inline LineChart timings() {
  LineChart chart{.title = "Time by size",
                  .x = {.title = "pixels", .log = true},
                  .y = {.title = "time (ms)", .log = true}};
  const char* names[] = {"method A", "method B", "method C"};
  for (int k = 0; k < 3; ++k) {
    Series series{.name = names[k], .marker = static_cast<Marker>(k == 1 ? 3 : k)};
    for (double pixels = 1e4; pixels < 2e8; pixels *= 4) {
      series.x.push_back(pixels);
      series.y.push_back(0.004 * (k == 2 ? 4 : 1) + pixels * 2e-6 / std::pow(12.0, k));
    }
    chart.series.push_back(series);
  }
  chart.references = {{2.0736e6, "1080p", true}};
  return chart;
}

inline LineChart scatter() {
  LineChart chart{
      .title = "Scatter of 9000 points", .x = {.title = "x (px)"}, .y = {.title = "y (px)"}};
  Random random(7);
  for (int k = 0; k < 3; ++k) {
    Series series{.name = "cluster " + std::to_string(k + 1), .line = false};
    for (int i = 0; i < 3000; ++i) {
      series.x.push_back(9.0 * k + 2.2 * random.normal());
      series.y.push_back(5.0 * (k % 2) + 2.2 * random.normal());
    }
    chart.series.push_back(series);
  }
  return chart;
}

inline Histogram errors() {
  Histogram chart{
      .title = "Errors", .x = {.title = "error (px)"}, .series = {{"before"}, {"after"}}};
  Random random(11);
  for (int i = 0; i < 4000; ++i) {
    chart.series[0].values.push_back(2.0 * random.normal());
    chart.series[1].values.push_back(0.8 + 0.9 * random.normal());
  }
  return chart;
}

inline BarChart throughput() {
  return {.title = "Throughput",
          .categories = {"north", "east", "south", "west"},
          .series = {{"plan A", {31, 84, 12.5, 46}, {2, 6, 1, 4}},
                     {"plan B", {310, 240, kNaN, 205}, {12, 30, 0, 22}}},
          .value = {.title = "frames per second"}};
}

inline BarChart changes() {
  return {.title = "Accuracy by class",
          .categories = {"walking slowly", "running", "waving both hands", "boxing"},
          .series = {{"", {0.93, 0.88, 0.97, -0.12}}},
          .value = {.title = "change"},
          .horizontal = true};
}

inline MatrixChart confusions() {
  return {.title = "Confusions",
          .values = {48, 2, 0, 1, 5, 40, 4, 0, 0, 3, 51, 2, 1, 0, 6, 44},
          .rows = 4,
          .columns = 4,
          .row_labels = {"walk", "run", "wave", "box"},
          .column_labels = {"walk", "run", "wave", "box"},
          .row_title = "true class",
          .column_title = "predicted class",
          .normalize_rows = true,
          .width = 420};
}

inline MatrixChart distances() {
  MatrixChart chart{.title = "Distances",
                    .rows = 64,
                    .columns = 64,
                    .value_title = "distance",
                    .map = ColorMap::kEmber,
                    .reverse = false,
                    .width = 420};
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column)
      chart.values.push_back(std::abs(std::sin(column * 0.15) - std::sin(row * 0.15)));
  return chart;
}

}  // namespace fovea::cli::samples
