// Parquet tables that were written by hand, whole and damaged.
// Covers: thrift_reader
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/parquet_reader.h>
#include <fovea/io/parquet_writer.h>
#include <gmock/gmock.h>

#include "io/text/thrift_compact.h"
#include "support/files.h"

namespace fovea::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string small_table(const ParquetOptions& options = {}) {
  std::string file;
  ParquetWriter table(string_sink(file),
                      {{"input", ParquetType::kText},
                       {"frame", ParquetType::kInt64, true},
                       {"x", ParquetType::kFloat},
                       {"score", ParquetType::kDouble}},
                      options);
  table.field("a.png").empty().field(1.25F).field(0.1).end_row();
  table.field("v.mp4").field(7).field(-3.5F).field(2e-300).end_row();
  table.field("").field(-8).field(0.1F).field(4.0).end_row();
  table.finish({{"fovea", "{}"}});
  return file;
}

TEST(ParquetReader, ReadsWhatTheWriterWrites) {
  ParquetOptions plain, rows;
  plain.compress = false;
  rows.group_rows = 1;
  for (const ParquetOptions& options : {ParquetOptions{}, plain, rows}) {
    const CsvTable table = parse_parquet(small_table(options), "t.parquet");
    EXPECT_THAT(table.columns, ElementsAre("input", "frame", "x", "score"));
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_THAT(table.rows[0].fields, ElementsAre("a.png", "", "1.25", "0.1"));
    EXPECT_THAT(table.rows[1].fields, ElementsAre("v.mp4", "7", "-3.5", "2e-300"));
    EXPECT_THAT(table.rows[2].fields, ElementsAre("", "-8", "0.1", "4"));
    EXPECT_EQ(table.rows[2].line, 3);
  }
}

TEST(ParquetReader, ATableMayBeEmpty) {
  std::string file;
  ParquetWriter(string_sink(file), {{"text"}}).finish();
  EXPECT_TRUE(parse_parquet(file, "t.parquet").rows.empty());
}

TEST(ParquetReader, ReadsManyGroups) {
  std::string file;
  ParquetOptions options;
  options.group_rows = 100;
  ParquetWriter table(string_sink(file), {{"n", ParquetType::kInt64, true}}, options);
  for (int i = 0; i < 1234; ++i) {
    if (i % 3 == 0) table.empty();
    else table.field(i);
    table.end_row();
  }
  table.finish();
  const CsvTable read = parse_parquet(file, "t.parquet");
  ASSERT_EQ(read.rows.size(), 1234U);
  EXPECT_EQ(read.rows[999].fields[0], "");
  EXPECT_EQ(read.rows[1000].fields[0], "1000");
}

std::string parquet_refusal(const std::string& bytes) {
  return test::message_of<FormatError>([&] { parse_parquet(bytes, "t.parquet"); });
}

TEST(ParquetReader, RefusesWhatIsNoParquet) {
  for (const std::string& bytes :
       {std::string(), std::string("PAR1"), std::string("PAR1PAR1"),
        std::string("PAR1\0\0\0\0PAR1", 12), std::string("PAR1\xFF\xFF\xFF\xFFPAR1"),
        std::string("input,x\na,1\n")})
    EXPECT_THAT(parquet_refusal(bytes), HasSubstr("t.parquet: is damaged, or is no Parquet file"));
}

// A file that other programs wrote, by a byte that says so: the number of the codec, snappy's 1.
TEST(ParquetReader, SaysWhatItDoesNotRead) {
  std::string file = small_table();
  // Field 4 of a column's facts (codec, zigzag 4 for gzip) stands between its name and its rows.
  const std::size_t at = file.rfind("score") + 5;
  ASSERT_EQ(file.substr(at, 2), "\x15\x04");
  file[at + 1] = '\x02';
  EXPECT_THAT(parquet_refusal(file), HasSubstr("compressed by another method than gzip; expected"));
}

// Columns of a file that is made by hand.
struct HandColumn {
  std::string name{};
  std::int64_t offset = 0, bytes = 0;
  int type = 2, repetition = 1, codec = 0;
};

