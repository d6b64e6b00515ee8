#include <fovea/core/error.h>
#include <fovea/io/parquet_writer.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "support/files.h"

namespace fovea::io {
namespace {

using testing::HasSubstr;

// A value of the compact protocol of Thrift, read back without knowledge of Parquet.
struct Thrift {
  std::int64_t number = 0;
  std::string text;
  std::vector<Thrift> list;
  std::map<int, Thrift> fields;

  const Thrift& operator[](int id) const {
    const auto found = fields.find(id);
    if (found == fields.end()) throw std::runtime_error("no field " + std::to_string(id));
    return found->second;
  }
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  Thrift structure() {
    Thrift value;
    int id = 0;
    for (int head = byte(); head != 0; head = byte()) {
      EXPECT_NE(head >> 4, 0) << "long form of a field's number";
      id += head >> 4;
      value.fields.emplace(id, read(head & 15));
    }
    return value;
  }
  std::size_t position() const { return at_; }

 private:
  int byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto next = static_cast<std::uint64_t>(byte());
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
  }
  Thrift read(int type) {
    Thrift value;
    if (type == 5 || type == 6) {
      const std::uint64_t raw = varint();
      value.number = static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
    } else if (type == 8) {
      const std::size_t length = varint();
      value.text = bytes_.substr(at_, length);
      at_ += length;
    } else if (type == 9) {
      const int head = byte();
      const std::size_t count = head >> 4 == 15 ? varint() : static_cast<std::size_t>(head >> 4);
      for (std::size_t i = 0; i < count; ++i) value.list.push_back(read(head & 15));
    } else if (type == 12) {
      value = structure();
    } else {
      throw std::runtime_error("type " + std::to_string(type));
    }
    return value;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.substr(at).data(), sizeof(word));
  return word;
}

Thrift footer_of(const std::string& file) {
  EXPECT_EQ(file.substr(0, 4), "PAR1");
  EXPECT_EQ(file.substr(file.size() - 4), "PAR1");
  const std::size_t length = word_at(file, file.size() - 8);
  ThriftReader reader(std::string_view(file).substr(file.size() - 8 - length, length));
  Thrift footer = reader.structure();
  EXPECT_EQ(reader.position(), length);
  return footer;
}

std::string inflated(std::string_view packed, std::size_t size) {
  std::string bytes(size, '\0');
  z_stream state{};
  inflateInit2(&state, 15 + 16);
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  state.avail_in = static_cast<uInt>(packed.size());
  state.next_out = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(state.avail_in, 0U);
  inflateEnd(&state);
  return bytes;
}

// The page of a column of a row group, inflated.
std::string page_of(const std::string& file, const Thrift& footer, std::size_t group,
                    std::size_t column) {
  const Thrift& chunk = footer[4].list.at(group)[1].list.at(column)[3];
  const auto bytes = std::string_view(file).substr(static_cast<std::size_t>(chunk[9].number),
                                                   static_cast<std::size_t>(chunk[7].number));
  ThriftReader reader(bytes);
  const Thrift header = reader.structure();
  EXPECT_EQ(header[1].number, 0);  // a data page
  EXPECT_EQ(header[5][1].number, chunk[5].number);
  const std::string_view page = bytes.substr(reader.position());
  EXPECT_EQ(static_cast<std::size_t>(header[3].number), page.size());
  const auto raw = static_cast<std::size_t>(header[2].number);
  EXPECT_EQ(chunk[6].number, static_cast<std::int64_t>(reader.position() + raw));
  return chunk[4].number == 2 ? inflated(page, raw) : std::string(page);
}

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

TEST(ParquetWriter, WritesEveryByteOfASmallTable) {
  std::string file;
  ParquetOptions options;
  options.compress = false;
  ParquetWriter table(string_sink(file),
                      {{"n", ParquetType::kInt64}, {"t", ParquetType::kText, true}}, options);
  table.row(7, "ab");
  table.field(-1).empty().end_row();
  table.finish();
  const std::string pages =
      "PAR1" +
      // page header: a data page of 16 bytes; 2 values, plain, levels in RLE
      bytes_of({0x15, 0, 0x15, 32, 0x15, 32, 0x2C, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0}) +
      bytes_of({7, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}) +
      // 14 bytes: 4 bytes of levels, one row with a value, one without; then a length and the text
      bytes_of({0x15, 0, 0x15, 28, 0x15, 28, 0x2C, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0}) +
      bytes_of({4, 0, 0, 0, 2, 1, 2, 0, 2, 0, 0, 0, 'a', 'b'});
  EXPECT_EQ(file.substr(0, pages.size()), pages);
  const Thrift footer = footer_of(file);
  EXPECT_EQ(footer[3].number, 2);
  EXPECT_THAT(footer[6].text, HasSubstr("fovea"));
  const std::vector<Thrift>& schema = footer[2].list;
  ASSERT_EQ(schema.size(), 3U);
  EXPECT_EQ(schema[0][5].number, 2);
  EXPECT_EQ(schema[1][4].text, "n");
  EXPECT_EQ(schema[1][1].number, 2);  // INT64
  EXPECT_EQ(schema[1][3].number, 0);  // required
  EXPECT_EQ(schema[2][4].text, "t");
  EXPECT_EQ(schema[2][1].number, 6);  // BYTE_ARRAY
  EXPECT_EQ(schema[2][3].number, 1);  // optional
  EXPECT_EQ(schema[2][6].number, 0);  // UTF8
  EXPECT_EQ(schema[2][10][1].fields.size(), 0U);
  ASSERT_EQ(footer[4].list.size(), 1U);
  EXPECT_EQ(footer[4].list[0][6].number, static_cast<std::int64_t>(pages.size() - 4));
  EXPECT_EQ(footer[4].list[0][1].list[1][3][9].number, 4 + 17 + 16);
}

TEST(ParquetWriter, ClosesRowGroupsAsRowsCome) {
  std::string file;
  ParquetOptions options;
  options.group_rows = 100;
  ParquetWriter table(string_sink(file),
                      {{"square", ParquetType::kDouble}, {"half", ParquetType::kFloat}}, options);
  for (int i = 0; i < 1650; ++i) {
    table.row(static_cast<double>(i) * i, static_cast<float>(i) / 2);
    EXPECT_GE(file.size(), static_cast<std::size_t>(i / 100 * 200));  // not all is in memory
  }
  EXPECT_EQ(table.rows(), 1650);
  table.finish({{"fovea", "{}"}, {"k", "v"}});
  const Thrift footer = footer_of(file);
  EXPECT_EQ(footer[3].number, 1650);
  ASSERT_EQ(footer[4].list.size(), 17U);
  EXPECT_EQ(footer[4].list[16][3].number, 50);
  EXPECT_EQ(footer[5].list[1][1].text, "k");
  EXPECT_EQ(footer[5].list[1][2].text, "v");
  const std::string squares = page_of(file, footer, 16, 0), halves = page_of(file, footer, 3, 1);
  ASSERT_EQ(squares.size(), 50 * sizeof(double));
  double square = 0;
  std::memcpy(&square, squares.data() + 49 * sizeof(double), sizeof(double));
  EXPECT_EQ(square, 1649.0 * 1649.0);
  float half = 0;
  std::memcpy(&half, halves.data(), sizeof(float));
  EXPECT_EQ(half, 150.0F);
}

TEST(ParquetWriter, ClosesRowGroupsThatGrowLarge) {
  std::string file;
  ParquetOptions options;
  options.group_bytes = 1000;
  ParquetWriter table(string_sink(file), {{"text"}}, options);
  for (int i = 0; i < 10; ++i) table.row(std::string(600, 'x'));
  table.finish();
  EXPECT_EQ(footer_of(file)[4].list.size(), 5U);
}

TEST(ParquetWriter, RefusesATextThatMakesAPageTooLarge) {
  std::string bytes;
  ParquetWriter table(string_sink(bytes), {{"text"}});
  EXPECT_THAT(test::message_of<InvalidArgument>(
                  [&] { table.field(std::string((std::size_t{1} << 28) + 1, 'a')); }),
              test::says("268435457", "268435456"));
  table.row("short");  // the refused field left the row as it was
  table.finish();
  EXPECT_EQ(table.rows(), 1);
}

TEST(ParquetWriter, OptionsAreListedAndChecked) {
  ParquetOptions options;
  EXPECT_EQ(options_json(options),
            R"({"group-rows": 65536, "group-bytes": 16777216, "compress": true})");
  options.group_rows = 0;
  EXPECT_THROW(ParquetWriter({}, {{"text"}}, options), InvalidArgument);
}

TEST(ParquetWriter, ReplacesWhatIsNotUtf8) {
  std::string file;
  ParquetWriter table(string_sink(file), {{"text"}});
  table.row("a\xFFz");
  table.finish();
  EXPECT_EQ(page_of(file, footer_of(file), 0, 0), bytes_of({5, 0, 0, 0}) + "a\xEF\xBF\xBDz");
}

TEST(ParquetWriter, ATableMayBeEmpty) {
  std::string file;
  ParquetWriter(string_sink(file), {{"text"}}).finish();
  EXPECT_EQ(footer_of(file)[3].number, 0);
  EXPECT_TRUE(footer_of(file)[4].list.empty());
}

TEST(ParquetWriter, FieldsMustFitTheColumns) {
  std::string file;
  EXPECT_THROW(ParquetWriter(string_sink(file), {}), InvalidArgument);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                ParquetWriter(string_sink(file), {{"twice"}, {"twice"}});
              }),
              HasSubstr("'twice'"));
  ParquetWriter table(string_sink(file),
                      {{"n", ParquetType::kInt64}, {"t", ParquetType::kText, true}});
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { table.field(1.5); }),
              HasSubstr("'n' holds int64, not double"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { table.empty(); }), HasSubstr("'n' needs"));
  table.field(1);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { table.end_row(); }), HasSubstr("1 field"));
  EXPECT_THROW(table.finish(), InvalidArgument);
  table.empty();
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { table.empty(); }), HasSubstr("more fields"));
  table.end_row();
  table.finish();
  EXPECT_THROW(table.finish(), InvalidArgument);
  EXPECT_THROW(table.field(2), InvalidArgument);
}

}  // namespace
}  // namespace fovea::io
