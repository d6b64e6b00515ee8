#include <fovea/io/csv_reader.h>

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"
#include "io/text/list_text.h"

namespace fovea::io {
namespace {

// Takes the next row of a text; quoted fields may hold separators, doubled quotes and line ends.
CsvRow take_row(std::string_view text, std::size_t& at, int& line) {
  CsvRow row{line, {{}}};
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\n') ++line;
      if (c != '"') row.fields.back() += c;
      else if (at + 1 < text.size() && text[at + 1] == '"') row.fields.back() += text[++at];
      else quoted = false;
    } else if (c == '"' && row.fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      row.fields.emplace_back();
    } else if (c == '\n') {
      ++line;
      ++at;
      break;
    } else if (c != '\r') {
      row.fields.back() += c;
    }
  }
  return row;
}

std::vector<CsvRow> rows_of_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<CsvRow> rows;
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    CsvRow row = take_row(text, at, line);
    if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view title) const {
  const auto found = std::ranges::find(columns, title);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

void CsvTable::fail(const CsvRow& row, const std::string& cause) const {
  fail_line(name, row.line, cause);
}

CsvTable parse_csv(std::string_view text, const std::string& name) {
  CsvTable table{.name = name, .columns = {}, .rows = rows_of_text(text)};
  if (table.rows.empty())
    throw FormatError(fmt::format("{}: an empty table, expected a line that names columns", name));
  table.columns = std::move(table.rows.front().fields);
  table.rows.erase(table.rows.begin());
  for (const CsvRow& row : table.rows)
    if (row.fields.size() != table.columns.size())
      table.fail(row,
                 fmt::format("{}, but the first line has {}",
                             detail::counted(row.fields.size(), "field"), table.columns.size()));
  return table;
}

CsvTable read_csv(const std::string& path) { return parse_csv(read_list(path), path); }

}  // namespace fovea::io
