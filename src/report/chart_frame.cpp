#include "report/chart_frame.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fovea::report {
namespace {

constexpr double kTitle = 24;  // heights of the chart's parts
constexpr double kRow = 20;
constexpr double kNote = 19;
constexpr double kSign = 18;   // width of the sign in a legend's entry
constexpr double kTurn = -32;  // rotation in degrees of labels that do not fit their slot

std::string legend_text(const LegendEntry& entry) {
  return entry.empty ? entry.name + " (no data)" : entry.name;
}

int legend_rows(const std::vector<LegendEntry>& legend, double width) {
  int rows = 0;
  double x = width;
  for (const LegendEntry& entry : legend) {
    const double needed = kSign + 6 + svg_text_width(legend_text(entry)) + 18;
    if (rows == 0 || x + needed - 18 > width) {
      ++rows;
      x = 0;
    }
    x += needed;
  }
  return rows;
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const auto& label : labels)
    width = std::max(width, std::min(kLongestLabel, svg_text_width(label)));
  return width;
}

}  // namespace

int ticks_along_width(int chart_width) { return std::clamp(chart_width / 66, 2, 12); }
int ticks_along_height(int chart_height) { return std::clamp(chart_height / 55, 2, 10); }

void require_chart_size(const char* chart, int width, int height) {
  constexpr int kLeast = 120, kMost = 10000;
  if (width < kLeast || width > kMost || height < kLeast || height > kMost)
    throw InvalidArgument(fmt::format("{}: size {}x{}; expected sides of {} to {} pixels", chart,
                                      width, height, kLeast, kMost));
}

RangeFinder::RangeFinder(const Axis& axis)
    : axis_(axis), low_(std::numeric_limits<double>::infinity()), high_(-low_) {}

bool RangeFinder::holds(double value) const { return Scale{.log = axis_.log}.holds(value); }

