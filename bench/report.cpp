// Writes a report of measurements as JSON, CSV, Markdown, or text for a terminal.
#include <fmt/format.h>
#include <fovea/core/version.h>

#include <algorithm>

#include "bench/bench.h"
#include "cli/program/stopwatch.h"
#include "core/json_text.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using detail::json_number;
using detail::json_quote;

std::string quoted_or_null(const std::string& text) {
  return text.empty() ? "null" : json_quote(text);
}

std::string number_or_null(std::optional<double> value) {
  return value ? json_number(*value) : "null";
}

std::string threads_or_null(int threads) { return threads > 0 ? std::to_string(threads) : "null"; }

// Members that exist only where errors are measured.
std::string errors_json(const BenchRow& row) {
  if (!row.error) return {};
  return fmt::format(R"(, "error": {}, "rival_error": {})", json_number(*row.error),
                     number_or_null(row.rival_error));
}

std::string row_json(const BenchRow& row) {
  return fmt::format(
      R"({{"name": {}, "device": {}, "threads": {}, "size": {}, "seconds": {}, "spread": {}, )"
      R"("rival": {}, "rival_seconds": {}, "ratio": {}, "bound": {}, "bound_fraction": {}{}}})",
      json_quote(row.name), json_quote(row.device), threads_or_null(row.threads),
      json_quote(row.size), json_number(row.seconds), json_number(row.spread),
      quoted_or_null(row.rival), number_or_null(row.rival_seconds), number_or_null(row.ratio()),
      json_quote(row.bound), json_number(row.bound_fraction), errors_json(row));
}

std::string ceiling_json(const BenchCeiling& ceiling) {
  return fmt::format(
      R"({{"device": {}, "threads": {}, "copied_bytes_per_second": {}, "operations_per_second": {}}})",
      json_quote(ceiling.device), threads_or_null(ceiling.threads),
      json_number(ceiling.copied_bytes_per_second), json_number(ceiling.operations_per_second));
}

template <class Items, class Function>
std::string json_lines(const Items& items, Function function) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n    " : ",\n    ") + function(item);
  return "[" + text + "\n  ]";
}

bool has_errors(const BenchReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const BenchRow& row) { return row.error.has_value(); });
}

using Cells = std::vector<std::string>;

Cells headings(bool errors) {
  Cells cells{"name",   "device", "threads",  "size",  "time",
              "spread", "rival",  "its time", "ratio", "bound share"};
  if (errors) cells.insert(cells.end(), {"error", "its error"});
  return cells;
}

Cells cells_of(const BenchRow& row, bool errors) {
  Cells cells{row.name,
              row.device,
              row.threads > 0 ? std::to_string(row.threads) : "",
              row.size,
              seconds_text(row.seconds),
              fmt::format("{:.0f} %", row.spread * 100),
              row.rival,
              row.rival_seconds ? seconds_text(*row.rival_seconds) : "",
              row.ratio() ? fmt::format("{:.2f}", *row.ratio()) : "",
              fmt::format("{:.0f} % {}", row.bound_fraction * 100, row.bound)};
  if (errors) {
    cells.push_back(row.error ? fmt::format("{:.3f}", *row.error) : "");
    cells.push_back(row.rival_error ? fmt::format("{:.3f}", *row.rival_error) : "");
  }
  return cells;
}

bool is_left_aligned(std::size_t column) {
  return column == 0 || column == 1 || column == 3 || column == 6;
}

std::vector<std::string> facts(const BenchReport& report) {
  std::vector<std::string> lines{
      fmt::format("fovea {}, {}, {}", FOVEA_VERSION, report.date,
                  detail::counted(report.repeats, "repeat")),
      fmt::format("{}, {}, SIMD {}", report.machine, report.cpu, report.simd)};
  if (!report.gpu.empty()) lines.push_back(report.gpu);
  if (!report.rival_library.empty()) lines.push_back("rivals: " + report.rival_library);
  for (const BenchCeiling& ceiling : report.ceilings) {
    const std::string threads =
        ceiling.threads > 0 ? " " + detail::counted(ceiling.threads, "thread") : "";
    lines.push_back(fmt::format("ceiling of {}{}: copy {:.1f} GB/s, arithmetic {:.1f} GFLOP/s",
                                ceiling.device, threads, ceiling.copied_bytes_per_second * 1e-9,
                                ceiling.operations_per_second * 1e-9));
  }
  if (report.interrupted) lines.emplace_back("interrupted: rows are missing");
  return lines;
}

}  // namespace

std::string bench_json(const BenchReport& report) {
  return fmt::format(
      R"({{
  "fovea": {},
  "command": {},
  "device": {},
  "seed": {},
  "options": {},
  "date": {},
  "machine": {},
  "cpu": {},
  "gpu": {},
  "simd": {},
  "rival_library": {},
  "repeats": {},
  "interrupted": {},
  "ceilings": {},
  "rows": {},
  "seconds": {}
}}
)",
      json_quote(FOVEA_VERSION), json_quote(report.command), json_quote(report.device), report.seed,
      report.options_json, json_quote(report.date), json_quote(report.machine),
      json_quote(report.cpu), quoted_or_null(report.gpu), json_quote(report.simd),
      quoted_or_null(report.rival_library), report.repeats, report.interrupted,
      json_lines(report.ceilings, ceiling_json), json_lines(report.rows, row_json),
      detail::json_number(report.seconds));
}

std::string bench_csv(const BenchReport& report) {
  const bool errors = has_errors(report);
  std::string text =
      "name,device,threads,size,seconds,spread,rival,rival_seconds,ratio,bound,bound_fraction";
  text += errors ? ",error,rival_error\n" : "\n";
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{}", *value) : "";
  };
  for (const BenchRow& row : report.rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}", row.name, row.device,
                        row.threads > 0 ? std::to_string(row.threads) : "", row.size, row.seconds,
                        row.spread, row.rival, number(row.rival_seconds), number(row.ratio()),
                        row.bound, row.bound_fraction);
    if (errors) text += fmt::format(",{},{}", number(row.error), number(row.rival_error));
    text += '\n';
  }
  return text;
}

std::string bench_markdown(const BenchReport& report) {
  std::string text;
  for (const std::string& fact : facts(report)) text += fact + "  \n";
  const bool errors = has_errors(report);
  const Cells titles = headings(errors);
  text += fmt::format("\n| {} |\n|", fmt::join(titles, " | "));
  for (std::size_t i = 0; i < titles.size(); ++i)
    text += is_left_aligned(i) ? " :--- |" : " ---: |";
  text += '\n';
  for (const BenchRow& row : report.rows)
    text += fmt::format("| {} |\n", fmt::join(cells_of(row, errors), " | "));
  return text;
}

std::string bench_text(const BenchReport& report) {
  std::string text;
  for (const std::string& fact : facts(report)) text += fact + "\n";
  text += '\n';
  const bool errors = has_errors(report);
  std::vector<Cells> table{headings(errors)};
  for (const BenchRow& row : report.rows) table.push_back(cells_of(row, errors));
  std::vector<std::size_t> widths(table[0].size());
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  for (const Cells& cells : table) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += is_left_aligned(i) ? fmt::format("{:<{}}", cells[i], widths[i])
                                 : fmt::format("{:>{}}", cells[i], widths[i]);
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace fovea::cli
