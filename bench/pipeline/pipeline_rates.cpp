#include "bench/pipeline/pipeline_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fovea::cli::pipeline {
namespace {

std::string rate_text(double rate) { return rate > 0 ? fmt::format("{:.1f}", rate) : ""; }

}  // namespace

double Rates::bound() const {
  const auto seconds = [](double rate) { return rate > 0 ? 1 / rate : 0; };
  const double reading = seconds(decode), working = seconds(work), writing = seconds(encode);
  const bool cpu = device == "cpu";
  if (encoding == Encoding::kAtTheEnd)
    return 1 / (writing + (cpu ? reading + working : std::max(reading, working)));
  return 1 / (cpu ? reading + working + writing : std::max(reading + writing, working));
}

std::string rates_table(const std::vector<Rates>& rows, bool markdown) {
  std::string table;
  const auto line = [&](const std::array<std::string, 12>& cells) {
    if (markdown) {
      table += fmt::format("| {} |\n", fmt::join(cells, " | "));
      return;
    }
    constexpr std::array kWidths{-24, -8, 7, 9, 9, 9, 9, 9, 7, 9, 9, 6};
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += kWidths[i] < 0 ? fmt::format("{:{}} ", cells[i], -kWidths[i])
                             : fmt::format("{:>{}} ", cells[i], kWidths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    table += text + "\n";
  };
  line({"verb", "device", "threads", "decode/s", "work/s", "encode/s", "bound/s", "whole/s",
        "share", "loop/s", "pool/s", "ratio"});
  if (markdown)
    line({"---", "---",
          "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:"});
  for (const Rates& row : rows)
    line({row.name, row.device, std::to_string(row.threads), rate_text(row.decode),
          rate_text(row.work), rate_text(row.encode), rate_text(row.bound()), rate_text(row.whole),
          fmt::format("{:.0f} %", 100 * row.whole / row.bound()), rate_text(row.rival.loop),
          rate_text(row.rival.pool), row.ratio() ? fmt::format("{:.2f}", *row.ratio()) : ""});
  return table;
}

}  // namespace fovea::cli::pipeline
