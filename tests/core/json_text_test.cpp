#include "core/json_text.h"

#include <fovea/core/error.h>

#include <limits>

namespace fovea::detail {
namespace {

TEST(JsonText, EscapesWhatJsonForbids) {
  EXPECT_EQ(json_quote("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\u0001")");
  EXPECT_EQ(json_quote("M\xC3\xA4rz \xE2\x82\xAC \xF0\x9F\x99\x82"),
            "\"M\xC3\xA4rz \xE2\x82\xAC \xF0\x9F\x99\x82\"");
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(json_quote("a\xFFz"), "\"a" + mark + "z\"");
  EXPECT_EQ(json_quote("\xC3"), "\"" + mark + "\"");                        // cut off
  EXPECT_EQ(json_quote("\xC0\x80"), "\"" + mark + mark + "\"");             // overlong
  EXPECT_EQ(json_quote("\xED\xA0\x80"), "\"" + mark + mark + mark + "\"");  // a surrogate
}

TEST(JsonText, NumbersReadBackTheSame) {
  EXPECT_EQ(json_number(0.1F), "0.1");
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(-std::numeric_limits<float>::infinity()), "null");
}

TEST(JsonDepth, IsLimited) {
  EXPECT_NO_THROW(check_json_depth(std::string(100, '[') + std::string(100, ']'), "x"));
  EXPECT_NO_THROW(check_json_depth("\"" + std::string(200, '[') + "\\\"" + "\"", "x"));
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "[{}],";
  EXPECT_NO_THROW(check_json_depth("[" + wide + "0]", "x"));
  try {
    check_json_depth(std::string(200000, '['), "deep.json");
    FAIL() << "nothing was thrown";
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "deep.json: JSON is nested more than 100 deep at byte 100");
  }
}

TEST(JsonText, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(utf8_or_replaced("M\xC3\xA4rz\n\"x\""), "M\xC3\xA4rz\n\"x\"");
  EXPECT_EQ(utf8_or_replaced("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(utf8_or_replaced(""), "");
}

}  // namespace
}  // namespace fovea::detail