// A file of one group of rows, with the given bytes in the place of its pages and fields behind
// those of its footer.
std::string hand_file(const std::string& pages, std::int64_t rows,
                      const std::vector<HandColumn>& columns, const std::string& more = {}) {
  std::string footer;
  ThriftWriter writer(footer);
  writer.i32(1, 1).structures(2, columns.size() + 1);
  writer.element().text(4, "schema").i32(5, static_cast<std::int32_t>(columns.size())).end();
  for (const HandColumn& each : columns)
    writer.element().i32(1, each.type).i32(3, each.repetition).text(4, each.name).end();
  writer.i64(3, rows).structures(4, 1).element().structures(1, columns.size());
  for (const HandColumn& each : columns) {
    writer.element().i64(2, 0).structure(3);
    writer.i32(4, each.codec).i64(7, each.bytes).i64(9, each.offset).end().end();
  }
  writer.i64(3, rows).end();
  footer += more;
  writer.end();
  const auto size = static_cast<std::uint32_t>(footer.size());
  return "PAR1" + pages + footer + std::string(reinterpret_cast<const char*>(&size), sizeof(size)) +
         "PAR1";
}

std::string hand_page(std::int64_t rows, const std::string& stored, std::int64_t raw) {
  std::string page;
  ThriftWriter(page)
      .i32(1, 0)
      .i32(2, static_cast<std::int32_t>(raw))
      .i32(3, static_cast<std::int32_t>(stored.size()))
      .structure(5)
      .i32(1, static_cast<std::int32_t>(rows))
      .i32(2, 0)
      .end()
      .end();
  return page + stored;
}

// A page of rows without values.
std::string empty_page(std::int64_t rows) {
  std::string runs;
  put_varint(runs, static_cast<std::uint64_t>(rows) << 1);
  runs += '\0';
  const auto size = static_cast<std::uint32_t>(runs.size());
  const std::string stored = std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + runs;
  return hand_page(rows, stored, static_cast<std::int64_t>(stored.size()));
}

TEST(ParquetReader, ReadsTheColumnsThatAreAskedFor) {
  const std::string file = small_table();
  EXPECT_THAT(parquet_columns(file, "t.parquet"), ElementsAre("input", "frame", "x", "score"));
  const std::vector<std::string> some{"score", "input", "none"};
  const CsvTable table = parse_parquet(file, "t.parquet", some);
  EXPECT_THAT(table.columns, ElementsAre("input", "score"));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[1].fields, ElementsAre("v.mp4", "2e-300"));
  // What is not asked for may be of a kind that is not read.
  const std::string page = empty_page(3);
  const auto size = static_cast<std::int64_t>(page.size());
  const std::string other = hand_file(
      page + "?", 3,
      {{"a", 4, size}, {.name = "b", .offset = 4 + size, .bytes = 1, .type = 1, .codec = 1}});
  EXPECT_THAT(parquet_refusal(other), HasSubstr("a column 'b' of another type"));
  const std::vector<std::string> first{"a"};
  EXPECT_EQ(parse_parquet(other, "t.parquet", first).rows.size(), 3U);
}

// Small files that say that they hold much.
TEST(ParquetReader, TakesNoMoreMemoryThanTheFilesSizeLetsExpect) {
  constexpr std::int64_t kRows = 4'000'000;
  const std::string page = empty_page(kRows);
  const auto size = static_cast<std::int64_t>(page.size());
  std::vector<HandColumn> shared(20, {.offset = 4, .bytes = size});
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i].name = std::string(1, char('a' + i));
  EXPECT_THAT(parquet_refusal(hand_file(page, kRows, shared)),
              HasSubstr("has 4000000 rows of 20 columns to read"));
  EXPECT_THAT(parquet_refusal(hand_file(page, kRows, {{"a", 4, size}})),
              HasSubstr("has 4000000 rows of 1 columns to read"));
  EXPECT_THAT(parquet_refusal(hand_file(page, kRows + 1, {{"a", 4, size}})),
              HasSubstr("has more than 4000000 rows"));
  const std::string few = empty_page(9);
  const auto few_size = static_cast<std::int64_t>(few.size());
  EXPECT_THAT(parquet_refusal(hand_file(few, 9, {{"a", 4, few_size}, {"b", 4, few_size}})),
              HasSubstr("is damaged: some of its columns share their bytes"));
  // 128 KiB of a compressed page may hold 128 MiB.
  const std::string packed(std::size_t{128} << 10, '\0');
  const std::string large = hand_page(9, packed, std::int64_t{128} << 20);
  EXPECT_THAT(parquet_refusal(hand_file(large, 9,
                                        {{.name = "a",
                                          .offset = 4,
                                          .bytes = static_cast<std::int64_t>(large.size()),
                                          .codec = 2}})),
              HasSubstr("has pages of more than 72 MiB"));
}

