// What all charts share: title, legend, axes with grid and ticks, notes, and the room they take.
#pragma once
#include <fovea/report/chart.h>

#include <string>
#include <vector>

#include "report/svg.h"
#include "report/ticks.h"

namespace fovea::report {

inline constexpr double kEdge = 8;  // margin around a chart
inline constexpr double kLongestLabel = 150;

struct LegendEntry {
  enum class Sign : unsigned char { kLine, kDashedLine, kDot, kSwatch };
  std::string name;
  ThemeColor color;
  Sign sign = Sign::kSwatch;
  bool empty = false;  // there is nothing to show, and the legend says so
};

// One side of the plot with its scale and ticks. An axis of categories has labels in the middle of
// equal slots instead of ticks.
struct FrameAxis {
  Scale scale{};
  std::string title{};
  std::vector<std::string> categories{};
  bool by_category = false;
};

struct FrameSpec {
  std::string title{};
  std::vector<LegendEntry> legend{};
  FrameAxis x{};
  FrameAxis y{};
  std::vector<std::string> notes{};
  int width = 560;
  int height = 350;
  double room_right = 0;  // for labels at the ends of horizontal bars
};

// About how many ticks with their labels fit along an axis of a chart of this size.
int ticks_along_width(int chart_width);
int ticks_along_height(int chart_height);

// Throws InvalidArgument for a size that a chart cannot have.
void require_chart_size(const char* chart, int width, int height);

// Collects the values that an axis must hold and computes its scale.
class RangeFinder {
 public:
  explicit RangeFinder(const Axis& axis);
  void take(double value);
  bool holds(double value) const;
  Scale scale(int target) const;

 private:
  const Axis& axis_;
  double low_;
  double high_;
};

class ChartFrame {
 public:
  explicit ChartFrame(const FrameSpec& spec);

  Svg& svg() { return svg_; }
  const Rect<double>& plot() const { return plot_; }
  // Positions within the plot, from its upper left corner.
  double x(double value) const { return spec_.x.scale.position(value) * plot_.width; }
  double y(double value) const { return (1 - spec_.y.scale.position(value)) * plot_.height; }
  double slot_width() const;   // width of one category along x
  double slot_height() const;  // height of one category along y

  // Draws a dashed line across the plot with its label. The label of a horizontal line stands at
  // its end or at its start.
  void reference(const ReferenceLine& line, bool label_at_start = false);
  void say_empty();  // writes in the middle of the plot that there is no data

 private:
  void draw_heading();
  void draw_x_axis();
  void draw_x_categories();
  void draw_y_axis();
  void draw_legend(double top);

  FrameSpec spec_;
  Svg svg_;
  Rect<double> plot_{};
  double turned_labels_ = 0;  // rotation in degrees of the category labels along x
};

}  // namespace fovea::report
