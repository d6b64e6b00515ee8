#include "cli/program/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

// A printer on a clock that the test turns.
struct Screen {
  TextSink sink;
  double now = 100;
  ProgressPrinter printer;

  explicit Screen(ProgressStyle style, bool terminal = false, int columns = 80)
      : printer({sink, terminal, columns, [this] { return now; }}) {
    printer.set_style(style);
  }
  void run(double seconds, int steps = 100) {
    for (int i = 0; i <= steps; ++i) {
      printer.report({"mining", static_cast<double>(i), static_cast<double>(steps)});
      now += seconds / steps;
    }
  }
};

TEST(Progress, PlainIsALinePerTenth) {
  Screen screen(ProgressStyle::kPlain);
  screen.run(1000, 1000);
  std::string expected;
  for (int i = 0; i <= 100; i += 10) expected += "fovea: mining: " + std::to_string(i) + " %\n";
  EXPECT_EQ(screen.sink.text, expected);
}

TEST(Progress, BarShowsShareAndTimeLeft) {
  Screen screen(ProgressStyle::kBar);
  screen.printer.report({"mining", 0, 4});
  screen.now += 30;
  screen.printer.report({"mining", 1, 4});
  EXPECT_NE(screen.sink.text.find("\rmining [##########....................."), std::string::npos)
      << screen.sink.text;
  EXPECT_NE(screen.sink.text.find(" 25 %  1:30 left"), std::string::npos) << screen.sink.text;
  screen.printer.clear();
  EXPECT_TRUE(screen.sink.text.ends_with("\r\x1b[K"));
}

TEST(Progress, BarIsThrottled) {
  Screen screen(ProgressStyle::kBar);
  screen.run(1, 10000);
  EXPECT_LT(std::count(screen.sink.text.begin(), screen.sink.text.end(), '\r'), 15);
}

TEST(Progress, BarFitsNarrowScreens) {
  for (const int columns : {2, 10, 20, 33}) {
    Screen screen(ProgressStyle::kBar, true, columns);
    screen.run(60, 10);
    std::size_t start = 0;
    for (std::size_t at; (at = screen.sink.text.find("\x1b[K", start)) != std::string::npos;
         start = at + 3)
      EXPECT_LE(at - start, static_cast<std::size_t>(columns)) << columns;
  }
}

TEST(Progress, AutoIsABarOnATerminalAndLinesElsewhere) {
  Screen terminal(ProgressStyle::kAuto, true), file(ProgressStyle::kAuto, false);
  terminal.run(100);
  file.run(100);
  EXPECT_NE(terminal.sink.text.find('\r'), std::string::npos);
  EXPECT_EQ(file.sink.text.find('\r'), std::string::npos);
  EXPECT_NE(file.sink.text.find("fovea: mining: 50 %\n"), std::string::npos);
}

TEST(Progress, AutoSaysNothingOfShortWork) {
  Screen screen(ProgressStyle::kAuto, true);
  screen.run(0.3);
  EXPECT_EQ(screen.sink.text, "");
}

TEST(Progress, JsonLinesParse) {
  Screen screen(ProgressStyle::kJson);
  screen.printer.report({"a \"stage\"\n", 1, 0});
  screen.now += 2;
  screen.printer.report({"a \"stage\"\n", 3, 3});
  std::istringstream lines(screen.sink.text);
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(nlohmann::json::parse(line)["total"].is_null());
  std::getline(lines, line);
  const auto last = nlohmann::json::parse(line);
  EXPECT_EQ(last["stage"], "a \"stage\"\n");
  EXPECT_EQ(last["done"], 3);
  EXPECT_EQ(last["elapsed_seconds"], 2.0);
}

TEST(Progress, NoneAndUnknownTotals) {
  Screen none(ProgressStyle::kNone);
  none.run(100);
  EXPECT_EQ(none.sink.text, "");
  Screen plain(ProgressStyle::kPlain);
  for (int i = 0; i < 30; ++i) {
    plain.printer.report({"reading", static_cast<double>(i), 0});
    plain.now += 1;
  }
  EXPECT_EQ(plain.sink.text, "fovea: reading: 0\nfovea: reading: 10\nfovea: reading: 20\n");
}

TEST(Progress, ANewStageStartsAfresh) {
  Screen screen(ProgressStyle::kPlain);
  screen.printer.report({"one", 1, 1});
  screen.printer.report({"two", 0, 1});
  EXPECT_EQ(screen.sink.text, "fovea: one: 100 %\nfovea: two: 0 %\n");
}

TEST(Console, ResultsAndBarDoNotMix) {
  TextSink screen;  // both streams on one terminal
  Console console({.out = screen, .err = screen, .out_is_terminal = true, .err_is_terminal = true});
  console.set_progress(ProgressStyle::kBar);
  console.progress()({"mining", 1, 2});
  console.print("result\n");
  EXPECT_NE(screen.text.find("\r\x1b[Kresult\n"), std::string::npos);
}

TEST(Console, QuietKeepsComplaintsOnly) {
  TextSink out, err;
  Console console({.out = out, .err = err});
  console.set_quiet(true);
  console.note("a note");
  console.explain("more");
  console.complain("broken");
  EXPECT_EQ(err.text, "fovea: broken\n");
  EXPECT_FALSE(console.progress());
}

TEST(Console, ColorOnlyWhereAllowed) {
  TextSink out, err;
  Console({.out = out, .err = err, .color = true}).complain("broken");
  EXPECT_EQ(err.text, "\x1b[1;31mfovea:\x1b[0m broken\n");
}

}  // namespace
}  // namespace fovea::cli
