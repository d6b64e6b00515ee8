// Groups of vertical or horizontal bars.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_frame.h"

namespace fovea::report {
namespace {

constexpr double kGroupShare = 0.76;  // share of a slot that bars fill
constexpr double kThickest = 56;      // the most pixels across one bar
constexpr double kLabelSize = 11;

void check(const BarChart& chart) {
  for (const BarSeries& series : chart.series) {
    const auto fail = [&](const char* what, std::size_t length) {
      throw InvalidArgument(
          fmt::format("bar chart: series \"{}\" has {} {} for {} categories; give one each",
                      series.name, length, what, chart.categories.size()));
    };
    if (series.values.size() != chart.categories.size()) fail("values", series.values.size());
    if (!series.errors.empty() && series.errors.size() != chart.categories.size())
      fail("errors", series.errors.size());
  }
}

int fitting_height(const BarChart& chart) {
  if (chart.height != 0) return chart.height;
  if (!chart.horizontal) return 340;
  const double bars = static_cast<double>(chart.categories.size()) *
                      std::max<double>(1, static_cast<double>(chart.series.size()));
  const double slots = static_cast<double>(chart.categories.size()) * 10 + bars * 17;
  return static_cast<int>(std::clamp(slots + 110, 160.0, 10000.0));
}

double error_of(const BarSeries& series, std::size_t i) {
  const double error = series.errors.empty() ? 0 : series.errors[i];
  return std::isfinite(error) ? std::abs(error) : 0;
}

class Bars {
 public:
  Bars(const BarChart& chart, ChartFrame& frame, const Scale& scale)
      : chart_(chart), frame_(frame), scale_(scale) {
    const double count = std::max<double>(1, static_cast<double>(chart.series.size()));
    slot_ = chart.horizontal ? frame.slot_height() : frame.slot_width();
    thickness_ = std::min(kThickest, slot_ * kGroupShare / count);
    group_ = thickness_ * count;
    const double zero = scale.log ? scale.low
                                  : std::clamp(0.0, std::min(scale.low, scale.high),
                                               std::max(scale.low, scale.high));
    base_ = along(zero);
    labels_ = chart.value_labels && labels_fit();
  }

  void draw() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
      for (std::size_t i = 0; i < chart_.categories.size(); ++i) draw_bar(s, i);
    const Rect<double>& plot = frame_.plot();
    if (chart_.horizontal)
      frame_.svg().line({plot.x + base_, plot.y}, {plot.x + base_, plot.y + plot.height},
                        {.stroke = theme::kAxis});
    else
      frame_.svg().line({plot.x, plot.y + base_}, {plot.x + plot.width, plot.y + base_},
                        {.stroke = theme::kAxis});
  }

 private:
  double along(double value) const { return chart_.horizontal ? frame_.x(value) : frame_.y(value); }

  bool labels_fit() const {
    if (chart_.horizontal) return thickness_ >= 11;
    double widest = 0;
    for (const BarSeries& series : chart_.series)
      for (const double value : series.values)
        widest = std::max(widest, svg_text_width(short_number(value, 3), kLabelSize));
    return widest <= thickness_ + (chart_.series.size() == 1 ? slot_ - group_ : 1);
  }

  // The point of the chart at `along` the bars and `across` them.
  Point at(double along_bars, double across) const {
    const Rect<double>& plot = frame_.plot();
    return chart_.horizontal ? Point{plot.x + along_bars, plot.y + across}
                             : Point{plot.x + across, plot.y + along_bars};
  }

  double clamped(double value) const {
    const double end = chart_.horizontal ? frame_.plot().width : frame_.plot().height;
    return std::clamp(along(value), 0.0, end);
  }