void RangeFinder::take(double value) {
  if (!holds(value)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

Scale RangeFinder::scale(int target) const {
  double low = low_, high = high_;
  if (axis_.zero && !axis_.log) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  const bool low_given = axis_.low && holds(*axis_.low);
  const bool high_given = axis_.high && holds(*axis_.high);
  if (low_given) low = *axis_.low;
  if (high_given) high = *axis_.high;
  if (low > high && low_given != high_given) (low_given ? high : low) = low_given ? low : high;
  Scale scale = nice_scale({low, high, axis_.log}, target);
  if (low_given && *axis_.low != scale.high) scale.low = *axis_.low;
  if (high_given && *axis_.high != scale.low) scale.high = *axis_.high;
  return scale;
}

ChartFrame::ChartFrame(const FrameSpec& spec)
    : spec_(spec), svg_(spec.width, spec.height, spec.title) {
  const double inner = spec.width - 2 * kEdge;
  double top = kEdge + (spec.title.empty() ? 0 : kTitle);
  top += kRow * legend_rows(spec.legend, inner);
  top += !spec.y.title.empty() ? kRow + 6 : 8;

  double bottom = kEdge / 2 + kRow + (spec.x.title.empty() ? 0 : kRow) +
                  kNote * static_cast<double>(spec.notes.size());
  double left = kEdge;
  if (spec.y.by_category) {
    left += widest(spec.y.categories) + 8;
  } else {
    for (const Tick& tick : ticks(spec.y.scale, ticks_along_height(spec.height)))
      left = std::max(left, kEdge + svg_text_width(tick.label) + 8);
  }
  const double right = kEdge + 4 + spec.room_right;
  double width = std::max(20.0, spec.width - left - right);
  if (spec.x.by_category && !spec.x.categories.empty()) {
    const double slot = width / static_cast<double>(spec.x.categories.size());
    if (widest(spec.x.categories) > slot - 4) {
      turned_labels_ = kTurn;
      const double radians = -kTurn * std::numbers::pi / 180;
      bottom += widest(spec.x.categories) * std::sin(radians) - 4;
      // The first label reaches left of its slot when it is rotated.
      const double reach =
          svg_text_width(svg_fitted(spec.x.categories[0], kLongestLabel)) * std::cos(radians);
      left = std::max(left, kEdge + reach - slot / 2);
      width = std::max(20.0, spec.width - left - right);
    }
  }
  plot_ = {std::round(left), std::round(top), std::round(width),
           std::max(20.0, std::round(spec.height - top - bottom))};
  draw_heading();
  if (spec.x.by_category) draw_x_categories();
  else draw_x_axis();
  draw_y_axis();
  double note = spec.height - kEdge / 2 - kNote * static_cast<double>(spec.notes.size()) + 11;
  for (const auto& text : spec.notes) {
    svg_.text({kEdge, note}, text, {.size = 11, .color = theme::kMuted});
    note += kNote;
  }
}

double ChartFrame::slot_width() const {
  return plot_.width / std::max<double>(1, static_cast<double>(spec_.x.categories.size()));
}
double ChartFrame::slot_height() const {
  return plot_.height / std::max<double>(1, static_cast<double>(spec_.y.categories.size()));
}

void ChartFrame::draw_heading() {
  double top = kEdge;
  if (!spec_.title.empty()) {
    svg_.text({kEdge, top + 13}, spec_.title, {.size = 14, .bold = true});
    top += kTitle;
  }
  draw_legend(top);
  if (!spec_.y.title.empty())
    svg_.text({kEdge, plot_.y - 13}, spec_.y.title, {.color = theme::kMuted});
}

void ChartFrame::draw_legend(double top) {
  double x = kEdge;
  const double end = spec_.width - kEdge;
  for (const LegendEntry& entry : spec_.legend) {
    const std::string name = legend_text(entry);
    const double needed = kSign + 6 + svg_text_width(name);
    if (x > kEdge && x + needed > end) {
      x = kEdge;
      top += kRow;
    }
    const double middle = top + 8;
    using Sign = LegendEntry::Sign;
    if (entry.sign == Sign::kSwatch) {
      svg_.box({x + 4, middle - 5, 10, 10}, {.fill = entry.color}, 2);
    } else if (entry.sign == Sign::kDot) {
      svg_.path(fmt::format("M{} {}h0", coordinate(x + kSign / 2), coordinate(middle)),
                {.stroke = entry.color, .width = 7});
    } else {
      svg_.line({x, middle}, {x + kSign, middle},
                {.stroke = entry.color, .width = 2.5, .dashed = entry.sign == Sign::kDashedLine});
    }
    svg_.text({x + kSign + 6, top + 12}, name,
              {.color = entry.empty ? theme::kMuted : theme::kInk});
    x += needed + 18;
  }
}

void ChartFrame::draw_x_axis() {
  const double bottom = plot_.y + plot_.height;
  double free_from = -1e9;
  for (const Tick& tick : ticks(spec_.x.scale, ticks_along_width(spec_.width))) {
    const double at = plot_.x + x(tick.value);
    svg_.line({at, plot_.y}, {at, bottom},
              {.stroke = theme::kGrid, .opacity = tick.label.empty() ? 0.55 : 1});
    if (tick.label.empty()) continue;
    const double half = svg_text_width(tick.label) / 2;
    if (at - half < free_from) continue;  // it would touch the label before it
    svg_.text({at, bottom + 17}, tick.label, {.anchor = Anchor::kMiddle, .color = theme::kMuted});
    free_from = at + half + 6;
  }
  svg_.line({plot_.x, bottom}, {plot_.x + plot_.width, bottom}, {.stroke = theme::kAxis});
  svg_.text({plot_.x + plot_.width / 2, bottom + 17 + kRow}, spec_.x.title,
            {.anchor = Anchor::kMiddle, .color = theme::kMuted});
}

void ChartFrame::draw_x_categories() {
  const double bottom = plot_.y + plot_.height;
  double depth = 0;
  for (std::size_t i = 0; i < spec_.x.categories.size(); ++i) {
    const double at = plot_.x + (static_cast<double>(i) + 0.5) * slot_width();
    const std::string label = svg_fitted(spec_.x.categories[i], kLongestLabel);
    const bool turned = turned_labels_ != 0;
    svg_.text({at, bottom + (turned ? 13 : 17)}, label,
              {.anchor = turned ? Anchor::kEnd : Anchor::kMiddle, .rotate = turned_labels_});
    if (turned)
      depth = std::max(
          depth, svg_text_width(label) * std::sin(-turned_labels_ * std::numbers::pi / 180) - 4);
  }
  svg_.text({plot_.x + plot_.width / 2, bottom + 17 + kRow + depth}, spec_.x.title,
            {.anchor = Anchor::kMiddle, .color = theme::kMuted});
}

void ChartFrame::draw_y_axis() {
  if (spec_.y.by_category) {
    for (std::size_t i = 0; i < spec_.y.categories.size(); ++i)
      svg_.text({plot_.x - 8, plot_.y + (static_cast<double>(i) + 0.5) * slot_height() + 4},
                svg_fitted(spec_.y.categories[i], kLongestLabel), {.anchor = Anchor::kEnd});
    return;
  }
  for (const Tick& tick : ticks(spec_.y.scale, ticks_along_height(spec_.height))) {
    const double at = plot_.y + y(tick.value);
    svg_.line({plot_.x, at}, {plot_.x + plot_.width, at},
              {.stroke = theme::kGrid, .opacity = tick.label.empty() ? 0.55 : 1});
    svg_.text({plot_.x - 8, at + 4}, tick.label, {.anchor = Anchor::kEnd, .color = theme::kMuted});
  }
}

void ChartFrame::reference(const ReferenceLine& line, bool label_at_start) {
  const Scale& scale = line.vertical ? spec_.x.scale : spec_.y.scale;
  if (!scale.holds(line.at)) return;
  const double part = scale.position(line.at);
  if (!(part >= -1e-9 && part <= 1 + 1e-9)) return;
  const Paint paint{.stroke = theme::kInk, .width = 1.2, .opacity = 0.75, .dashed = true};
  const double right = plot_.x + plot_.width;
  if (line.vertical) {
    const double at = plot_.x + x(line.at);
    svg_.line({at, plot_.y}, {at, plot_.y + plot_.height}, paint);
    const bool leftward = at + 6 + svg_text_width(line.label) > spec_.width - 4;
    svg_.text({at + (leftward ? -5 : 5), plot_.y + 12}, line.label,
              {.anchor = leftward ? Anchor::kEnd : Anchor::kStart, .halo = true});
  } else {
    const double at = plot_.y + y(line.at);
    svg_.line({plot_.x, at}, {right, at}, paint);
    svg_.text({label_at_start ? plot_.x + 4 : right - 2, at < plot_.y + 14 ? at + 14 : at - 5},
              line.label, {.anchor = label_at_start ? Anchor::kStart : Anchor::kEnd, .halo = true});
  }
}

void ChartFrame::say_empty() {
  svg_.text({plot_.x + plot_.width / 2, plot_.y + plot_.height / 2 + 4}, "no data",
            {.anchor = Anchor::kMiddle, .size = 13, .color = theme::kMuted});
}

}  // namespace fovea::report
