// Which rows of features belong to which files and classes, as a CSV table (RFC 4180).
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "core/words.h"
#include "io/text/list_text.h"

namespace fovea::scenes {
namespace {

constexpr std::int32_t kMostLabel = 65534;

struct CsvRow {
  int line = 0;
  std::vector<std::string> fields;
};

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

std::optional<std::size_t> column_of(const CsvRow& header, std::string_view name) {
  const auto found = std::ranges::find(header.fields, name);
  if (found == header.fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.fields.begin());
}

std::int32_t number_in(const std::string& path, const CsvRow& row, const std::string& text) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > kMostLabel)
    io::fail_line(
        path, row.line,
        fmt::format("label \"{}\", expected a number from 0 to {}", io::shown(text), kMostLabel));
  return value;
}

// Numbers the classes as the table does and checks that a number has one name only.
void take_numbers(const std::string& path, const std::vector<CsvRow>& rows, std::size_t name,
                  std::size_t number, LabelTable& table) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::int32_t label = number_in(path, rows[i], rows[i].fields[number]);
    const auto at = static_cast<std::size_t>(label);
    if (table.classes.size() <= at) table.classes.resize(at + 1);
    std::string& known = table.classes[at];
    if (known.empty()) known = rows[i].fields[name];
    if (known != rows[i].fields[name])
      io::fail_line(path, rows[i].line,
                    fmt::format("label {} is \"{}\", but \"{}\" before", label,
                                io::shown(rows[i].fields[name]), io::shown(known)));
    table.labels.push_back(label);
  }
  for (std::size_t i = 0; i < table.classes.size(); ++i)
    if (table.classes[i].empty())
      throw FormatError(fmt::format("{}: no row has label {}, but {} is the greatest", path, i,
                                    table.classes.size() - 1));
}

void number_by_name(const std::vector<CsvRow>& rows, std::size_t name, LabelTable& table) {
  for (std::size_t i = 1; i < rows.size(); ++i) table.classes.push_back(rows[i].fields[name]);
  std::ranges::sort(table.classes, io::natural_less);
  table.classes.erase(std::unique(table.classes.begin(), table.classes.end()), table.classes.end());
  std::map<std::string, std::int32_t> label_of;
  for (std::size_t i = 0; i < table.classes.size(); ++i)
    label_of[table.classes[i]] = static_cast<std::int32_t>(i);
  for (std::size_t i = 1; i < rows.size(); ++i)
    table.labels.push_back(label_of[rows[i].fields[name]]);
}

}  // namespace

void write_labels(const std::string& path, const LabelTable& table) {
  io::FileSink file(path);
  io::CsvWriter csv(file.sink(), {"file", "class", "label"}, {.crlf = false});
  for (std::size_t i = 0; i < table.labels.size(); ++i)
    csv.row(table.files.empty() ? std::string() : table.files[i],
            table.classes[static_cast<std::size_t>(table.labels[i])], table.labels[i]);
  file.commit();
}

LabelTable read_labels(const std::string& path) {
  const std::string text = io::read_list(path);
  const std::vector<CsvRow> rows = rows_of_text(text);
  if (rows.empty()) throw FormatError(path + ": an empty table, expected a column \"class\"");
  const auto name = column_of(rows[0], "class");
  const auto number = column_of(rows[0], "label"), file = column_of(rows[0], "file");
  if (!name)
    throw FormatError(
        fmt::format("{}: its first line has no column \"class\" (and \"file\" and "
                    "\"label\", which may be missing)",
                    path));
  LabelTable table;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].fields.size() != rows[0].fields.size())
      io::fail_line(path, rows[i].line,
                    fmt::format("{}, but the first line has {}",
                                fovea::detail::counted(rows[i].fields.size(), "field"),
                                rows[0].fields.size()));
    if (rows[i].fields[*name].empty()) io::fail_line(path, rows[i].line, "a class without a name");
    if (file) table.files.push_back(rows[i].fields[*file]);
  }
  if (number) take_numbers(path, rows, *name, *number, table);
  else number_by_name(rows, *name, table);
  return table;
}

}  // namespace fovea::scenes
