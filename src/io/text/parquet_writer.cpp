// Apache Parquet by hand (github.com/apache/parquet-format): the magic word, row groups with one
// data page per column, and a footer that says where they lie. Field numbers below are those of
// parquet.thrift.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/parquet_writer.h>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "core/json_text.h"
#include "io/text/thrift_compact.h"

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "Parquet's numbers are little-endian");

constexpr std::string_view kParquetMagic = "PAR1";
enum Repetition { kRequired = 0, kOptional = 1 };
enum PageEncoding { kPlain = 0, kRle = 3 };
enum PageCodec { kNoCodec = 0, kGzip = 2 };
constexpr int kDataPage = 0;
// Parquet counts the bytes and the rows of a page by signed 32 bits. A page holds less than a
// group's values, one more text, and 2 bytes at most per row that say whether there is a value.
constexpr std::uint64_t kMostGroupBytes = std::uint64_t{1} << 30;
constexpr int kMostGroupRows = 1 << 28;
constexpr std::int64_t kMostTextBytes = std::int64_t{1} << 28;
static_assert(kMostGroupBytes + kMostTextBytes + 2 * kMostGroupRows <
              std::numeric_limits<std::int32_t>::max() - (1 << 20));

constexpr int kUtf8 = 0;  // the converted type, for readers that do not know logical types

int physical_type(ParquetType type) {
  switch (type) {
    case ParquetType::kInt64: return 2;
    case ParquetType::kFloat: return 4;
    case ParquetType::kDouble: return 5;
    case ParquetType::kText: return 6;
  }
  return 6;
}

const char* type_name(ParquetType type) {
  switch (type) {
    case ParquetType::kInt64: return "int64";
    case ParquetType::kFloat: return "float";
    case ParquetType::kDouble: return "double";
    case ParquetType::kText: return "text";
  }
  return "";
}

void require_text_fits(std::string_view text) {
  if (static_cast<std::int64_t>(text.size()) > kMostTextBytes)
    throw InvalidArgument(
        fmt::format("ParquetWriter: a text has {} bytes; expected {} at most, so that a page stays "
                    "below the 2 GiB that Parquet allows",
                    text.size(), kMostTextBytes));
}

template <class Number>
void put_number(std::string& bytes, Number number) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), &number, sizeof(Number));
  bytes.append(raw.data(), raw.size());
}

std::string gzipped(const std::string& bytes) {
  constexpr int kGzipWindow = 15 + 16;  // 16 asks for gzip's frame in place of zlib's
  constexpr int kMemory = 8;            // zlib's own default
  z_stream state{};
  if (deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&state, static_cast<uLong>(bytes.size())), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);  // the buffer has room for everything
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

// The values of one column in the current row group.
struct Chunk {
  std::string values;
  std::string runs;  // runs of rows with or without a value, in Parquet's RLE
  bool present = true;
  std::int64_t run = 0;

  void mark(bool has_value) {
    if (has_value != present) end_run();
    present = has_value;
    ++run;
  }
  void end_run() {
    if (run == 0) return;
    put_varint(runs, static_cast<std::uint64_t>(run) << 1);
    runs += present ? '\1' : '\0';
    run = 0;
  }
};

// Where a column of a written row group lies.
struct WrittenChunk {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;      // bytes in the file, including the page header
  std::int64_t raw_bytes = 0;  // the same number before compression
};
struct WrittenGroup {
  std::int64_t rows = 0;
  std::vector<WrittenChunk> chunks;
};

}  // namespace

struct ParquetWriter::Impl {
  Sink sink;
  std::vector<ParquetColumn> columns;
  ParquetOptions options;
  std::vector<Chunk> chunks{};
  std::vector<WrittenGroup> groups{};
  std::size_t fields = 0;         // in the current row
  std::int64_t rows = 0;          // in all groups
  std::int64_t group_rows = 0;    // in the current group
  std::uint64_t group_bytes = 0;  // bytes of values in the current group
  std::int64_t offset = 0;        // bytes written to the sink so far
  bool finished = false;

  void give(std::string_view bytes) {
    sink(bytes);
    offset += static_cast<std::int64_t>(bytes.size());
  }

