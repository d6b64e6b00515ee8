// Covers: bar_chart, chart_frame, histogram, line_chart, matrix_chart
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/report/chart.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/svg.h"
#include "report/thin.h"
#include "support/xml_check.h"

namespace fovea::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Well formed, and nothing is loaded from elsewhere.
void expect_sound(std::string svg) {
  EXPECT_EQ(test::xml_problem(svg), "");
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  const auto at = svg.find(name_space);
  ASSERT_NE(at, std::string::npos);
  svg.erase(at, name_space.size());
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("nan")),
                         Not(HasSubstr("inf"))));
}

LineChart line_chart(std::vector<double> y) {
  LineChart chart{.title = "t"};
  chart.series.push_back({.name = "s", .y = std::move(y)});
  return chart;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LineChart, PutsPointsWhereTheAxesSay) {
  LineChart chart = line_chart({0, 1});
  chart.x = {.low = 0, .high = 1};
  chart.y = {.low = 0, .high = 1};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  // The plot's own coordinates: from the lower left corner to the upper right one.
  const auto at = svg.find("<path d=\"M0 ", svg.find("<svg ", 5));
  ASSERT_NE(at, std::string::npos);
  double height = 0, width = 0, top = -1;
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "<path d=\"M0 %lfL%lf %lf\"", &height, &width, &top), 3);
  EXPECT_GT(height, 200);
  EXPECT_GT(width, 400);
  EXPECT_EQ(top, 0);
}

TEST(LineChart, SameDataSameBytes) {
  LineChart chart = line_chart({1, 4, 2, 8});
  chart.references = {{3, "three", false}, {1.5, "half", true}};
  EXPECT_EQ(to_svg(chart), to_svg(chart));
}

TEST(LineChart, EscapesEveryText) {
  LineChart chart = line_chart({1, 2});
  const std::string nasty = "<b>&\"'\x01\xff</svg><script>alert(1)</script>";
  chart.title = chart.series[0].name = chart.x.title = chart.y.title = nasty;
  chart.references = {{1.5, nasty, false}};
  expect_sound(to_svg(chart));
}

TEST(LineChart, ValuesThatCannotBeDrawnLeaveAGapAndANote) {
  const std::string svg = to_svg(line_chart({1, 2, kNaN, 3, kInf, 2, 1}));
  expect_sound(svg);
  EXPECT_THAT(svg, HasSubstr("2 points not drawn: not finite"));
  LineChart log = line_chart({1, 10, 0, -3, 100});
  log.y.log = true;
  EXPECT_THAT(to_svg(log), HasSubstr("2 points not drawn: not finite or not positive"));
}

TEST(LineChart, EmptySeriesAndChartsSaySo) {
  EXPECT_THAT(to_svg(line_chart({})), AllOf(HasSubstr("s (no data)"), HasSubstr(">no data<")));
  EXPECT_THAT(to_svg(line_chart({kNaN})), HasSubstr("s (no data)"));
  for (const bool log : {false, true}) {
    LineChart nothing;
    nothing.x.log = nothing.y.log = log;
    expect_sound(to_svg(nothing));
  }
}

TEST(LineChart, AnyValuesGiveASoundChart) {
  const double odd[] = {0, 1e308, -1e308, 1e-310, kInf, kNaN, 3};
  for (const double a : odd)
    for (const double b : odd)
      for (const bool log : {false, true}) {
        LineChart chart = line_chart({a, b, 1});
        chart.series[0].x = {b, a, 1};
        chart.series[0].low = {a, a, 0};
        chart.series[0].high = {b, b, 2};
        chart.series[0].marker = Marker::kRing;
        chart.x.log = chart.y.log = log;
        chart.y.low = a;
        chart.y.high = b;
        chart.references = {{a, "a", false}, {b, "b", true}};
        expect_sound(to_svg(chart));
      }
}

