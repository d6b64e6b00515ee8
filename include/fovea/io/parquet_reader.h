#pragma once
#include <fovea/io/csv_reader.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reads tables as ParquetWriter writes them.
namespace fovea::io {

// The names of a Parquet file's columns, from its footer.
FOVEA_API std::vector<std::string> parquet_columns(std::string_view bytes, const std::string& name);

// The table of a Parquet file with flat columns of plain values, uncompressed or by gzip, as text:
// numbers are written so that reading them gives the same ones, and a field without a value is
// empty. The lines of rows are their numbers. Where `columns` names some, only those are read, in
// the file's order. The bytes are not trusted: throws FormatError "NAME: ..." for damaged files,
// for those that other programs wrote with dictionaries or another compression, for more than 4
// million rows, and for files that would take far more memory than their size lets expect: more
// than a million fields and two per byte, or pages of more than 64 MiB and 64 times the file's
// size, and at most 40 million fields and 1 GiB.
FOVEA_API CsvTable parse_parquet(std::string_view bytes, const std::string& name,
                                 std::span<const std::string> columns = {});

}  // namespace fovea::io
