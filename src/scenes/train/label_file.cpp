// Which rows of features belong to which files and classes, as a CSV table (RFC 4180).
#include <fovea/core/error.h>
#include <fovea/io/csv_reader.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>

#include "io/text/list_text.h"

namespace fovea::scenes {
namespace {

constexpr std::int32_t kMostLabel = 65534;

std::int32_t number_in(const io::CsvTable& csv, const io::CsvRow& row, const std::string& text) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > kMostLabel)
    csv.fail(row, fmt::format("label \"{}\", expected a number from 0 to {}", io::shown(text),
                              kMostLabel));
  return value;
}

// Numbers the classes as the table does and checks that a number has one name only.
void take_numbers(const io::CsvTable& csv, std::size_t name, std::size_t number,
                  LabelTable& table) {
  for (const io::CsvRow& row : csv.rows) {
    const std::int32_t label = number_in(csv, row, row.fields[number]);
    const auto at = static_cast<std::size_t>(label);
    if (table.classes.size() <= at) table.classes.resize(at + 1);
    std::string& known = table.classes[at];
    if (known.empty()) known = row.fields[name];
    if (known != row.fields[name])
      csv.fail(row, fmt::format("label {} is \"{}\", but \"{}\" before", label,
                                io::shown(row.fields[name]), io::shown(known)));
    table.labels.push_back(label);
  }
  for (std::size_t i = 0; i < table.classes.size(); ++i)
    if (table.classes[i].empty())
      throw FormatError(fmt::format("{}: no row has label {}, but {} is the greatest", csv.name, i,
                                    table.classes.size() - 1));
}

void number_by_name(const io::CsvTable& csv, std::size_t name, LabelTable& table) {
  for (const io::CsvRow& row : csv.rows) table.classes.push_back(row.fields[name]);
  std::ranges::sort(table.classes, io::natural_less);
  table.classes.erase(std::unique(table.classes.begin(), table.classes.end()), table.classes.end());
  std::map<std::string, std::int32_t> label_of;
  for (std::size_t i = 0; i < table.classes.size(); ++i)
    label_of[table.classes[i]] = static_cast<std::int32_t>(i);
  for (const io::CsvRow& row : csv.rows) table.labels.push_back(label_of[row.fields[name]]);
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
  const io::CsvTable csv = io::read_csv(path);
  const auto name = csv.column("class"), number = csv.column("label"), file = csv.column("file");
  if (!name)
    throw FormatError(
        fmt::format("{}: its first line has no column \"class\" (and \"file\" and "
                    "\"label\", which may be missing)",
                    path));
  LabelTable table;
  for (const io::CsvRow& row : csv.rows) {
    if (row.fields[*name].empty()) csv.fail(row, "a class without a name");
    if (file) table.files.push_back(row.fields[*file]);
  }
  if (number) take_numbers(csv, *name, *number, table);
  else number_by_name(csv, *name, table);
  return table;
}

}  // namespace fovea::scenes
