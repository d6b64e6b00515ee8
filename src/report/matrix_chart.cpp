// Matrices drawn in colors.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/chart_frame.h"
#include "report/png_text.h"

namespace fovea::report {
namespace {

constexpr double kLargestCell = 56;
constexpr double kBarRoom = 74;           // for the color bar with its numbers
constexpr std::size_t kMostRects = 2500;  // above this, the cells become one embedded image

void check(const MatrixChart& chart) {
  const auto cells = static_cast<double>(chart.rows) * chart.columns;
  if (chart.rows < 0 || chart.columns < 0 || cells != static_cast<double>(chart.values.size()))
    throw InvalidArgument(
        fmt::format("matrix chart: {} values for {} rows of {} columns; give one per cell",
                    chart.values.size(), chart.rows, chart.columns));
  const auto labels = [](const char* what, std::size_t given, int needed) {
    if (given != 0 && given != static_cast<std::size_t>(needed))
      throw InvalidArgument(
          fmt::format("matrix chart: {} {} labels for {} of them; give one each, or none", given,
                      what, needed));
  };
  labels("row", chart.row_labels.size(), chart.rows);
  labels("column", chart.column_labels.size(), chart.columns);
}

std::vector<double> shown_values(const MatrixChart& chart) {
  std::vector<double> values = chart.values;
  if (!chart.normalize_rows) return values;
  const auto columns = static_cast<std::size_t>(chart.columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(chart.rows); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < columns; ++i)
      if (std::isfinite(values[row * columns + i])) sum += values[row * columns + i];
    // A row that sums to 0 has no shares.
    for (std::size_t i = 0; i < columns; ++i)
      values[row * columns + i] =
          sum != 0 ? values[row * columns + i] / sum : std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

ValueRange color_range(const MatrixChart& chart, const std::vector<double>& values) {
  if (chart.range) return *chart.range;
  if (chart.normalize_rows) return {0, 1};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (!(low <= high)) return {0, 1};
  if (low >= 0 && chart.map != ColorMap::kBalance) low = 0;
  if (chart.map == ColorMap::kBalance) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (low == high) high = low + 1;
  return {low, high};
}

class MatrixPicture {
 public:
  MatrixPicture(const MatrixChart& chart, std::vector<double> values)
      : chart_(chart),
        values_(std::move(values)),
        range_(color_range(chart, values_)),
        shades_(colors(chart.map, kShades)) {
    if (chart.reverse) std::reverse(shades_.begin(), shades_.end());
    lay_out();
  }

  std::string draw() {
    Svg svg(chart_.width, static_cast<int>(std::ceil(height_)), chart_.title);
    if (!chart_.title.empty())
      svg.text({kEdge, kEdge + 13}, chart_.title, {.size = 14, .bold = true});
    draw_cells(svg);
    draw_labels(svg);
    if (values_.empty()) {
      svg.text({chart_.width / 2.0, height_ / 2}, "no data",
               {.anchor = Anchor::kMiddle, .size = 13, .color = theme::kMuted});
    } else {
      draw_bar(svg);
    }
    return svg.finish();
  }

 private:
  static constexpr int kShades = 64;

  void lay_out() {
    double row_label = 0, column_label = 0;
    for (const auto& label : chart_.row_labels)
      row_label = std::max(row_label, std::min(kLongestLabel, svg_text_width(label)));
    for (const auto& label : chart_.column_labels)
      column_label = std::max(column_label, std::min(kLongestLabel, svg_text_width(label)));
    left_ = kEdge + (chart_.row_title.empty() ? 0 : 20) + (row_label > 0 ? row_label + 8 : 0);
    const double room = std::max(20.0, chart_.width - left_ - kBarRoom - kEdge);
    cell_ = std::min(kLargestCell, room / std::max(1, chart_.columns));
    // A matrix with few rows and columns needs no large cells, and one with many rows must not make
    // the chart endlessly tall.
    cell_ = std::min(cell_, 1600.0 / std::max(1, chart_.rows));
    turned_ = column_label > cell_ - 4;
    top_ = kEdge + (chart_.title.empty() ? 0 : 26) + (chart_.column_title.empty() ? 0 : 20);
    if (column_label > 0) top_ += turned_ ? column_label * 0.72 + 12 : 20;
    numbers_ = chart_.numbers && values_.size() <= kMostRects && numbers_fit();
    height_ = std::max(120.0, top_ + std::max(1, chart_.rows) * cell_ + kEdge + 6);
  }

  std::string number(double value) const {
    if (std::isnan(value)) return "";
    return chart_.normalize_rows ? fmt::format("{:.2f}", value) : short_number(value, 3);
  }

  bool numbers_fit() const {
    double widest = 0;
    for (const double value : values_) widest = std::max(widest, svg_text_width(number(value), 11));
    return widest <= cell_ - 4 && cell_ >= 14;
  }

  Color shade(double value) const {
    const double t = (value - range_.low) / (range_.high - range_.low);
    return shades_[static_cast<std::size_t>(
        std::clamp(std::isnan(t) ? 0.0 : t * kShades, 0.0, kShades - 1.0))];
  }

  double value_at(int row, int column) const {
    return values_[static_cast<std::size_t>(row) * chart_.columns + column];
  }

  void draw_cells(Svg& svg) const {
    if (values_.size() > kMostRects) return draw_embedded(svg);
    const double gap = cell_ > 12 ? 1 : 0;
    for (int row = 0; row < chart_.rows; ++row) {
      for (int column = 0; column < chart_.columns; ++column) {
        const double value = value_at(row, column);
        if (std::isnan(value)) continue;
        const Rect<double> box{left_ + column * cell_, top_ + row * cell_, cell_ - gap,
                               cell_ - gap};
        const Color color = shade(value);
        svg.box(box, {.fill = ThemeColor{"", color}}, gap > 0 ? 2 : 0);
        if (numbers_)
          svg.text({box.x + box.width / 2, box.y + box.height / 2 + 4}, number(value),
                   {.anchor = Anchor::kMiddle, .size = 11, .color = {"", readable_on(color)}});
      }
    }
  }

  void draw_embedded(Svg& svg) const {
    Image<std::uint8_t> picture(chart_.columns, chart_.rows, 3);
    for (int y = 0; y < chart_.rows; ++y)
      for (int x = 0; x < chart_.columns; ++x) {
        const double value = value_at(y, x);
        const Color color = std::isnan(value) ? Color{128, 128, 128} : shade(value);
        picture.at(x, y, 0) = color.r;
        picture.at(x, y, 1) = color.g;
        picture.at(x, y, 2) = color.b;
      }
    svg.image({left_, top_, chart_.columns * cell_, chart_.rows * cell_}, png_data_uri(picture));
  }

  void draw_labels(Svg& svg) const {
    const double right = left_ + chart_.columns * cell_, bottom = top_ + chart_.rows * cell_;
    const int every = std::max(1, static_cast<int>(std::ceil(13 / cell_)));
    for (std::size_t i = 0; i < chart_.row_labels.size(); i += every)
      svg.text({left_ - 8, top_ + (static_cast<double>(i) + 0.5) * cell_ + 4},
               svg_fitted(chart_.row_labels[i], kLongestLabel), {.anchor = Anchor::kEnd});
    for (std::size_t i = 0; i < chart_.column_labels.size(); i += every) {
      const double x = left_ + (static_cast<double>(i) + 0.5) * cell_;
      svg.text(
          {turned_ ? x + 1 : x, top_ - 7}, svg_fitted(chart_.column_labels[i], kLongestLabel),
          {.anchor = turned_ ? Anchor::kStart : Anchor::kMiddle, .rotate = turned_ ? -45.0 : 0.0});
    }
    svg.text({(left_ + right) / 2, kEdge + (chart_.title.empty() ? 12 : 38)}, chart_.column_title,
             {.anchor = Anchor::kMiddle, .color = theme::kMuted});
    svg.text({kEdge + 11, (top_ + bottom) / 2}, chart_.row_title,
             {.anchor = Anchor::kMiddle, .color = theme::kMuted, .rotate = -90});
  }

  void draw_bar(Svg& svg) const {
    const double x = left_ + chart_.columns * cell_ + 18, width = 12;
    const double height = std::clamp(chart_.rows * cell_, 80.0, 260.0);
    for (int i = 0; i < kShades; ++i) {
      const double slice = height / kShades;
      // Slices overlap by a pixel, so that no seams show between them.
      svg.box({x, top_ + height - (i + 1) * slice, width, slice + (i > 0 ? 1 : 0)},
              {.fill = ThemeColor{"", shades_[static_cast<std::size_t>(i)]}});
    }
    for (const Tick& tick :
         ticks({range_.low, range_.high, false}, std::clamp(static_cast<int>(height / 40), 2, 6))) {
      const double part = (tick.value - range_.low) / (range_.high - range_.low);
      svg.text({x + width + 6, top_ + height * (1 - part) + 4}, tick.label,
               {.color = theme::kMuted});
    }
    svg.text({x, top_ - 9}, chart_.value_title, {.color = theme::kMuted});
  }

  const MatrixChart& chart_;
  std::vector<double> values_;
  ValueRange range_;
  std::vector<Color> shades_;
  double left_ = 0, top_ = 0, cell_ = 0, height_ = 0;
  bool turned_ = false, numbers_ = false;
};

}  // namespace

std::string to_svg(const MatrixChart& chart) {
  require_chart_size("matrix chart", chart.width, 400);
  check(chart);
  return MatrixPicture(chart, shown_values(chart)).draw();
}

}  // namespace fovea::report
