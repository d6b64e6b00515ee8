#include "io/text/list_text.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ListText, LinesAreTrimmedAndCountedAndCommentsLeftOut) {
  const std::string text = "# head\r\n\n  a b \t\r\n\t#c\nlast";
  const std::vector<ListLine> lines = list_lines(text);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].number, 3);
  EXPECT_EQ(lines[0].text, "a b");
  EXPECT_EQ(lines[1].number, 5);
  EXPECT_EQ(lines[1].text, "last");
}

TEST(ListText, WhatIsNoTextIsNamed) {
  const test::TempFolder folder;
  test::save(folder / "list", std::string("a\0b", 3));
  EXPECT_THAT(message_of<FormatError>([&] { read_list(folder / "list"); }),
              HasSubstr("list: is no list: it holds a byte 0"));
  EXPECT_THAT(message_of<IoError>([&] { read_list(folder / "none"); }),
              HasSubstr("none: cannot open"));
  EXPECT_THAT(message_of<FormatError>([] { fail_line("x", 3, "odd"); }),
              HasSubstr("x: line 3: odd"));
  EXPECT_EQ(shown("a\tb" + std::string(100, 'x')), "a\\tb" + std::string(77, 'x') + "...");
}

TEST(ListText, FoldersAndFilesInNaturalOrderWithoutHiddenOnes) {
  const test::TempFolder folder;
  for (const char* name : {"b10", "b9", ".git"}) std::filesystem::create_directory(folder / name);
  for (const char* name : {"10.png", "9.PNG", ".1.png", "a.txt"}) test::save(folder / name, "");
  EXPECT_THAT(folders_in(folder.path()), ElementsAre("b9", "b10"));
  EXPECT_THAT(files_in(folder.path(), image_files()), ElementsAre("9.PNG", "10.png"));
  EXPECT_THAT(message_of<IoError>([&] { folders_in(folder / "none"); }),
              HasSubstr("none: cannot list"));
}

}  // namespace
}  // namespace fovea::io
