// Parquet tables that were written by hand, whole and damaged.
// Covers: thrift_reader
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/parquet_reader.h>
#include <fovea/io/parquet_writer.h>
#include <gmock/gmock.h>

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
