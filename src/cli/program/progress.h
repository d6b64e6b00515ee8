// Shows the progress of a long call: a bar on a terminal, a line per tenth elsewhere, JSON lines
// for programs. The library reports often, and this class limits how often it is shown.
#pragma once
#include <fovea/core/exec.h>

#include <functional>
#include <string>
#include <string_view>

namespace fovea::cli {

// A destination for text.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
  virtual void flush() {}
};

enum class ProgressStyle : unsigned char { kAuto, kBar, kPlain, kJson, kNone };
std::span<const Choice> choices(ProgressStyle);

// Seconds of a clock that only goes forward.
double steady_seconds();

class ProgressPrinter {
 public:
  struct Surface {
    Sink& sink;
    bool terminal = false;
    int columns = 80;
    std::function<double()> seconds;
  };

  explicit ProgressPrinter(Surface surface) : surface_(std::move(surface)) {}
  void set_style(ProgressStyle style) { style_ = style; }

  void report(const Progress& progress);
  // Removes the bar from the screen, so that other text can be written there.
  void clear();

 private:
  void begin_stage(std::string_view stage);
  void show_bar(const Progress& progress, double now);
  void show_line(const Progress& progress);
  void show_json(const Progress& progress, double now);

  Surface surface_;
  ProgressStyle style_ = ProgressStyle::kAuto;
  std::string stage_;
  double stage_start_ = -1;
  double last_shown_ = 0;
  int tenths_shown_ = -1;
  bool bar_on_screen_ = false;
};

}  // namespace fovea::cli
