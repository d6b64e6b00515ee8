#include "io/image/netpbm_tokens.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::HasSubstr;

struct Text {
  explicit Text(const std::string& text) : content(text) {}
  std::string content;
  Source source{test::as_bytes(content), "x.pgm"};
  Cursor cursor{source};
  NetpbmTokens tokens{cursor};
};

TEST(NetpbmTokens, TakeOneWhiteSpaceAfterNumbersAndWords) {
  Text text("# a comment\n 12#another\n 7\t-1.5\n rest");
  EXPECT_EQ(text.tokens.number("width", 100), 12U);
  EXPECT_EQ(text.tokens.number("height", 100), 7U);
  EXPECT_EQ(text.tokens.word(), "-1.5");
  EXPECT_EQ(text.cursor.get(), ' ');
  EXPECT_EQ(text.tokens.word(), "rest");
  EXPECT_EQ(text.tokens.word(), "");
}

TEST(NetpbmTokens, BitsNeedNoSpaceAndLinesNoComments) {
  Text bits("1 0#c\n1");
  EXPECT_TRUE(bits.tokens.bit());
  EXPECT_FALSE(bits.tokens.bit());
  EXPECT_TRUE(bits.tokens.bit());
  Text lines("#c\nWIDTH 3\n\n");
  EXPECT_EQ(lines.tokens.line(), "WIDTH 3");
  EXPECT_EQ(lines.tokens.line(), "");
}

TEST(NetpbmTokens, SayWhatIsMissing) {
  const auto number = [](const std::string& content) {
    Text text(content);
    return message_of<FormatError>([&] { text.tokens.number("width", 100); });
  };
  EXPECT_EQ(number(""), "x.pgm: is truncated: it ends before its width");
  EXPECT_EQ(number("x"), "x.pgm: is damaged: a width was expected before byte 1");
  EXPECT_EQ(number("12x"), "x.pgm: is damaged: a width was expected before byte 3");
  EXPECT_EQ(number("101 "), "x.pgm: has a width above 100");
  Text endless(std::string(2000, 'a'));
  EXPECT_THAT(message_of<FormatError>([&] { endless.tokens.line(); }), HasSubstr("header line"));
  EXPECT_EQ(Text(std::string(2000, 'a')).tokens.word().size(), 64U);
}

}  // namespace
}  // namespace fovea::io
