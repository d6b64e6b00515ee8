// The part of Apache Parquet that ParquetWriter writes. Field numbers are those of parquet.thrift.
#include <fovea/core/error.h>
#include <fovea/io/parquet_reader.h>

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <limits>

#include "io/text/thrift_reader.h"

namespace fovea::io {
namespace {

constexpr std::string_view kFrame = "PAR1";
constexpr std::int64_t kMostRows = 4'000'000;
constexpr std::size_t kMostColumns = 1000;
enum ValueType { kInt64Values = 2, kFloatValues = 4, kDoubleValues = 5, kTextValues = 6 };

// What a page of another kind needs, for people.
constexpr std::string_view kOthers =
    "; expected plain pages, uncompressed or by gzip, as people detect --parquet writes them, or "
    "CSV";

struct ReadColumn {
  std::string name{};
  std::int64_t type = 0;
  bool optional = false;
};

// Takes numbers and texts off the front of a page.
class PageValues {
 public:
  explicit PageValues(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof(Number)).data(), sizeof(Number));
    return value;
  }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw ThriftError{};
    const std::string_view part = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return part;
  }

 private:
  std::string_view bytes_;
};

// Which rows have a value, from runs of levels of one bit: repeated ones, or eight per byte.
std::vector<bool> present_rows(std::string_view runs, std::size_t rows) {
  std::vector<bool> present;
  present.reserve(rows);
  ThriftReader reader(runs);
  std::size_t at = 0;
  while (present.size() < rows) {
    const std::uint64_t head = reader.varint();
    at = reader.position();
    const std::uint64_t count = head >> 1;
    if (count == 0) throw ThriftError{};
    const bool packed = (head & 1) != 0;
    const std::size_t taken = packed ? static_cast<std::size_t>(count) : 1;
    if (count > runs.size() * (packed ? 1 : std::uint64_t{kMostRows}) || taken > runs.size() - at)
      throw ThriftError{};
    const std::string_view bits = runs.substr(at, taken);
    for (std::uint64_t i = 0; i < (packed ? 8 * count : count) && present.size() < rows; ++i) {
      const auto byte =
          static_cast<unsigned char>(bits[packed ? static_cast<std::size_t>(i / 8) : 0]);
      present.push_back(((packed ? byte >> (i % 8) : byte) & 1U) != 0);
    }
    runs.remove_prefix(at + taken);
    reader = ThriftReader(runs);
  }
  return present;
}

std::string value_text(PageValues& values, std::int64_t type) {
  switch (type) {
    case kInt64Values: return fmt::format("{}", values.number<std::int64_t>());
    case kFloatValues: return fmt::format("{}", values.number<float>());
    case kDoubleValues: return fmt::format("{}", values.number<double>());
    default: return std::string(values.take(values.number<std::uint32_t>()));
  }
}

class ParquetFile {
 public:
  ParquetFile(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  CsvTable table() {
    try {
      return read();
    } catch (const ThriftError&) {
      fail("is damaged, or is no Parquet file");
    }
  }

 private:
  [[noreturn]] void fail(std::string_view cause) const {
    throw FormatError(fmt::format("{}: {}", name_, cause));
  }

  CsvTable read() {
    constexpr std::size_t kTail = sizeof(std::uint32_t) + kFrame.size();
    if (bytes_.size() < kFrame.size() + kTail || !bytes_.starts_with(kFrame) ||
        !bytes_.ends_with(kFrame))
      throw ThriftError{};
    const std::size_t end = bytes_.size() - kTail;
    const auto length = PageValues(bytes_.substr(end)).number<std::uint32_t>();
    if (length > end - kFrame.size()) throw ThriftError{};
    const ThriftValue footer = ThriftReader(bytes_.substr(end - length, length)).structure();
    take_columns(footer[2].list);
    CsvTable table{.name = name_};
    for (const ReadColumn& column : columns_) table.columns.push_back(column.name);
    for (const ThriftValue& group : footer[4].list) add_group(group, table);
    if (footer[3].number != static_cast<std::int64_t>(table.rows.size())) throw ThriftError{};
    return table;
  }

  void take_columns(const std::vector<ThriftValue>& schema) {
    if (schema.empty() || schema.size() > kMostColumns) throw ThriftError{};
    if (schema[0][5].number != static_cast<std::int64_t>(schema.size()) - 1)
      fail(fmt::format("has columns within columns{}", kOthers));
    for (std::size_t i = 1; i < schema.size(); ++i) {
      const std::int64_t type = schema[i][1].number, repetition = schema[i][3].number;
      const std::string name(schema[i][4].text);
      if ((type != kInt64Values && type != kFloatValues && type != kDoubleValues &&
           type != kTextValues) ||
          repetition < 0 || repetition > 1)
        fail(fmt::format("has a column '{}' of another type{}", name.substr(0, 40), kOthers));
      columns_.push_back({name, type, repetition == 1});
    }
  }

  void add_group(const ThriftValue& group, CsvTable& table) const {
    const std::int64_t rows = group[3].number;
    if (rows < 0 || rows > kMostRows - static_cast<std::int64_t>(table.rows.size())) {
      if (rows < 0 || rows > std::numeric_limits<std::int32_t>::max()) throw ThriftError{};
      fail(fmt::format("has more than {} rows, which is the most", kMostRows));
    }
    const std::vector<ThriftValue>& chunks = group[1].list;
    if (chunks.size() != columns_.size()) throw ThriftError{};
    std::vector<std::vector<std::string>> values;
    values.reserve(chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i)
      values.push_back(chunk_values(chunks[i][3], columns_[i], static_cast<std::size_t>(rows)));
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      CsvRow& to = table.rows.emplace_back();
      to.line = static_cast<int>(table.rows.size());
      to.fields.reserve(values.size());
      for (std::vector<std::string>& column : values) to.fields.push_back(std::move(column[row]));
    }
  }

