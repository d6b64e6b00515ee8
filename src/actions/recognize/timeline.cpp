// A picture of events over time, in bounded memory.
#include <fovea/actions/show.h>
#include <fovea/actions/timeline.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "report/chart_frame.h"

namespace fovea::actions {
namespace {

constexpr int kTimelineWidth = 760;
constexpr double kBarShare = 0.62;  // share of a row that bars fill
// Bars of a class. When there are more, gaps of up to 2 / kMostBars of the video are closed, which
// is less than a pixel.
constexpr std::size_t kMostBars = 4096;

}  // namespace

Timeline::Timeline(std::span<const std::string> classes, double frame_rate)
    : classes_(classes.begin(), classes.end()), frame_rate_(frame_rate), rows_(classes.size()) {
  if (!(frame_rate > 0))
    throw InvalidArgument(fmt::format(
        "a timeline cannot have {} frames per second; expected more than 0", frame_rate));
}

void Timeline::add(const Event& event) {
  if (event.label < 0 || event.label >= static_cast<std::int32_t>(rows_.size()))
    throw InvalidArgument(fmt::format("an event has the label {}; the timeline has {} classes",
                                      event.label, rows_.size()));
  std::vector<Bar>& row = rows_[static_cast<std::size_t>(event.label)];
  row.insert(std::ranges::upper_bound(row, event.first_frame, {}, &Bar::first),
             {event.first_frame, event.last_frame});
  if (row.size() > kMostBars) join();
}

// Gaps of one length are closed in all classes alike.
void Timeline::join() {
  const auto longest = [&] {
    return std::ranges::max(rows_, {}, [](const auto& row) { return row.size(); }).size();
  };
  while (longest() > kMostBars) {
    joined_gap_ = std::max<std::int64_t>(1, 2 * joined_gap_);
    for (std::vector<Bar>& row : rows_) {
      std::size_t kept = 0;
      for (const Bar& bar : row)
        if (kept > 0 && bar.first - row[kept - 1].last - 1 < joined_gap_)
          row[kept - 1].last = std::max(row[kept - 1].last, bar.last);
        else row[kept++] = bar;
      row.resize(kept);
    }
  }
}

std::size_t Timeline::bars() const {
  std::size_t count = 0;
  for (const auto& row : rows_) count += row.size();
  return count;
}

std::string Timeline::svg(std::int64_t frames) const {
  if (frames < 0) throw InvalidArgument(fmt::format("a timeline cannot have {} frames", frames));
  const double seconds = std::max(static_cast<double>(frames), 1.0) / frame_rate_;
  const int height = std::clamp(90 + 26 * static_cast<int>(classes_.size()), 120, 10000);
  report::FrameSpec spec{.title = "Actions over time", .width = kTimelineWidth, .height = height};
  spec.x = {.scale = {0, seconds}, .title = "time (s)"};
  spec.y = {.categories = classes_, .by_category = true};
  report::ChartFrame frame(spec);
  const Rect<double>& plot = frame.plot();
  for (std::size_t label = 0; label < rows_.size(); ++label)
    for (const Bar& bar : rows_[label]) {
      const double from = frame.x(static_cast<double>(bar.first) / frame_rate_);
      const double to = frame.x(static_cast<double>(bar.last + 1) / frame_rate_);
      const double thickness = frame.slot_height() * kBarShare;
      const double top = (static_cast<double>(label) + 0.5) * frame.slot_height() - thickness / 2;
      frame.svg().box({plot.x + from, plot.y + top, std::max(to - from, 1.0), thickness},
                      {.fill = report::series_color(static_cast<int>(label), {})}, 2);
    }
  if (bars() == 0) frame.say_empty();
  return frame.svg().finish();
}

std::string timeline_svg(std::span<const Event> events, std::span<const std::string> classes,
                         std::int64_t frames, double frame_rate) {
  Timeline timeline(classes, frame_rate);
  for (const Event& event : events) timeline.add(event);
  return timeline.svg(frames);
}

}  // namespace fovea::actions
