#pragma once
#include <fovea/report/color.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <optional>
#include <string>
#include <vector>

// Draws charts as SVG text, which can be a file or a part of a page, whose light and dark themes
// they follow through CSS variables (--fovea-ink, --fovea-paper, --fovea-series-1, ...). The same
// data gives the same bytes. Values that cannot be drawn (not finite; not positive on a logarithmic
// axis) leave a gap, and a note below the chart counts them. Lists of unequal lengths throw
// InvalidArgument. Titles should give quantity and unit: "time (ms)".
namespace fovea::report {

struct Axis {
  std::string title{};
  bool log = false;
  bool zero = false;            // include 0 in the range; charts with bars always do
  std::optional<double> low{};  // ends of the range; without a value they come from the data
  std::optional<double> high{};
};

struct Series {
  std::string name{};
  std::vector<double> x{};  // position of each value; empty: 0, 1, 2, ...
  std::vector<double> y{};
  std::vector<double> low{};  // a shaded band around the line, such as a deviation; empty: none
  std::vector<double> high{};
  bool line = true;  // join the points; without it the series is a scatter
  bool dashed = false;
  std::optional<Marker> marker{};  // marker of each point; a series without line has dots
  std::optional<Color> color{};    // without a value it follows from the place in the chart
};

struct ReferenceLine {
  double at = 0;
  std::string label{};
  bool vertical = false;
};

// Lines and scatters. Series of many thousand points are thinned to what the picture can show.
struct LineChart {
  std::string title{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
  std::vector<ReferenceLine> references{};
  int width = 560;  // pixels, 120 to 10000
  int height = 350;
};
FOVEA_API std::string to_svg(const LineChart& chart);

struct BarSeries {
  std::string name{};
  std::vector<double> values{};  // one per category
  std::vector<double> errors{};  // half the length of each error bar; empty: none
  std::optional<Color> color{};
};

// Groups of bars, one group per category.
struct BarChart {
  std::string title{};
  std::vector<std::string> categories{};
  std::vector<BarSeries> series{};
  Axis value{};
  std::string category_title{};
  std::vector<ReferenceLine> references{};  // at values; `vertical` is ignored
  bool horizontal = false;                  // draw horizontal bars, for long names
  bool value_labels = true;                 // write numbers at the bars' ends, where there is room
  int width = 560;
  int height = 0;  // 0 fits the height to the bars
};
FOVEA_API std::string to_svg(const BarChart& chart);

struct HistogramSeries {
  std::string name{};
  std::vector<double> values{};  // samples, not counts
  std::optional<Color> color{};
};

struct Histogram {
  std::string title{};
  Axis x{};  // with log, bins have equal ratios
  Axis y{};
  std::vector<HistogramSeries> series{};
  int bins = 0;          // number of bins; 0 uses the rule of Freedman and Diaconis
  bool density = false;  // scale to an area of 1 instead of showing counts
  int width = 560;
  int height = 300;
};
FOVEA_API std::string to_svg(const Histogram& chart);

// A matrix in colors, such as a confusion matrix or distances. Cells that are NaN stay empty.
struct MatrixChart {
  std::string title{};
  std::vector<double> values{};  // row after row
  int rows = 0;
  int columns = 0;
  std::vector<std::string> row_labels{};  // empty: none, else one per row
  std::vector<std::string> column_labels{};
  std::string row_title{};
  std::string column_title{};
  std::string value_title{};          // title of the color bar
  bool normalize_rows = false;        // divide by the sum of the row
  bool numbers = true;                // write numbers into the cells, where there is room
  std::optional<ValueRange> range{};  // range of the colors; without a value, that of the data
  ColorMap map = ColorMap::kTide;
  bool reverse = true;  // draw low values light, like ink on paper
  int width = 560;      // the cells are square and fit into it
};
FOVEA_API std::string to_svg(const MatrixChart& chart);

}  // namespace fovea::report