  Chunk& next_field(const char* given, ParquetType type);
  Chunk& value(ParquetType type) {
    Chunk& chunk = next_field(type_name(type), type);
    chunk.mark(true);
    return chunk;
  }
  template <class Number>
  void add(ParquetType type, Number number) {
    put_number(value(type).values, number);
    group_bytes += sizeof(Number);
  }
  WrittenChunk write_chunk(const ParquetColumn& column, Chunk& chunk);
  void write_group();
  void put_schema(ThriftWriter& footer) const;
  void put_group(ThriftWriter& footer, const WrittenGroup& group) const;
};

// The chunk for the row's next field. Throws unless the column has the value's `type`.
Chunk& ParquetWriter::Impl::next_field(const char* given, ParquetType type) {
  if (finished) throw InvalidArgument("ParquetWriter: cannot take a field after finish()");
  if (fields == columns.size())
    throw InvalidArgument(
        fmt::format("ParquetWriter: row {} has more fields than the table's {} columns; call "
                    "end_row() first",
                    rows, columns.size()));
  const ParquetColumn& column = columns[fields];
  if (column.type != type)
    throw InvalidArgument(fmt::format("ParquetWriter: column '{}' holds {}, not {}", column.name,
                                      type_name(column.type), given));
  return chunks[fields++];
}

WrittenChunk ParquetWriter::Impl::write_chunk(const ParquetColumn& column, Chunk& chunk) {
  std::string page;
  if (column.optional) {
    chunk.end_run();
    put_number(page, static_cast<std::uint32_t>(chunk.runs.size()));
    page += chunk.runs;
  }
  page += chunk.values;
  const std::size_t raw = page.size();
  if (options.compress) page = gzipped(page);
  std::string header;
  ThriftWriter(header)
      .i32(1, kDataPage)
      .i32(2, static_cast<std::int32_t>(raw))
      .i32(3, static_cast<std::int32_t>(page.size()))
      .structure(5)
      .i32(1, static_cast<std::int32_t>(group_rows))
      .i32(2, kPlain)
      .i32(3, kRle)
      .i32(4, kRle)
      .end()
      .end();
  const WrittenChunk written{.offset = offset,
                             .bytes = static_cast<std::int64_t>(header.size() + page.size()),
                             .raw_bytes = static_cast<std::int64_t>(header.size() + raw)};
  give(header);
  give(page);
  return written;
}

