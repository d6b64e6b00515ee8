#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <clocale>
#include <cmath>

#include "support/files.h"

namespace fovea::io {
namespace {

using testing::HasSubstr;

TEST(CsvWriter, QuotesWhatNeedsIt) {
  std::string text;
  CsvWriter csv(string_sink(text), {"name", "note"});
  csv.row("plain", "with, comma");
  csv.row("say \"hi\"", "two\nlines");
  csv.row("cr\rhere", "");
  csv.field("nul").field(std::string_view("a\0b", 3)).end_row();
  csv.field("last").empty().end_row();
  const char expected[] =
      "name,note\r\n"
      "plain,\"with, comma\"\r\n"
      "\"say \"\"hi\"\"\",\"two\nlines\"\r\n"
      "\"cr\rhere\",\r\n"
      "nul,\"a\0b\"\r\n"
      "last,\r\n";
  EXPECT_EQ(text, std::string(expected, sizeof(expected) - 1));
  EXPECT_EQ(csv.rows(), 5);
}

TEST(CsvWriter, NumbersAreShortestAndIgnoreTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* comma_locale : {"de_DE.UTF-8", "fr_FR.UTF-8"})
    std::setlocale(LC_ALL, comma_locale);
  std::string text;
  CsvWriter csv(string_sink(text), {"a", "b", "c", "d", "e"}, {.crlf = false});
  csv.row(0.1F, 0.1 + 0.2, -7, std::uint64_t{18446744073709551615U}, true);
  csv.row(1e-300, 1e21, NAN, INFINITY, -INFINITY);
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(text,
            "a,b,c,d,e\n0.1,0.30000000000000004,-7,18446744073709551615,true\n"
            "1e-300,1e+21,nan,inf,-inf\n");
}

TEST(CsvWriter, OneEmptyFieldIsNotABlankLine) {
  std::string text;
  CsvWriter csv(string_sink(text), {"only"}, {.crlf = false});
  csv.row("");
  EXPECT_EQ(text, "only\n\"\"\n");
}

TEST(CsvWriter, TabsNeedNoQuotesAroundCommas) {
  std::string text;
  CsvWriter csv(string_sink(text), {"a", "b"}, {.separator = CsvSeparator::kTab, .crlf = false});
  csv.row("1,5", "x\ty");
  EXPECT_EQ(text, "a\tb\n1,5\t\"x\ty\"\n");
}

TEST(CsvWriter, OptionsAreSetByName) {
  CsvOptions options;
  EXPECT_EQ(options_json(options), R"({"separator": "comma", "crlf": true})");
  for_each_option(options, [](const OptionField& field) {
    if (field.name == "separator") set_option(field, "semicolon");
  });
  std::string text;
  CsvWriter csv(string_sink(text), {"a", "b"}, options);
  EXPECT_EQ(text, "a;b\r\n");
}

TEST(CsvWriter, RowsMustFitTheHeader) {
  std::string text;
  CsvWriter csv(string_sink(text), {"a", "b"});
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { csv.row(1); }), HasSubstr("row 1 has 1"));
  csv.row(2);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { csv.row(3, 4, 5); }), HasSubstr("more"));
  EXPECT_THROW(CsvWriter(string_sink(text), {}), InvalidArgument);
}

TEST(CsvWriter, HandsOverRowByRow) {
  std::size_t largest = 0, pieces = 0;
  CsvWriter csv(
      [&](std::string_view piece) { largest = std::max(largest, piece.size()), ++pieces; },
      {"i", "square"});
  for (std::int64_t i = 0; i < 100000; ++i) csv.row(i, i * i);
  EXPECT_EQ(pieces, 100001U);
  EXPECT_LT(largest, 32U);
}

}  // namespace
}  // namespace fovea::io