TEST(LineChart, ManyPointsAreThinned) {
  std::vector<double> y;
  for (int i = 0; i < 200000; ++i) y.push_back(std::sin(i * 0.01) * i);
  EXPECT_LT(to_svg(line_chart(y)).size(), 80000);
  LineChart scatter = line_chart(y);
  scatter.series[0].line = false;
  expect_sound(to_svg(scatter));
  EXPECT_LT(to_svg(scatter).size(), 2000000);
}

TEST(LineChart, NamesTheSeriesOfUnequalLengths) {
  LineChart chart = line_chart({1, 2, 3});
  chart.series[0].x = {1, 2};
  try {
    to_svg(chart);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\"s\""), HasSubstr("2"), HasSubstr("3")));
  }
  chart.series[0].x.clear();
  chart.series[0].low = {1, 2, 3};
  EXPECT_THROW(to_svg(chart), InvalidArgument);
  chart = line_chart({1});
  chart.width = 5;
  EXPECT_THROW(to_svg(chart), InvalidArgument);
}

TEST(LineChart, EveryMarkerIsDrawn) {
  for (int m = 0; m < 7; ++m)
    for (const bool line : {false, true}) {
      LineChart chart = line_chart({1, 3, 2});
      chart.series[0].marker = static_cast<Marker>(m);
      chart.series[0].line = line;
      expect_sound(to_svg(chart));
    }
}

TEST(ThinLine, KeepsTheExtremesOfEveryColumn) {
  std::vector<Point> points;
  for (int i = 0; i < 10000; ++i) points.push_back({i * 0.01, std::fmod(i * 7.31, 50.0)});
  points[5555].y = 999;
  const auto thin = thin_line(points);
  EXPECT_LE(thin.size(), 4 * 201);
  EXPECT_EQ(thin.front().x, 0);
  EXPECT_EQ(thin.back().x, points.back().x);
  EXPECT_TRUE(std::any_of(thin.begin(), thin.end(), [](Point p) { return p.y == 999; }));
  const std::vector<Point> few{{0, 0}, {10, 3}, {20, 1}};
  EXPECT_EQ(thin_line(few).size(), 3);
}

TEST(ThinLine, LoopsKeepTheirShape) {
  std::vector<Point> circle;
  for (int i = 0; i <= 50000; ++i)
    circle.push_back(
        {100 * std::cos(i * 6.2831853 / 50000), 100 * std::sin(i * 6.2831853 / 50000)});
  const auto thin = thin_line(circle);
  EXPECT_LT(thin.size(), 5000);
  EXPECT_GT(thin.size(), 1000);
}

BarChart bar_chart(std::vector<double> values) {
  BarChart chart{.title = "bars"};
  for (std::size_t i = 0; i < values.size(); ++i) chart.categories.push_back(fmt::format("c{}", i));
  chart.series.push_back({.name = "s", .values = std::move(values)});
  return chart;
}

TEST(BarChart, LengthsAreInProportion) {
  for (const bool horizontal : {false, true}) {
    BarChart chart = bar_chart({10, 20});
    chart.horizontal = horizontal;
    const std::string svg = to_svg(chart);
    expect_sound(svg);
    const std::string side = horizontal ? "width=\"" : "height=\"";
    std::vector<double> lengths;  // of the rounded rectangles
    for (auto at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) {
      const std::string rect = svg.substr(at, svg.find("/>", at) - at);
      if (rect.find("rx=\"2\" fill") == std::string::npos) continue;
      lengths.push_back(std::stod(rect.substr(rect.find(side) + side.size())));
    }
    ASSERT_EQ(lengths.size(), 3);  // the legend's swatch, then the bars
    EXPECT_NEAR(lengths[2], 2 * lengths[1], 0.05);
  }
}

TEST(BarChart, MissingNegativeAndAbsurdValues) {
  const double odd[] = {kNaN, kInf, -5, 0, 1e300};
  for (const double a : odd)
    for (const bool horizontal : {false, true})
      for (const bool log : {false, true}) {
        BarChart chart = bar_chart({a, 3});
        chart.series[0].errors = {1, kNaN};
        chart.horizontal = horizontal;
        chart.value.log = log;
        expect_sound(to_svg(chart));
      }
  EXPECT_THAT(to_svg(bar_chart({kNaN, 1})), HasSubstr("n/a"));
  EXPECT_THAT(to_svg(bar_chart({})), HasSubstr("no data"));
}

