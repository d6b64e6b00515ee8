#include "bench/stage_table.h"

#include <fovea/core/error.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"

namespace fovea::cli {
namespace {

std::string markdown_line(const std::vector<std::string>& row) {
  std::string line = "|";
  for (const std::string& cell : row) line += " " + cell + " |";
  return line + "\n";
}

std::string csv_line(const std::vector<std::string>& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) line += (i > 0 ? "," : "") + row[i];
  return line + "\n";
}

std::string text_line(const StageTable& table, const std::vector<std::string>& row,
                      const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i)
    line += i < table.words
                ? fmt::format("{:<{}}  ", row[i], widths[i])
                : fmt::format("{:>{}}{}", row[i], widths[i], i + 1 < row.size() ? "  " : "");
  return line + "\n";
}

}  // namespace

StagePlaces stage_places(Context& context) {
  StagePlaces places;
  const auto cores = static_cast<int>(devices().front().units);
  places.threads = context.exec.threads > 0 ? context.exec.threads : cores;
  if (places.threads == 1) places.threads = 0;
  if (context.exec.device.kind == DeviceKind::kCpu) return places;
  const std::string absence = cuda_absence();
  if (absence.empty() || context.exec.device.kind == DeviceKind::kCuda)
    places.gpu = Exec{.device = resolve(context.exec.device)};
  else context.console.note("no times of a GPU: " + absence);
  return places;
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.{}f}", *ratio, *ratio < 100 ? 1 : 0) : "-";
}
std::string time_text(const std::optional<double>& seconds) {
  return seconds ? seconds_text(*seconds) : "-";
}

void write_optional(io::JsonWriter& json, const char* name, const std::optional<double>& value) {
  json.key(name);
  if (value) json.value(*value);
  else json.value(nullptr);
}

void print_table(const BenchOptions& options, Context& context, const StageTable& table) {
  std::vector<std::size_t> widths(table.head.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  widen(table.head);
  for (const auto& row : table.rows) widen(row);
  const auto line = [&](const std::vector<std::string>& row) {
    return options.markdown ? markdown_line(row)
           : options.csv    ? csv_line(row)
                            : text_line(table, row, widths);
  };
  context.console.print(line(table.head));
  if (options.markdown) {
    std::string rule = "|";
    for (std::size_t i = 0; i < table.head.size(); ++i)
      rule += i < table.words ? " --- |" : " ---: |";
    context.console.print(rule + "\n");
  }
  for (const auto& row : table.rows) context.console.print(line(row));
}

void write_chart_folder(const std::string& folder, const StagePage& content,
                        const Context& context) {
  make_folder(folder);
  const std::filesystem::path path(folder);
  report::Page page(content.title, content.lead);
  page.section("Charts");
  for (const StageChart& chart : content.charts) {
    write_text((path / (chart.name + ".svg")).string(), chart.svg);
    page.figure(report::Figure::chart(chart.svg, {chart.caption}));
  }
  report::Table table{"Medians.", {}, {}};
  std::string csv = csv_line(content.table.head);
  for (const std::string& name : content.table.head) table.columns.push_back({name});
  for (const auto& row : content.table.rows) {
    csv += csv_line(row);
    table.rows.emplace_back(row.begin(), row.end());
  }
  write_text((path / "times.csv").string(), csv);
  page.section("Times");
  page.table(table);
  page.provenance(page_provenance(context));
  page.write((path / "index.html").string());
}

}  // namespace fovea::cli