TEST(ParquetReader, KeepsOfTheFooterWhatItNeeds) {
  const std::string page = empty_page(9);
  const auto size = static_cast<std::int64_t>(page.size());
  const std::vector<HandColumn> one{{"a", 4, size}};
  // Field 5 of the footer, a list of bytes that nobody asks for.
  const auto list = [](std::size_t count) {
    std::string bytes = "\x19\xF3";
    put_varint(bytes, count);
    return bytes + std::string(count, 'x');
  };
  EXPECT_EQ(parse_parquet(hand_file(page, 9, one, list(1'000'000)), "t.parquet").rows.size(), 9U);
  EXPECT_THAT(parquet_refusal(hand_file(page, 9, one, list(20'000'000))),
              HasSubstr("expected 16777216 at most"));
  // A schema of bytes in the place of structures.
  std::string footer = "\x29\xF3";
  put_varint(footer, 2'000'000);
  footer += std::string(2'000'000, '\1') + '\0';
  const auto length = static_cast<std::uint32_t>(footer.size());
  EXPECT_THAT(
      parquet_refusal("PAR1" + footer +
                      std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + "PAR1"),
      HasSubstr("has a footer of too many columns and groups of rows"));
}

TEST(ParquetReader, SaysThatGarbageIsDamageAndShortensNames) {
  const std::string page = empty_page(9), name(5000, 'n');
  const auto size = static_cast<std::int64_t>(page.size());
  for (const std::string& garbage :
       {std::string(9, '\0'), std::string(9, '\x15'), std::string("\x15\x12\0\0", 4)})
    EXPECT_THAT(parquet_refusal(
                    hand_file(garbage, 9, {{name, 4, static_cast<std::int64_t>(garbage.size())}})),
                HasSubstr("is damaged, or is no Parquet file"));
  // A page of the newer kind, 3, with its field 8.
  std::string newer;
  ThriftWriter(newer).i32(1, 3).i32(2, 0).i32(3, 0).structure(8).end().end();
  const std::string said =
      parquet_refusal(hand_file(newer, 9, {{name, 4, static_cast<std::int64_t>(newer.size())}}));
  EXPECT_THAT(said, HasSubstr("has pages of another kind in its column 'nnn"));
  EXPECT_LT(said.size(), 300U);
  EXPECT_LT(
      parquet_refusal(hand_file(page, 9, {{.name = name, .offset = 4, .bytes = size, .type = 1}}))
          .size(),
      300U);
}

// Whatever bytes are changed or cut off, the reader ends with a table or a message.
TEST(ParquetReader, SurvivesDamage) {
  Random random(3);
  ParquetOptions plain;
  plain.compress = false;
  for (const std::string& whole : {small_table(), small_table(plain)}) {
    for (int i = 0; i < 3000; ++i) {
      std::string file = whole;
      for (std::uint32_t changes = random.below(4) + 1; changes > 0; --changes)
        file[static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(file.size())))] =
            static_cast<char>(random.below(256));
      if (i % 10 == 0)
        file.resize(
            static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(file.size()))));
      try {
        parse_parquet(file, "t.parquet");
      } catch (const FormatError&) {
      }
    }
  }
}

}  // namespace
}  // namespace fovea::io
