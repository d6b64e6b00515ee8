// The part of Apache Parquet that ParquetWriter writes. Field numbers are those of parquet.thrift.
#include <fovea/core/error.h>
#include <fovea/io/parquet_reader.h>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/words.h"
#include "io/text/thrift_reader.h"

namespace fovea::io {
namespace {

constexpr std::string_view kFrame = "PAR1";
constexpr std::int64_t kMostRows = 4'000'000;
constexpr std::size_t kMostColumns = 1000;
constexpr std::size_t kMostFooterBytes = std::size_t{16} << 20;
constexpr std::size_t kMostFooterValues = 1'000'000;
// Rows without values and pages that repeat themselves take next to nothing in a file. What is read
// is therefore bounded by the file's size: so much for any file, and so much per byte.
constexpr std::uint64_t kFreeCells = 1'000'000, kCellsPerByte = 2, kMostCells = 40'000'000;
constexpr std::uint64_t kFreePageBytes = std::uint64_t{64} << 20, kPageBytesPerByte = 64,
                        kMostPageBytes = std::uint64_t{1} << 30;
constexpr std::int64_t kCodecs = 8, kEncodings = 10;  // that Parquet knows
enum ValueType { kInt64Values = 2, kFloatValues = 4, kDoubleValues = 5, kTextValues = 6 };

// What a page of another kind needs, for people.
constexpr std::string_view kOthers =
    "; expected plain pages, uncompressed or by gzip, as people detect --parquet writes them, or "
    "CSV";

struct ReadColumn {
  std::string name{};
  std::int64_t type = 0;
  std::int64_t repetition = 0;
  bool wanted = true;
};

// The fields of the footer and of a page's header that are looked at.
std::vector<ThriftField> footer_fields() {
  const ThriftField schema{2, {{1}, {3}, {4}, {5}}};
  const ThriftField facts{3, {{4}, {7}, {9}, {11}}};
  const ThriftField groups{4, {{1, {facts}}, {3}}};
  return {schema, {3}, groups};
}
std::vector<ThriftField> page_fields() { return {{1}, {2}, {3}, {5, {{1}, {2}}}, {6}, {7}, {8}}; }

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

  std::vector<std::string> titles() {
    return guarded([&] {
      read_footer();
      std::vector<std::string> names;
      names.reserve(columns_.size());
      for (const ReadColumn& column : columns_) names.push_back(column.name);
      return names;
    });
  }
  // Without any wanted column, all are.
  CsvTable table(std::span<const std::string> wanted) {
    return guarded([&] {
      read_footer();
      for (ReadColumn& column : columns_)
        column.wanted = wanted.empty() || std::ranges::find(wanted, column.name) != wanted.end();
      check_types();
      check_size();
      check_places();
      CsvTable table{.name = name_};
      for (const ReadColumn& column : columns_)
        if (column.wanted) table.columns.push_back(column.name);
      for (const ThriftValue& group : footer_[4].list) add_group(group, table);
      return table;
    });
  }

 private:
  [[noreturn]] void fail(std::string_view cause) const {
    throw FormatError(fmt::format("{}: {}", name_, cause));
  }
  template <class Read>
  auto guarded(const Read& read) -> decltype(read()) {
    try {
      return read();
    } catch (const ThriftError&) {
      fail("is damaged, or is no Parquet file");
    } catch (const ThriftTooMany&) {
      fail("has a footer of too many columns and groups of rows, or is damaged");
    }
  }
  static std::string title(const ReadColumn& column) {
    return fovea::detail::shown(column.name, 40);
  }

