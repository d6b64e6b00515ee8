#include "core/words.h"

namespace fovea::detail {
namespace {

TEST(Words, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Words, ShownStaysOnOneLineAndEscapesControlCharacters) {
  EXPECT_EQ(shown("plain text"), "plain text");
  EXPECT_EQ(shown("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
}

TEST(Words, ShownCutsLongTextBetweenCharacters) {
  EXPECT_EQ(shown(std::string(300, 'x')), std::string(120, 'x') + "...");
  EXPECT_EQ(shown("abc\u00e9d", 4), "abc...");
}

TEST(Words, CountedHasSingularAndPlural) {
  EXPECT_EQ(counted(0, "frame"), "0 frames");
  EXPECT_EQ(counted(1, "frame"), "1 frame");
  EXPECT_EQ(counted(2, "frame"), "2 frames");
  EXPECT_EQ(counted(1, "class", "classes"), "1 class");
  EXPECT_EQ(counted(3, "class", "classes"), "3 classes");
}

}  // namespace
}  // namespace fovea::detail