  void draw_bar(std::size_t s, std::size_t i) {
    const BarSeries& series = chart_.series[s];
    const double value = series.values[i];
    const double across =
        (static_cast<double>(i) + 0.5) * slot_ - group_ / 2 + static_cast<double>(s) * thickness_;
    if (!scale_.holds(value)) {
      label(base_, across, std::isnan(value) ? "n/a" : short_number(value, 3));
      return;
    }
    const double end = clamped(value), gap = std::min(1.0, thickness_ * 0.08);
    const Point a = at(std::min(end, base_), across + gap);
    const Point b = at(std::max(end, base_), across + thickness_ - gap);
    frame_.svg().box({a.x, a.y, b.x - a.x, b.y - a.y},
                     {.fill = series_color(static_cast<int>(s), series.color)},
                     std::min(2.0, thickness_ / 4));
    double tip = end;
    if (const double error = error_of(series, i); error > 0) tip = whisker(value, error, across);
    // A bar on the other side of the base has its number at the base, away from the category names.
    const bool forward = chart_.horizontal ? end >= base_ : end <= base_;
    if (labels_) label(forward ? tip : base_, across, short_number(value, 3));
  }

  // Draws the whisker and returns its end away from the base.
  double whisker(double value, double error, double across) {
    const double low = scale_.holds(value - error) ? clamped(value - error) : base_;
    const double high = clamped(value + error);
    const double middle = across + thickness_ / 2, half = std::min(4.0, thickness_ / 4);
    const Paint paint{.stroke = theme::kInk, .width = 1.3, .opacity = 0.8};
    frame_.svg().line(at(low, middle), at(high, middle), paint);
    for (const double end : {low, high})
      frame_.svg().line(at(end, middle - half), at(end, middle + half), paint);
    return value >= 0 || scale_.log ? high : low;
  }

  void label(double tip, double across, const std::string& text) {
    const double middle = across + thickness_ / 2;
    SvgLabel style{.size = kLabelSize, .color = theme::kMuted, .halo = true};
    if (!chart_.horizontal) style.anchor = Anchor::kMiddle;
    frame_.svg().text(chart_.horizontal ? at(tip + 5, middle + 4) : at(tip - 4, middle), text,
                      style);
  }

  const BarChart& chart_;
  ChartFrame& frame_;
  const Scale& scale_;
  double slot_ = 0, thickness_ = 0, group_ = 0, base_ = 0;
  bool labels_ = false;
};

}  // namespace

std::string to_svg(const BarChart& chart) {
  check(chart);
  const int height = fitting_height(chart);
  require_chart_size("bar chart", chart.width, height);
  Axis axis = chart.value;
  axis.zero = true;
  RangeFinder range(axis);
  bool any = false;
  double widest = 0;
  for (const BarSeries& series : chart.series)
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      any = any || range.holds(series.values[i]);
      range.take(series.values[i] - error_of(series, i));
      range.take(series.values[i] + error_of(series, i));
      widest = std::max(widest, svg_text_width(short_number(series.values[i], 3), kLabelSize));
    }
  for (const ReferenceLine& line : chart.references) range.take(line.at);

  FrameSpec spec{.title = chart.title, .width = chart.width, .height = height};
  const int target = chart.horizontal ? ticks_along_width(chart.width) : ticks_along_height(height);
  FrameAxis values{.scale = range.scale(target), .title = axis.title};
  FrameAxis categories{
      .title = chart.category_title, .categories = chart.categories, .by_category = true};
  spec.x = chart.horizontal ? values : categories;
  spec.y = chart.horizontal ? categories : values;
  if (chart.horizontal && chart.value_labels) spec.room_right = widest;
  for (std::size_t s = 0; s < chart.series.size(); ++s)
    if (!chart.series[s].name.empty())
      spec.legend.push_back(
          {chart.series[s].name, series_color(static_cast<int>(s), chart.series[s].color)});
  ChartFrame frame(spec);
  Bars(chart, frame, values.scale).draw();
  for (ReferenceLine line : chart.references) {
    line.vertical = chart.horizontal;
    frame.reference(line);
  }
  if (!any) frame.say_empty();
  return frame.svg().finish();
}

}  // namespace fovea::report
