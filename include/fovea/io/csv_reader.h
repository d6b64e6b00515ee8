#pragma once
#include <fovea/core/api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Reads tables as CsvWriter and other programs write them (RFC 4180).
namespace fovea::io {

struct CsvRow {
  int line = 0;  // of the file on which the row begins, from 1
  std::vector<std::string> fields{};
};

// A table whose first row names its columns. Every row has as many fields as the first.
struct CsvTable {
  std::string name{};  // of the file, for messages
  std::vector<std::string> columns{};
  std::vector<CsvRow> rows{};  // without the first one

  // Nothing where there is no column of this name.
  FOVEA_API std::optional<std::size_t> column(std::string_view title) const;
  // Throws FormatError "NAME: line 3: cause".
  [[noreturn]] FOVEA_API void fail(const CsvRow& row, const std::string& cause) const;
};

// Throws IoError where the file cannot be read, and FormatError where it has no row, a byte 0, or a
// row whose number of fields is not that of the first.
FOVEA_API CsvTable read_csv(const std::string& path);
// The same from memory; messages call it `name`.
FOVEA_API CsvTable parse_csv(std::string_view text, const std::string& name);

}  // namespace fovea::io
