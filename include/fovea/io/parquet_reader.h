#pragma once
#include <fovea/io/csv_reader.h>

#include <string>
#include <string_view>

// Reads tables as ParquetWriter writes them.
namespace fovea::io {

// The table of a Parquet file with flat columns of plain values, uncompressed or by gzip, as text:
// numbers are written so that reading them gives the same ones, and a field without a value is
// empty. The lines of rows are their numbers. The bytes are not trusted: throws FormatError "NAME:
// ..." for damaged files, for those that other programs wrote with dictionaries or another
// compression, and for more than 4 million rows.
FOVEA_API CsvTable parse_parquet(std::string_view bytes, const std::string& name);

}  // namespace fovea::io
