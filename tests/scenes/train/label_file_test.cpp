#include <fovea/core/error.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::scenes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LabelFile, ReadsWhatItWrote) {
  const test::TempFolder folder;
  const LabelTable table{{"a, b.png", "say \"x\".png", "c\nd.png"}, {1, 0, 1}, {"sea", "wood"}};
  write_labels(folder / "l.csv", table);
  const LabelTable read = read_labels(folder / "l.csv");
  EXPECT_EQ(read.files, table.files);
  EXPECT_EQ(read.labels, table.labels);
  EXPECT_EQ(read.classes, table.classes);
}

TEST(LabelFile, NumbersClassesByNameWhereTheTableDoesNot) {
  const test::TempFolder folder;
  test::save(folder / "l.csv",
             "\xEF\xBB\xBF"
             "score,class\r\n1,kind10\r\n2,kind9\r\n3,kind10\r\n");
  const LabelTable read = read_labels(folder / "l.csv");
  EXPECT_THAT(read.classes, ElementsAre("kind9", "kind10"));
  EXPECT_THAT(read.labels, ElementsAre(1, 0, 1));
  EXPECT_TRUE(read.files.empty());
}

TEST(LabelFile, NamesTheLineThatDoesNotFit) {
  const test::TempFolder folder;
  const auto why = [&](const char* text) -> std::string {
    test::save(folder / "l.csv", text);
    try {
      read_labels(folder / "l.csv");
    } catch (const FormatError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_THAT(why(""), HasSubstr("empty"));
  EXPECT_THAT(why("file,kind\na,b\n"), HasSubstr("class"));
  EXPECT_THAT(why("file,class\na,b\nc\n"), HasSubstr("line 3"));
  EXPECT_THAT(why("class,label\na,0\nb,x\n"), HasSubstr("line 3"));
  EXPECT_THAT(why("class,label\na,0\nb,0\n"), HasSubstr("line 3"));
  EXPECT_THAT(why("class,label\na,0\nb,2\n"), HasSubstr("label 1"));
  EXPECT_THAT(why("class\na\n\"\"\n,\n"), HasSubstr("line"));
}

}  // namespace
}  // namespace fovea::scenes
