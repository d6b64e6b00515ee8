// Histograms of samples.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "report/chart_frame.h"

namespace fovea::report {
namespace {

constexpr int kMostBins = 2000;

// Bins over a linear or logarithmic range.
struct Binning {
  double low = 0, high = 1;  // bounds of the value, or of its logarithm
  bool log = false;
  int bins = 1;

  double axis(double value) const { return log ? std::log10(value) : value; }
  double edge(int i) const {
    const double at = low + (high - low) * i / bins;
    return log ? std::pow(10, at) : at;
  }
  int bin_of(double value) const {
    const double part = (axis(value) - low) / (high - low);
    if (!(part >= 0 && part <= 1)) return -1;
    return std::min(static_cast<int>(part * bins), bins - 1);  // the last bin has its upper end
  }
};

// Freedman and Diaconis (1981): a width of twice the interquartile range over the cube root of n.
int chosen_bins(std::vector<double> values, double low, double high) {
  if (values.size() < 2 || !(high > low)) return 1;
  std::sort(values.begin(), values.end());
  const double spread = values[values.size() * 3 / 4] - values[values.size() / 4];
  const double count = static_cast<double>(values.size());
  const double width = 2 * spread / std::cbrt(count);
  const double bins = width > 0 ? std::ceil((high - low) / width) : std::ceil(std::log2(count) + 1);
  return static_cast<int>(std::clamp(bins, 1.0, 200.0));
}

Binning binning_for(const Histogram& chart, const RangeFinder& holds) {
  Binning binning;
  binning.log = chart.x.log;
  std::vector<double> all;
  for (const HistogramSeries& series : chart.series)
    for (const double value : series.values)
      if (holds.holds(value)) all.push_back(binning.axis(value));
  if (!all.empty()) {
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    binning.low = *least;
    binning.high = *most;
  }
  if (chart.x.low && holds.holds(*chart.x.low)) binning.low = binning.axis(*chart.x.low);
  if (chart.x.high && holds.holds(*chart.x.high)) binning.high = binning.axis(*chart.x.high);
  if (!(binning.low < binning.high) || !std::isfinite(binning.high - binning.low)) {
    const double middle = std::isfinite(binning.low) ? binning.low : 0;
    const double half = std::max(0.5, std::abs(middle) * 1e-3);
    binning.low = middle - half;
    binning.high = middle + half;
  }
  binning.bins =
      chart.bins > 0 ? chart.bins : chosen_bins(std::move(all), binning.low, binning.high);
  return binning;
}

struct Counts {
  std::vector<double> heights;
  std::size_t outside = 0;  // values outside the range or without a place on the axis
};

Counts count(const HistogramSeries& series, const Binning& binning, const RangeFinder& holds,
             bool density) {
  Counts counts{std::vector<double>(static_cast<std::size_t>(binning.bins), 0.0), 0};
  for (const double value : series.values) {
    const int bin = holds.holds(value) ? binning.bin_of(value) : -1;
    if (bin < 0) ++counts.outside;
    else ++counts.heights[static_cast<std::size_t>(bin)];
  }
  const double inside = static_cast<double>(series.values.size() - counts.outside);
  if (density && inside > 0)
    for (int i = 0; i < binning.bins; ++i)
      counts.heights[static_cast<std::size_t>(i)] /=
          inside * (binning.edge(i + 1) - binning.edge(i));
  return counts;
}

void draw_steps(ChartFrame& frame, const Binning& binning, const std::vector<double>& heights,
                const ThemeColor& color, const Scale& y) {
  const double base = frame.plot().height;
  const auto top = [&](double height) { return y.holds(height) ? frame.y(height) : base; };
  std::string outline =
      fmt::format("M{} {}", coordinate(frame.x(binning.edge(0))), coordinate(base));
  for (int i = 0; i < binning.bins; ++i)
    outline += fmt::format("V{}H{}", coordinate(top(heights[static_cast<std::size_t>(i)])),
                           coordinate(frame.x(binning.edge(i + 1))));
  outline += fmt::format("V{}", coordinate(base));
  frame.svg().open_clip(frame.plot(), 1);
  frame.svg().path(outline + "Z", {.fill = color, .opacity = 0.28});
  frame.svg().path(outline, {.stroke = color, .width = 1.6});
  frame.svg().close_clip();
}

}  // namespace

std::string to_svg(const Histogram& chart) {
  require_chart_size("histogram", chart.width, chart.height);
  if (chart.bins < 0 || chart.bins > kMostBins)
    throw InvalidArgument(fmt::format("histogram: {} bins; give 1 to {}, or 0 to have them chosen",
                                      chart.bins, kMostBins));
  RangeFinder x_range(chart.x);
  const Binning binning = binning_for(chart, x_range);
  x_range.take(binning.edge(0));
  x_range.take(binning.edge(binning.bins));
  Axis y = chart.y;
  y.zero = true;
  if (y.title.empty()) y.title = chart.density ? "density" : "count";
  RangeFinder y_range(y);

  FrameSpec spec{.title = chart.title, .width = chart.width, .height = chart.height};
  std::vector<Counts> counts;
  std::size_t outside = 0;
  bool any = false;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const HistogramSeries& series = chart.series[s];
    counts.push_back(count(series, binning, x_range, chart.density));
    const bool empty = counts.back().outside == series.values.size();
    for (const double height : counts.back().heights) y_range.take(height);
    outside += counts.back().outside;
    any = any || !empty;
    if (!series.name.empty())
      spec.legend.push_back({series.name, series_color(static_cast<int>(s), series.color),
                             LegendEntry::Sign::kSwatch, empty});
  }
  if (outside > 0)
    spec.notes.push_back(fmt::format("{} not counted: not finite or outside the axis",
                                     fovea::detail::counted(outside, "value")));
  spec.x = {.scale = x_range.scale(ticks_along_width(chart.width)), .title = chart.x.title};
  spec.y = {.scale = y_range.scale(ticks_along_height(chart.height)), .title = y.title};
  ChartFrame frame(spec);
  for (std::size_t s = 0; s < counts.size(); ++s)
    draw_steps(frame, binning, counts[s].heights,
               series_color(static_cast<int>(s), chart.series[s].color), spec.y.scale);
  if (!any) frame.say_empty();
  return frame.svg().finish();
}

}  // namespace fovea::report