TEST(BarChart, LongNamesTurnAndAreCut) {
  BarChart chart = bar_chart({1, 2, 3, 4, 5, 6, 7, 8});
  chart.categories[3] = "a name that is much too long for the slot of a single bar";
  EXPECT_THAT(to_svg(chart), AllOf(HasSubstr("rotate(-32"), HasSubstr("…")));
  chart.categories.pop_back();
  EXPECT_THROW(to_svg(chart), InvalidArgument);
}

TEST(Histogram, CountsEverySampleOnce) {
  Histogram chart{.title = "h", .x = {.low = 0, .high = 4}, .bins = 4};
  chart.series = {{"s", {0.5, 0.6, 1.5, 4, 9, kNaN}}};  // 4 belongs to the last bin
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  EXPECT_THAT(svg, HasSubstr("2 values not counted"));
}

TEST(Histogram, ChoosesBinsAndSurvivesAnything) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::sin(i * 12.9898) * 43.75);
  const std::string svg = to_svg(Histogram{.series = {{"s", values}}});
  expect_sound(svg);
  EXPECT_GT(count(svg, "H"), 5);
  for (const auto& odd : std::vector<std::vector<double>>{
           {}, {1}, {2, 2, 2}, {kNaN, kInf}, {-1e308, 1e308}, {0, 1e-300}, {1e15, 1e15 + 1}})
    for (const bool log : {false, true})
      expect_sound(to_svg(Histogram{.x = {.log = log}, .series = {{"s", odd}}, .density = log}));
  EXPECT_THROW(to_svg(Histogram{.bins = -1}), InvalidArgument);
}

MatrixChart matrix(int rows, int columns) {
  MatrixChart chart{.title = "m", .rows = rows, .columns = columns};
  for (int i = 0; i < rows * columns; ++i) chart.values.push_back(i);
  return chart;
}

TEST(MatrixChart, WritesNumbersOrShares) {
  MatrixChart chart = matrix(2, 2);
  chart.values = {3, 1, 0, 8};
  chart.row_labels = chart.column_labels = {"a<b", "c&d"};
  EXPECT_THAT(to_svg(chart), AllOf(HasSubstr(">3<"), HasSubstr("a&lt;b"), HasSubstr("c&amp;d")));
  chart.normalize_rows = true;
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  EXPECT_THAT(svg, AllOf(HasSubstr(">0.75<"), HasSubstr(">1.00<")));
}

TEST(MatrixChart, LargeOnesBecomeAPicture) {
  const std::string svg = to_svg(matrix(100, 100));
  expect_sound(svg);
  EXPECT_THAT(svg, HasSubstr("data:image/png;base64,"));
  EXPECT_LT(svg.size(), 60000);
}

TEST(MatrixChart, OddOnes) {
  expect_sound(to_svg(matrix(0, 0)));
  expect_sound(to_svg(matrix(1, 1)));
  expect_sound(to_svg(matrix(3, 400)));
  expect_sound(to_svg(matrix(400, 3)));
  MatrixChart chart = matrix(2, 2);
  chart.values = {kNaN, kInf, -kInf, 0};
  expect_sound(to_svg(chart));
  chart.normalize_rows = true;
  chart.map = ColorMap::kBalance;
  expect_sound(to_svg(chart));
  chart.rows = 3;
  EXPECT_THROW(to_svg(chart), InvalidArgument);
  chart = matrix(2, 2);
  chart.row_labels = {"one"};
  EXPECT_THROW(to_svg(chart), InvalidArgument);
}

TEST(Svg, CoordinatesAreShort) {
  EXPECT_EQ(coordinate(12.3456), "12.35");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(100), "100");
  EXPECT_EQ(coordinate(kNaN), "0");
  EXPECT_EQ(coordinate(-kInf), "-1000000");
}

}  // namespace
}  // namespace fovea::report
