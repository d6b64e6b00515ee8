#pragma once
#include <fovea/report/color.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <optional>
#include <string>
#include <vector>

// Charts as SVG text: vector pictures that stand alone or within a page, whose light and dark
// themes they follow by CSS variables (--fovea-ink, --fovea-paper, --fovea-series-1, ...). The same
// data gives the same bytes. Values that cannot be drawn (not finite; not positive on a logarithmic
// axis) leave a gap and are counted in a note below the chart; lists of unequal lengths throw
// InvalidArgument. Titles name quantity and unit: "time (ms)".
namespace fovea::report {

struct Axis {
  std::string title{};
  bool log = false;
  bool zero = false;            // the range holds 0; bars have it anyway
  std::optional<double> low{};  // ends of the range; without one, from the data
  std::optional<double> high{};
};

struct Series {
  std::string name{};
  std::vector<double> x{};  // of each value; empty: 0, 1, 2, ...
  std::vector<double> y{};
  std::vector<double> low{};  // a shaded band about the line, such as a deviation; empty: none
  std::vector<double> high{};
  bool line = true;  // join the points; without it the series is a scatter
  bool dashed = false;
  std::optional<Marker> marker{};  // of each point; a series without line has dots
  std::optional<Color> color{};    // otherwise by its place in the chart
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
  std::vector<double> values{};  // one a category
  std::vector<double> errors{};  // half length of the error bars; empty: none
  std::optional<Color> color{};
};

// Groups of bars, a group a category.
struct BarChart {
  std::string title{};
  std::vector<std::string> categories{};
  std::vector<BarSeries> series{};
  Axis value{};
  std::string category_title{};
  std::vector<ReferenceLine> references{};  // at values; `vertical` is not looked at
  bool horizontal = false;                  // bars lie: for long names
  bool value_labels = true;                 // numbers at the bars' ends, where there is room
  int width = 560;
  int height = 0;  // 0: fits the bars
};
FOVEA_API std::string to_svg(const BarChart& chart);

struct HistogramSeries {
  std::string name{};
  std::vector<double> values{};  // samples, not counts
  std::optional<Color> color{};
};

struct Histogram {
  std::string title{};
  Axis x{};  // log: bins of equal ratio
  Axis y{};
  std::vector<HistogramSeries> series{};
  int bins = 0;          // over the range of x; 0: by the rule of Freedman and Diaconis
  bool density = false;  // areas of 1 instead of counts
  int width = 560;
  int height = 300;
};
FOVEA_API std::string to_svg(const Histogram& chart);

// A matrix in colors: confusions, distances, any table of numbers. NaN cells stay empty.
struct MatrixChart {
  std::string title{};
  std::vector<double> values{};  // row after row
  int rows = 0;
  int columns = 0;
  std::vector<std::string> row_labels{};  // empty: none, else one per row
  std::vector<std::string> column_labels{};
  std::string row_title{};
  std::string column_title{};
  std::string value_title{};          // of the color bar
  bool normalize_rows = false;        // divide by the sum of the row
  bool numbers = true;                // written into the cells, where there is room
  std::optional<ValueRange> range{};  // of the colors; without one, that of the values
  ColorMap map = ColorMap::kTide;
  bool reverse = true;  // low values light, as ink on paper
  int width = 560;      // the cells are square and fit into it
};
FOVEA_API std::string to_svg(const MatrixChart& chart);

}  // namespace fovea::report
