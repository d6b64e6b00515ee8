#include "cli/program/progress.h"

#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/json_text.h"
#include "operations/measure.h"

namespace fovea::cli {
namespace {

constexpr double kSecondsBetween = 0.1;   // between updates of the bar or JSON lines
constexpr double kUncountedSeconds = 10;  // seconds between lines of a stage of unknown length
// Progress of shorter work is shown only if a style is given on the command line.
constexpr double kPatience = 0.5;

// Formats seconds as "0:07", "12:40" or "3:05:00".
std::string clock_text(double seconds) {
  const auto whole = std::llround(std::clamp(seconds, 0.0, 3.6e6));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

double fraction_of(const Progress& progress) {
  return progress.total > 0 ? std::clamp(progress.done / progress.total, 0.0, 1.0) : 0.0;
}

}  // namespace

std::span<const Choice> choices(ProgressStyle) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"auto", static_cast<int>(ProgressStyle::kAuto)},
       {"bar", static_cast<int>(ProgressStyle::kBar)},
       {"plain", static_cast<int>(ProgressStyle::kPlain)},
       {"json", static_cast<int>(ProgressStyle::kJson)},
       {"none", static_cast<int>(ProgressStyle::kNone)}}};
  return kChoices;
}

double steady_seconds() { return operations::steady_seconds(); }

void ProgressPrinter::begin_stage(std::string_view stage) {
  stage_ = stage;
  stage_start_ = surface_.seconds();
  last_shown_ = -1e9;
  tenths_shown_ = -1;
}

void ProgressPrinter::report(const Progress& progress) {
  if (style_ == ProgressStyle::kNone) return;
  if (stage_start_ < 0 || progress.stage != stage_) begin_stage(progress.stage);
  const double now = surface_.seconds();
  if (style_ == ProgressStyle::kAuto && now - stage_start_ < kPatience) return;
  if (style_ == ProgressStyle::kJson) return show_json(progress, now);
  const bool bar =
      style_ == ProgressStyle::kBar || (style_ == ProgressStyle::kAuto && surface_.terminal);
  if (bar) return show_bar(progress, now);
  if (progress.total <= 0) {
    if (now - last_shown_ < kUncountedSeconds) return;
    last_shown_ = now;
    surface_.sink.write(fmt::format("fovea: {}: {:g}\n", progress.stage, progress.done));
    return surface_.sink.flush();
  }
  show_line(progress);
}

void ProgressPrinter::show_line(const Progress& progress) {
  const int tenths = static_cast<int>(fraction_of(progress) * 10);
  if (tenths <= tenths_shown_) return;
  tenths_shown_ = tenths;
  surface_.sink.write(fmt::format("fovea: {}: {} %\n", progress.stage, tenths * 10));
  surface_.sink.flush();
}

void ProgressPrinter::show_bar(const Progress& progress, double now) {
  const double fraction = fraction_of(progress);
  if (now - last_shown_ < kSecondsBetween && fraction < 1) return;
  last_shown_ = now;
  std::string line(progress.stage);
  if (progress.total > 0) {
    const double elapsed = now - stage_start_;
    const std::string left =
        fraction > 0 ? clock_text(elapsed * (1 - fraction) / fraction) + " left" : "";
    const std::string tail = fmt::format(" {:3.0f} % {:>10}", fraction * 100, left);
    const int room = surface_.columns - 1 - static_cast<int>(line.size() + tail.size()) - 3;
    if (room >= 10) {
      const int width = std::min(room, 40);
      const int full = static_cast<int>(fraction * width);
      line += fmt::format(" [{:#<{}}{:.<{}}]", "", full, "", width - full);
    }
    line += tail;
  } else {
    line += fmt::format(" {:g}", progress.done);
  }
  const auto most = static_cast<std::size_t>(std::max(1, surface_.columns - 1));
  if (line.size() > most) line.resize(most);
  surface_.sink.write("\r" + line + "\x1b[K");
  surface_.sink.flush();
  bar_on_screen_ = true;
}

void ProgressPrinter::show_json(const Progress& progress, double now) {
  const bool complete = progress.total > 0 && progress.done >= progress.total;
  if (now - last_shown_ < kSecondsBetween && !complete) return;
  last_shown_ = now;
  surface_.sink.write(fmt::format(
      R"({{"stage": {}, "done": {}, "total": {}, "elapsed_seconds": {:.3f}}})"
      "\n",
      detail::json_quote(progress.stage), detail::json_number(progress.done),
      progress.total > 0 ? detail::json_number(progress.total) : "null", now - stage_start_));
  surface_.sink.flush();
}

void ProgressPrinter::clear() {
  if (!bar_on_screen_) return;
  surface_.sink.write("\r\x1b[K");
  surface_.sink.flush();
  bar_on_screen_ = false;
}

}  // namespace fovea::cli