  void read_footer() {
    constexpr std::size_t kTail = sizeof(std::uint32_t) + kFrame.size();
    if (bytes_.size() < kFrame.size() + kTail || !bytes_.starts_with(kFrame) ||
        !bytes_.ends_with(kFrame))
      throw ThriftError{};
    const std::size_t end = bytes_.size() - kTail;
    const auto length = PageValues(bytes_.substr(end)).number<std::uint32_t>();
    if (length > end - kFrame.size()) throw ThriftError{};
    if (length > kMostFooterBytes)
      fail(fmt::format("has a footer of {} bytes; expected {} at most", length, kMostFooterBytes));
    const std::size_t most_values = std::min<std::size_t>(length / 2 + 16, kMostFooterValues);
    pages_end_ = end - length;
    footer_ =
        ThriftReader(bytes_.substr(pages_end_, length), most_values).structure(footer_fields());
    const std::vector<ThriftValue>& schema = footer_[2].list;
    if (schema.empty() || schema.size() > kMostColumns) throw ThriftError{};
    if (schema[0][5].number != static_cast<std::int64_t>(schema.size()) - 1)
      fail(fmt::format("has columns within columns{}", kOthers));
    columns_.reserve(schema.size());
    for (std::size_t i = 1; i < schema.size(); ++i)
      columns_.push_back(
          {std::string(schema[i][4].text), schema[i][1].number, schema[i][3].number});
  }

  void check_types() const {
    for (const ReadColumn& column : columns_) {
      const bool known = column.type == kInt64Values || column.type == kFloatValues ||
                         column.type == kDoubleValues || column.type == kTextValues;
      if (column.wanted && (!known || column.repetition < 0 || column.repetition > 1))
        fail(fmt::format("has a column '{}' of another type{}", title(column), kOthers));
    }
  }

  // Of all groups, before any page is read.
  void check_size() const {
    std::int64_t rows = 0;
    for (const ThriftValue& group : footer_[4].list) {
      if (group[3].number < 0 || group[3].number > std::numeric_limits<std::int32_t>::max())
        throw ThriftError{};
      rows += group[3].number;
      if (rows > kMostRows)
        fail(fmt::format("has more than {} rows, which is the most", kMostRows));
    }
    if (footer_[3].number != rows) throw ThriftError{};
    const auto wanted =
        static_cast<std::uint64_t>(std::ranges::count_if(columns_, &ReadColumn::wanted));
    const std::uint64_t most = std::min(kFreeCells + kCellsPerByte * bytes_.size(), kMostCells);
    if (static_cast<std::uint64_t>(rows) * wanted > most)
      fail(fmt::format("has {} rows of {} columns to read in {} bytes; expected {} fields at most",
                       rows, wanted, bytes_.size(), most));
  }

  // Where the pages of a column of a group lie.
  std::string_view chunk_bytes(const ThriftValue& facts) const {
    std::int64_t begin = facts[9].number;
    if (facts.fields.contains(11) && facts[11].number > 0)
      begin = std::min(begin, facts[11].number);
    const std::int64_t size = facts[7].number;
    if (begin < static_cast<std::int64_t>(kFrame.size()) || size < 0 ||
        static_cast<std::uint64_t>(begin) > pages_end_ ||
        static_cast<std::uint64_t>(size) > pages_end_ - static_cast<std::uint64_t>(begin))
      throw ThriftError{};
    return bytes_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
  }

  void check_places() const {
    std::vector<std::string_view> chunks;
    for (const ThriftValue& group : footer_[4].list) {
      if (group[1].list.size() != columns_.size()) throw ThriftError{};
      if (group[3].number == 0) continue;
      for (const ThriftValue& chunk : group[1].list) chunks.push_back(chunk_bytes(chunk[3]));
    }
    std::ranges::sort(chunks, {}, [](std::string_view chunk) { return chunk.data(); });
    for (std::size_t i = 1; i < chunks.size(); ++i)
      if (chunks[i - 1].data() + chunks[i - 1].size() > chunks[i].data())
        fail("is damaged: some of its columns share their bytes");
  }

  void add_group(const ThriftValue& group, CsvTable& table) {
    const auto rows = static_cast<std::size_t>(group[3].number);
    if (rows == 0) return;
    const std::vector<ThriftValue>& chunks = group[1].list;
    std::vector<std::vector<std::string>> values;
    values.reserve(chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i)
      if (columns_[i].wanted) values.push_back(chunk_values(chunks[i][3], columns_[i], rows));
    for (std::size_t row = 0; row < rows; ++row) {
      CsvRow& to = table.rows.emplace_back();
      to.line = static_cast<int>(table.rows.size());
      to.fields.reserve(values.size());
      for (std::vector<std::string>& column : values) to.fields.push_back(std::move(column[row]));
    }
  }

