// What benchmarks of stages share: where they measure, the tables that they
// print, and folders of charts.
#pragma once
#include <fovea/io/json_writer.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// The places to measure on. Speed-ups compare with one thread, which is always
// measured.
struct StagePlaces {
  int threads = 0;  // 0: there is one core only
  std::optional<Exec> gpu{};
};
// As --device and --threads say; notes where a GPU is missed.
StagePlaces stage_places(Context& context);

// "-" where there is no time.
std::string time_text(const std::optional<double>& seconds);
std::string ratio_text(const std::optional<double>& ratio);
void write_optional(io::JsonWriter& json, const char* name, const std::optional<double>& value);

// Rows of as many cells as the head has. The first `words` columns hold words,
// the others numbers.
struct StageTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::size_t words = 1;
};
// As text, CSV or Markdown.
void print_table(const BenchOptions& options, Context& context, const StageTable& table);

struct StageChart {
  std::string name;  // of its file
  std::string svg;
  std::string caption;
};
struct StagePage {
  std::string title;
  std::string lead;
  std::vector<StageChart> charts;
  StageTable table;
};
// Writes every chart as SVG, the table as CSV, and a page with all of them.
void write_chart_folder(const std::string& folder, const StagePage& page, const Context& context);

}  // namespace fovea::cli
