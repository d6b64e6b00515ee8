#include <fovea/core/error.h>
#include <fovea/io/csv_reader.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CsvReader, ReadsWhatTheWriterWrites) {
  const CsvTable table = parse_csv(
      "\xEF\xBB\xBFname,note\r\nplain,\"with, comma\"\r\n\r\n\"say \"\"hi\"\"\",\"two\nlines\"\r\n"
      "last,",
      "a.csv");
  EXPECT_THAT(table.columns, ElementsAre("name", "note"));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("plain", "with, comma"));
  EXPECT_THAT(table.rows[1].fields, ElementsAre("say \"hi\"", "two\nlines"));
  EXPECT_THAT(table.rows[2].fields, ElementsAre("last", ""));
  EXPECT_EQ(table.rows[2].line, 6);
  EXPECT_EQ(table.column("note"), 1U);
  EXPECT_FALSE(table.column("none"));
}

TEST(CsvReader, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_THAT(test::message_of<FormatError>([] { parse_csv("\n\n", "a.csv"); }),
              HasSubstr("a.csv: an empty table"));
  EXPECT_THAT(test::message_of<FormatError>([] { parse_csv("a,b\n1,2\n3\n", "a.csv"); }),
              test::says("a.csv: line 3: ", "1 field", "2"));
  EXPECT_THROW(read_csv("/does/not/exist.csv"), IoError);
}

}  // namespace
}  // namespace fovea::io