void ParquetWriter::Impl::write_group() {
  if (group_rows == 0) return;
  WrittenGroup group{.rows = group_rows, .chunks = {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    group.chunks.push_back(write_chunk(columns[i], chunks[i]));
    chunks[i] = {};
  }
  groups.push_back(std::move(group));
  group_rows = 0;
  group_bytes = 0;
}

void ParquetWriter::Impl::put_schema(ThriftWriter& footer) const {
  footer.structures(2, columns.size() + 1);
  footer.element().text(4, "schema").i32(5, static_cast<std::int32_t>(columns.size())).end();
  for (const ParquetColumn& column : columns) {
    footer.element().i32(1, physical_type(column.type));
    footer.i32(3, column.optional ? kOptional : kRequired).text(4, column.name);
    if (column.type == ParquetType::kText)
      footer.i32(6, kUtf8).structure(10).structure(1).end().end();
    footer.end();
  }
}

void ParquetWriter::Impl::put_group(ThriftWriter& footer, const WrittenGroup& group) const {
  std::int64_t bytes = 0, raw_bytes = 0;
  footer.element().structures(1, columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const WrittenChunk& chunk = group.chunks[i];
    bytes += chunk.bytes;
    raw_bytes += chunk.raw_bytes;
    footer.element().i64(2, 0).structure(3);  // no metadata outside the footer
    footer.i32(1, physical_type(columns[i].type)).numbers(2, 2).number(kPlain).number(kRle);
    footer.texts(3, 1).put(columns[i].name);
    footer.i32(4, options.compress ? kGzip : kNoCodec).i64(5, group.rows);
    footer.i64(6, chunk.raw_bytes).i64(7, chunk.bytes).i64(9, chunk.offset).end().end();
  }
  footer.i64(2, raw_bytes).i64(3, group.rows).i64(6, bytes).end();
}

void describe(OptionVisitor& visit, ParquetOptions& options) {
  visit("group-rows", options.group_rows, "write a row group when it has this many rows", 1,
        std::numeric_limits<int>::max());
  visit.bytes("group-bytes", options.group_bytes, "write a row group when it takes this much", 1);
  visit("compress", options.compress, "compress pages by gzip",
        {.off_help = "leave pages uncompressed"});
}

ParquetWriter::ParquetWriter(Sink sink, std::vector<ParquetColumn> columns,
                             const ParquetOptions& options) {
  if (columns.empty()) throw InvalidArgument("ParquetWriter: a table needs at least one column");
  check_options(options);
  std::set<std::string_view> names;
  for (const ParquetColumn& column : columns) {
    if (!names.insert(column.name).second)
      throw InvalidArgument(
          fmt::format("ParquetWriter: two columns have the name '{}'", column.name));
  }
  impl_ = std::make_unique<Impl>(Impl{std::move(sink), std::move(columns), options});
  impl_->options.group_rows = std::min(options.group_rows, kMostGroupRows);
  impl_->options.group_bytes = std::min(options.group_bytes, kMostGroupBytes);
  impl_->chunks.resize(impl_->columns.size());
  impl_->give(kParquetMagic);
}
ParquetWriter::~ParquetWriter() = default;
ParquetWriter::ParquetWriter(ParquetWriter&&) noexcept = default;
ParquetWriter& ParquetWriter::operator=(ParquetWriter&&) noexcept = default;

ParquetWriter& ParquetWriter::field(std::string_view text) {
  require_text_fits(text);
  const std::string valid = detail::utf8_or_replaced(text);
  require_text_fits(valid);
  std::string& values = impl_->value(ParquetType::kText).values;
  const std::size_t before = values.size();
  put_number(values, static_cast<std::uint32_t>(valid.size()));
  values += valid;
  impl_->group_bytes += values.size() - before;
  return *this;
}
ParquetWriter& ParquetWriter::field(float number) {
  impl_->add(ParquetType::kFloat, number);
  return *this;
}
ParquetWriter& ParquetWriter::field(double number) {
  impl_->add(ParquetType::kDouble, number);
  return *this;
}
ParquetWriter& ParquetWriter::integer(std::int64_t number) {
  impl_->add(ParquetType::kInt64, number);
  return *this;
}

ParquetWriter& ParquetWriter::empty() {
  const std::size_t at = impl_->fields;
  const bool optional = at >= impl_->columns.size() || impl_->columns[at].optional;
  if (!optional)
    throw InvalidArgument(fmt::format("ParquetWriter: column '{}' needs a value in every row",
                                      impl_->columns[at].name));
  const ParquetType type =
      at < impl_->columns.size() ? impl_->columns[at].type : ParquetType::kText;
  impl_->next_field("", type).mark(false);
  return *this;
}

void ParquetWriter::end_row() {
  if (impl_->fields != impl_->columns.size())
    throw InvalidArgument(
        fmt::format("ParquetWriter: row {} has {} fields, but the table has {} "
                    "columns",
                    impl_->rows, impl_->fields, impl_->columns.size()));
  impl_->fields = 0;
  ++impl_->rows;
  ++impl_->group_rows;
  if (impl_->group_rows >= impl_->options.group_rows ||
      impl_->group_bytes >= impl_->options.group_bytes)
    impl_->write_group();
}

std::int64_t ParquetWriter::rows() const { return impl_->rows; }

void ParquetWriter::finish(const std::vector<std::pair<std::string, std::string>>& facts) {
  if (impl_->finished) throw InvalidArgument("ParquetWriter: finish() was called before");
  if (impl_->fields != 0) throw InvalidArgument("ParquetWriter: finish() in the middle of a row");
  impl_->write_group();
  impl_->finished = true;
  std::string bytes;
  ThriftWriter footer(bytes);
  footer.i32(1, 1);  // the format's version
  impl_->put_schema(footer);
  footer.i64(3, impl_->rows).structures(4, impl_->groups.size());
  for (const WrittenGroup& group : impl_->groups) impl_->put_group(footer, group);
  if (!facts.empty()) {
    footer.structures(5, facts.size());
    for (const auto& fact : facts) footer.element().text(1, fact.first).text(2, fact.second).end();
  }
  footer.text(6, "fovea version " FOVEA_VERSION).end();
  put_number(bytes, static_cast<std::uint32_t>(bytes.size()));
  bytes += kParquetMagic;
  impl_->give(bytes);
}

}  // namespace fovea::io
