// Line charts and scatter plots.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "report/chart_frame.h"
#include "report/thin.h"

namespace fovea::report {
namespace {

void require_length(const Series& series, const char* what, std::size_t length) {
  if (length == 0 || length == series.y.size()) return;
  throw InvalidArgument(fmt::format(
      "line chart: series \"{}\" has {} values of {} but {} of y; give one each, or none",
      series.name, length, what, series.y.size()));
}

void check(const LineChart& chart) {
  require_chart_size("line chart", chart.width, chart.height);
  for (const Series& series : chart.series) {
    require_length(series, "x", series.x.size());
    require_length(series, "low", series.low.size());
    require_length(series, "high", series.high.size());
    if (series.low.size() != series.high.size())
      throw InvalidArgument(fmt::format(
          "line chart: series \"{}\" has {} values of low but {} of high; a band needs both",
          series.name, series.low.size(), series.high.size()));
  }
}

double x_of(const Series& series, std::size_t i) {
  return series.x.empty() ? static_cast<double>(i) : series.x[i];
}

// A band's lower edge on a logarithmic axis may be 0 or less. It then reaches the end of the axis.
struct Limits {
  RangeFinder x, y;
  explicit Limits(const LineChart& chart) : x(chart.x), y(chart.y) {
    for (const Series& series : chart.series) {
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        if (!x.holds(x_of(series, i)) || !y.holds(series.y[i])) continue;
        x.take(x_of(series, i));
        y.take(series.y[i]);
        if (series.low.empty()) continue;
        y.take(series.low[i]);
        y.take(series.high[i]);
      }
    }
    for (const ReferenceLine& line : chart.references) (line.vertical ? x : y).take(line.at);
  }
};

// The runs of drawable points, in pixels of the plot.
std::vector<std::vector<Point>> runs(const ChartFrame& frame, const Limits& limits,
                                     const Series& series, const std::vector<double>& y) {
  std::vector<std::vector<Point>> result;
  bool gap = true;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double at = x_of(series, i);
    if (!limits.x.holds(at) || !limits.y.holds(y[i])) {
      gap = true;
      continue;
    }
    if (gap) result.emplace_back();
    gap = false;
    result.back().push_back({frame.x(at), frame.y(y[i])});
  }
  return result;
}

void append_points(std::string& path, const std::vector<Point>& points, char first) {
  char command = first;
  for (const Point point : points) {
    path += fmt::format("{}{} {}", command, coordinate(point.x), coordinate(point.y));
    command = 'L';
  }
}

void draw_band(ChartFrame& frame, const Limits& limits, const Series& series,
               const ThemeColor& color) {
  std::string path;
  std::vector<Point> low, high;
  const auto finish = [&] {
    if (low.size() > 1) {
      low = thin_line(low);
      high = thin_line(high);
      std::reverse(low.begin(), low.end());
      append_points(path, high, 'M');
      append_points(path, low, 'L');
      path += 'Z';
    }
    low.clear();
    high.clear();
  };
  for (std::size_t i = 0; i < series.low.size(); ++i) {
    const double at = x_of(series, i);
    if (!limits.x.holds(at) || std::isnan(series.low[i]) || !limits.y.holds(series.high[i])) {
      finish();
      continue;
    }
    const double bottom =
        limits.y.holds(series.low[i]) ? frame.y(series.low[i]) : frame.plot().height;
    low.push_back({frame.x(at), bottom});
    high.push_back({frame.x(at), frame.y(series.high[i])});
  }
  finish();
  frame.svg().path(path, {.fill = color, .opacity = 0.18});
}

std::string marker_path(Marker marker, Point at, double r) {
  const auto c = [](double v) { return coordinate(v); };
  switch (marker) {
    case Marker::kDot: return fmt::format("M{} {}h0", c(at.x), c(at.y));
    case Marker::kRing:
      return fmt::format("M{0} {1}a{2} {2} 0 1 0 {3} 0a{2} {2} 0 1 0 -{3} 0", c(at.x - r), c(at.y),
                         c(r), c(2 * r));
    case Marker::kSquare:
      return fmt::format("M{0} {1}h{2}v{2}h-{2}z", c(at.x - r), c(at.y - r), c(2 * r));
    case Marker::kDiamond: {
      const double d = r * 1.25;
      return fmt::format("M{0} {1}l{2} {2}l-{2} {2}l-{2} -{2}z", c(at.x), c(at.y - d), c(d));
    }
    case Marker::kTriangle:
      return fmt::format("M{} {}l{} {}h-{}z", c(at.x), c(at.y - r * 1.25), c(r * 1.15), c(r * 2),
                         c(r * 2.3));
    case Marker::kPlus:
      return fmt::format("M{0} {1}h{2}M{3} {4}v{2}", c(at.x - r), c(at.y), c(2 * r), c(at.x),
                         c(at.y - r));
    case Marker::kCross:
      return fmt::format("M{0} {1}l{2} {2}M{0} {3}l{2} -{2}", c(at.x - r * 0.8), c(at.y - r * 0.8),
                         c(r * 1.6), c(at.y + r * 0.8));
  }
  return {};
}