  // All pages of a column of a group.
  std::vector<std::string> chunk_values(const ThriftValue& facts, const ReadColumn& column,
                                        std::size_t rows) {
    const std::int64_t codec = facts[4].number;
    if (codec < 0 || codec >= kCodecs) throw ThriftError{};
    if (codec != 0 && codec != 2)
      fail(fmt::format("is compressed by another method than gzip{}", kOthers));
    if (facts.fields.contains(11))
      fail(fmt::format("has a dictionary in its column '{}'{}", title(column), kOthers));
    std::string_view rest = chunk_bytes(facts);
    std::vector<std::string> values;
    while (values.size() < rows) {
      ThriftReader reader(rest);
      const ThriftValue header = reader.structure(page_fields());
      rest.remove_prefix(reader.position());
      const std::int64_t raw = header[2].number, packed = header[3].number;
      if (!header.fields.contains(2) || !header.fields.contains(3) || raw < 0 || packed < 0 ||
          static_cast<std::uint64_t>(packed) > rest.size())
        throw ThriftError{};
      check_kind(header, column);
      const std::int64_t count = header[5][1].number;
      if (count <= 0 || static_cast<std::uint64_t>(count) > rows - values.size())
        throw ThriftError{};
      const std::string_view stored = rest.substr(0, static_cast<std::size_t>(packed));
      rest.remove_prefix(stored.size());
      count_page(codec == 0 ? stored.size() : static_cast<std::size_t>(raw));
      add_page(codec == 0 ? std::string(stored) : inflated(stored, static_cast<std::size_t>(raw)),
               column, static_cast<std::size_t>(count), values);
    }
    return values;
  }

  // Pages of another kind are whole; what has the fields of none is damaged.
  void check_kind(const ThriftValue& header, const ReadColumn& column) const {
    enum PageKind { kData = 0, kIndex, kDictionary, kNewData };
    constexpr std::array<int, 4> kFieldOf{5, 6, 7, 8};  // that a page of the kind has
    const std::int64_t kind = header[1].number, encoding = header[5][2].number;
    if (!header.fields.contains(1) || kind < kData || kind > kNewData ||
        !header.fields.contains(kFieldOf[static_cast<std::size_t>(kind)]))
      throw ThriftError{};
    if (kind == kData && (!header[5].fields.contains(1) || !header[5].fields.contains(2) ||
                          encoding < 0 || encoding >= kEncodings))
      throw ThriftError{};
    if (kind != kData || encoding != 0)
      fail(fmt::format("has pages of another kind in its column '{}'{}", title(column), kOthers));
  }

  void count_page(std::size_t size) {
    const std::uint64_t most =
        std::min(kFreePageBytes + kPageBytesPerByte * bytes_.size(), kMostPageBytes);
    if (size > most - page_bytes_)
      fail(fmt::format("has pages of more than {} MiB in {} bytes, which is the most", most >> 20,
                       bytes_.size()));
    page_bytes_ += size;
  }

  static void add_page(const std::string& page, const ReadColumn& column, std::size_t rows,
                       std::vector<std::string>& values) {
    PageValues rest(page);
    std::vector<bool> present(rows, true);
    if (column.repetition == 1)
      present = present_rows(rest.take(rest.number<std::uint32_t>()), rows);
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
  ThriftValue footer_{};
  std::size_t pages_end_ = 0;  // where the footer begins
  std::vector<ReadColumn> columns_{};
  std::uint64_t page_bytes_ = 0;  // of the pages that were read so far
};

}  // namespace

std::vector<std::string> parquet_columns(std::string_view bytes, const std::string& name) {
  return ParquetFile(bytes, name).titles();
}

CsvTable parse_parquet(std::string_view bytes, const std::string& name,
                       std::span<const std::string> columns) {
  return ParquetFile(bytes, name).table(columns);
}

}  // namespace fovea::io