  // All pages of a column of a group.
  std::vector<std::string> chunk_values(const ThriftValue& facts, const ReadColumn& column,
                                        std::size_t rows) const {
    const std::int64_t codec = facts[4].number, offset = facts[9].number;
    if (codec != 0 && codec != 2)
      fail(fmt::format("is compressed by another method than gzip{}", kOthers));
    if (facts.fields.contains(11))
      fail(fmt::format("has a dictionary in its column '{}'{}", column.name, kOthers));
    if (offset < 0 || static_cast<std::uint64_t>(offset) > bytes_.size()) throw ThriftError{};
    std::string_view rest = bytes_.substr(static_cast<std::size_t>(offset));
    std::vector<std::string> values;
    while (values.size() < rows) {
      ThriftReader reader(rest);
      const ThriftValue header = reader.structure();
      rest.remove_prefix(reader.position());
      if (header[1].number != 0 || header[5][2].number != 0)
        fail(fmt::format("has pages of another kind in its column '{}'{}", column.name, kOthers));
      const std::int64_t raw = header[2].number, packed = header[3].number,
                         count = header[5][1].number;
      if (raw < 0 || packed < 0 || static_cast<std::uint64_t>(packed) > rest.size() || count <= 0 ||
          static_cast<std::uint64_t>(count) > rows - values.size())
        throw ThriftError{};
      const std::string_view stored = rest.substr(0, static_cast<std::size_t>(packed));
      rest.remove_prefix(stored.size());
      add_page(codec == 0 ? std::string(stored) : inflated(stored, static_cast<std::size_t>(raw)),
               column, static_cast<std::size_t>(count), values);
    }
    return values;
  }

  static void add_page(const std::string& page, const ReadColumn& column, std::size_t rows,
                       std::vector<std::string>& values) {
    PageValues rest(page);
    std::vector<bool> present(rows, true);
    if (column.optional) present = present_rows(rest.take(rest.number<std::uint32_t>()), rows);
    for (std::size_t i = 0; i < rows; ++i)
      values.push_back(present[i] ? value_text(rest, column.type) : std::string());
  }

  static std::string inflated(std::string_view packed, std::size_t size) {
    constexpr int kGzipWindow = 15 + 16;      // 16 asks for gzip's frame in place of zlib's
    constexpr std::size_t kMostRatio = 1032;  // of deflate
    if (size / kMostRatio > packed.size() || packed.size() > std::numeric_limits<uInt>::max())
      throw ThriftError{};
    std::string bytes(size, '\0');
    z_stream state{};
    if (inflateInit2(&state, kGzipWindow) != Z_OK) throw std::bad_alloc();
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    state.avail_in = static_cast<uInt>(packed.size());
    state.next_out = reinterpret_cast<Bytef*>(bytes.data());
    state.avail_out = static_cast<uInt>(bytes.size());
    const int ended = inflate(&state, Z_FINISH);
    const bool whole = ended == Z_STREAM_END && state.avail_out == 0;
    inflateEnd(&state);
    if (!whole) throw ThriftError{};
    return bytes;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::vector<ReadColumn> columns_{};
};

}  // namespace

CsvTable parse_parquet(std::string_view bytes, const std::string& name) {
  return ParquetFile(bytes, name).table();
}

}  // namespace fovea::io
