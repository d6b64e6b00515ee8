#pragma once
#include <fovea/core/options.h>
#include <fovea/io/sink.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::io {

enum class ParquetType { kInt64, kFloat, kDouble, kText };

struct ParquetColumn {
  std::string name;
  ParquetType type = ParquetType::kText;
  bool optional = false;  // whether rows may be without a value
};

struct ParquetOptions {
  // A row group is written when it has this many rows or takes this many bytes, which bounds the
  // memory of the writer. More than 2^28 rows or 1 GiB are taken as that, because a page of a group
  // must stay below 2 GiB.
  int group_rows = 65536;
  std::uint64_t group_bytes = std::uint64_t{16} << 20;
  bool compress = true;  // by gzip
};
FOVEA_API void describe(OptionVisitor& visit, ParquetOptions& options);

// Writes a table as Apache Parquet, the format of columns that pandas, Polars and DuckDB
// read. Columns are flat and have plain values in one page per row group; there are no dictionaries
// and no statistics. Text that is not UTF-8 has the offending bytes replaced by U+FFFD.
//
//   ParquetWriter table(file.sink(), {{"frame", ParquetType::kInt64}, {"x", ParquetType::kFloat}});
//   table.row(index, box.x);
//   table.finish();
//   file.commit();
class FOVEA_API ParquetWriter {
 public:
  // Throws InvalidArgument for a table without columns and for two columns of one name.
  ParquetWriter(Sink sink, std::vector<ParquetColumn> columns, const ParquetOptions& options = {});
  ~ParquetWriter();
  ParquetWriter(ParquetWriter&&) noexcept;
  ParquetWriter& operator=(ParquetWriter&&) noexcept;

  // The next field of the row. Its type must be the column's, and a text may have 256 MiB:
  // InvalidArgument.
  ParquetWriter& field(std::string_view text);
  ParquetWriter& field(const char* text) { return field(std::string_view(text)); }
  ParquetWriter& field(const std::string& text) { return field(std::string_view(text)); }
  ParquetWriter& field(float number);
  ParquetWriter& field(double number);
  template <std::integral Integer>
  ParquetWriter& field(Integer number) {
    return integer(static_cast<std::int64_t>(number));
  }
  // A field without a value, in a column that may be without.
  ParquetWriter& empty();
  // Throws InvalidArgument for a row with fewer fields than there are columns.
  void end_row();

  template <class... Fields>
  void row(const Fields&... fields) {
    (field(fields), ...);
    end_row();
  }
  std::int64_t rows() const;

  // Writes the rows that are left, and the footer with `facts`, pairs of a key and a text about the
  // file. Without it the file cannot be read.
  void finish(const std::vector<std::pair<std::string, std::string>>& facts = {});

 private:
  ParquetWriter& integer(std::int64_t number);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::io
