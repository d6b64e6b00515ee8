// Explanations as text and as JSON.
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/report/explanation.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fovea::report {
namespace {

// Cuts nothing: a line that has no space is longer than the others.
std::string wrapped(std::string_view text, std::size_t columns) {
  std::string lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const bool breaks = end < text.size() && text[end] == '\n';
    if (used > 0 && used + 1 + end > columns) {
      lines += '\n';
      used = 0;
    }
    if (used > 0) {
      lines += ' ';
      ++used;
    }
    lines += text.substr(0, end);
    used += end;
    if (breaks) {
      lines += '\n';
      used = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// In characters, of which fmt counts one column each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string table_text(const Table& table) {
  std::vector<std::size_t> widths;
  widths.reserve(table.columns.size());
  const auto title = [](const Column& column) {
    return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
  };
  for (const Column& column : table.columns) widths.push_back(width_of(title(column)));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], width_of(row[i].text()));
  std::string text = table.caption.empty() ? "" : wrapped(table.caption, 100) + "\n";
  const auto line = [&](const auto& cell_text, const auto& is_number) {
    std::string words;
    for (std::size_t i = 0; i < widths.size(); ++i)
      words += is_number(i) ? fmt::format("  {:>{}}", cell_text(i), widths[i])
                            : fmt::format("  {:<{}}", cell_text(i), widths[i]);
    words.erase(words.find_last_not_of(' ') + 1);
    text += words + "\n";
  };
  const auto number = [&](std::size_t i) {
    return !table.rows.empty() && i < table.rows[0].size() && table.rows[0][i].number();
  };
  line([&](std::size_t i) { return title(table.columns[i]); }, number);
  for (const auto& row : table.rows)
    line([&](std::size_t i) { return i < row.size() ? row[i].text() : std::string(); }, number);
  return text;
}

}  // namespace

void keep_largest(Explanation& explanation, std::size_t most) {
  std::vector<Reason>& reasons = explanation.reasons;
  std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  for (std::size_t i = most; i < reasons.size(); ++i) explanation.rest += reasons[i].value;
  if (reasons.size() > most) reasons.resize(most);
}

std::string to_text(const Explanation& explanation) {
  std::string text;
  if (!explanation.title.empty()) text += explanation.title + "\n";
  if (!explanation.summary.empty()) text += wrapped(explanation.summary, 100) + "\n";
  const std::string_view others = explanation.rest != 0 ? "all others" : "";
  std::size_t width = std::max(width_of(explanation.total_name), others.size());
  for (const Reason& reason : explanation.reasons) width = std::max(width, width_of(reason.name));
  const auto line = [&](std::string_view name, double value, std::string_view words) {
    text += fmt::format("  {:<{}}  {:>+10.4g}", name, width, value);
    if (!words.empty()) text += fmt::format("  {}", words);
    text += '\n';
  };
  for (const Reason& reason : explanation.reasons) line(reason.name, reason.value, reason.text);
  if (!explanation.reasons.empty()) {
    if (!others.empty()) line(others, explanation.rest, {});
    line(explanation.total_name, explanation.total, {});
  }
  for (const Table& table : explanation.tables) text += table_text(table);
  return text;
}

std::string to_json(const Explanation& explanation, LayerValues values) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  io::write_record(
      json, record_ref(explanation),
      {.arrays = values == LayerValues::kAll ? io::ArrayJson::kElements : io::ArrayJson::kNone});
  json.finish();
  return text;
}

}  // namespace fovea::report