// The points of a cloud are dealt into several layers, because each layer is one path: translucent
// points of one path do not add up where they overlap, those of different paths do.
void draw_points(ChartFrame& frame, const Limits& limits, const Series& series,
                 const ThemeColor& color) {
  const Marker marker = series.marker.value_or(Marker::kDot);
  const bool dense = series.y.size() > 5000;
  const std::size_t layers = series.line ? 1 : dense ? 3 : 6;
  std::vector<std::vector<Point>> points(layers);
  const Rect<double>& plot = frame.plot();
  std::size_t count = 0;
  for (const auto& run : runs(frame, limits, series, series.y))
    for (const Point point : run)
      if (point.x >= -0.5 && point.x <= plot.width + 0.5 && point.y >= -0.5 &&
          point.y <= plot.height + 0.5)
        points[count++ % layers].push_back(point);
  const double radius = series.line ? 3.2 : count > 2000 ? 2 : count > 300 ? 2.6 : 3.4;
  const bool filled =
      marker == Marker::kSquare || marker == Marker::kDiamond || marker == Marker::kTriangle;
  Paint paint{.opacity = series.line ? 1 : 0.7};
  if (filled) paint.fill = color;
  else paint.stroke = color;
  paint.width = marker == Marker::kDot ? 2 * radius : 1.6;
  for (const auto& layer : points) {
    std::string path;
    for (const Point point : thin_cloud(layer, dense ? 1 : 0.25))
      path += marker_path(marker, point, radius);
    frame.svg().path(path, paint);
  }
}

void draw_series(ChartFrame& frame, const Limits& limits, const Series& series,
                 const ThemeColor& color) {
  frame.svg().open_clip(frame.plot(), series.line ? 2 : 8);
  if (!series.low.empty()) draw_band(frame, limits, series, color);
  if (series.line) {
    std::string path;
    for (const auto& run : runs(frame, limits, series, series.y)) {
      append_points(path, thin_line(run), 'M');
      if (run.size() == 1) path += "h0";  // a lone point between gaps is a dot
    }
    frame.svg().path(path, {.stroke = color, .width = 2, .dashed = series.dashed});
  }
  frame.svg().close_clip();
  if (!series.line || series.marker) {
    frame.svg().open_clip(frame.plot(), 8);
    draw_points(frame, limits, series, color);
    frame.svg().close_clip();
  }
}

// Whether the label of a horizontal reference line covers less data at the left end than at the
// right.
bool better_at_start(const LineChart& chart, const ChartFrame& frame, const Limits& limits,
                     const ReferenceLine& line) {
  if (line.vertical || !limits.y.holds(line.at)) return false;
  const double width = svg_text_width(line.label) + 8, bottom = frame.y(line.at);
  int at_start = 0, at_end = 0;
  const auto count = [&](Point p) {
    if (p.y < bottom - 18 || p.y > bottom + 2) return;
    at_start += p.x < width ? 1 : 0;
    at_end += p.x > frame.plot().width - width ? 1 : 0;
  };
  constexpr int kBetween = 8;  // a line also covers what lies between its points
  for (const Series& series : chart.series)
    for (const auto& run : runs(frame, limits, series, series.y))
      for (std::size_t i = 0; i < run.size(); ++i) {
        const Point a = run[i], b = series.line && i + 1 < run.size() ? run[i + 1] : a;
        for (int k = 0; k < kBetween; ++k)
          count({a.x + (b.x - a.x) * k / kBetween, a.y + (b.y - a.y) * k / kBetween});
      }
  return at_start < at_end;
}

std::size_t missing(const Limits& limits, const Series& series) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < series.y.size(); ++i)
    if (!limits.x.holds(x_of(series, i)) || !limits.y.holds(series.y[i])) ++count;
  return count;
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  check(chart);
  const Limits limits(chart);
  FrameSpec spec{.title = chart.title, .width = chart.width, .height = chart.height};
  spec.x = {.scale = limits.x.scale(ticks_along_width(chart.width)), .title = chart.x.title};
  spec.y = {.scale = limits.y.scale(ticks_along_height(chart.height)), .title = chart.y.title};
  std::size_t left_out = 0;
  bool any = false;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    const std::size_t gone = missing(limits, series);
    const bool empty = gone == series.y.size();
    left_out += gone;
    any = any || !empty;
    using Sign = LegendEntry::Sign;
    if (!series.name.empty())
      spec.legend.push_back({series.name, series_color(static_cast<int>(i), series.color),
                             !series.line    ? Sign::kDot
                             : series.dashed ? Sign::kDashedLine
                                             : Sign::kLine,
                             empty});
  }
  if (left_out > 0)
    spec.notes.push_back(fmt::format("{} not drawn: not finite{}",
                                     fovea::detail::counted(left_out, "point"),
                                     chart.x.log || chart.y.log ? " or not positive" : ""));
  ChartFrame frame(spec);
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    draw_series(frame, limits, chart.series[i],
                series_color(static_cast<int>(i), chart.series[i].color));
  for (const ReferenceLine& line : chart.references)
    frame.reference(line, better_at_start(chart, frame, limits, line));
  if (!any) frame.say_empty();
  return frame.svg().finish();
}

}  // namespace fovea::report
