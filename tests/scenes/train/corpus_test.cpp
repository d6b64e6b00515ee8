#include <fovea/core/error.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

// Two classes, of whose files only the names count here.
struct Tree : test::TempFolder {
  Tree() {
    for (const char* name : {"forest", "class10", "class9"}) make_folder(name);
    for (const char* name : {"forest/b 2.jpg", "forest/a10.png", "forest/a9.png", "class9/x.jpg",
                             "class10/y.JPG", "class10/notes.md", "class9/.hidden.jpg"})
      test::save(*this / name, "");
  }
  void make_folder(const std::string& name) { std::filesystem::create_directory(*this / name); }
};

TEST(Corpus, AFolderOfFoldersIsReadInNaturalOrder) {
  const Tree tree;
  const Corpus corpus = read_corpus(tree.path());
  EXPECT_THAT(corpus.classes, ElementsAre("class9", "class10", "forest"));
  EXPECT_THAT(corpus.labels, ElementsAre(0, 1, 2, 2, 2));
  EXPECT_THAT(corpus.paths,
              ElementsAre(tree / "class9/x.jpg", tree / "class10/y.JPG", tree / "forest/a9.png",
                          tree / "forest/a10.png", tree / "forest/b 2.jpg"));
}

TEST(Corpus, SomeClassesAreChosenByName) {
  Tree tree;
  tree.make_folder("empty");  // does not count where it is not chosen
  const std::vector<std::string> chosen{"forest", "class9"};
  const Corpus corpus = read_classes(tree.path(), chosen);
  EXPECT_EQ(corpus.classes, chosen);
  EXPECT_THAT(corpus.labels, ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(corpus.paths.back(), tree / "class9/x.jpg");
  test::save(tree / "list.txt",
             "forest/a9.png forest\nclass9/x.jpg class9\nclass10/y.JPG class10\n");
  const Corpus listed = read_classes(tree / "list.txt", chosen);
  EXPECT_EQ(listed.classes, chosen);
  EXPECT_THAT(listed.paths, ElementsAre(tree / "forest/a9.png", tree / "class9/x.jpg"));
  EXPECT_EQ(read_classes(tree / "list.txt", {}).classes.size(), 3U);
  for (const std::string& source : {tree.path(), tree / "list.txt"}) {
    const auto says = [&](const std::vector<std::string>& classes) {
      return message_of<InvalidArgument>([&] { read_classes(source, classes); });
    };
    EXPECT_THAT(says({"forest", "beach"}),
                HasSubstr("has no class \"beach\"; its classes are class9"));
    EXPECT_THAT(says({"forest", "class9", "forest"}),
                HasSubstr("class \"forest\" is chosen twice"));
    EXPECT_THAT(says({"forest"}), HasSubstr("\"forest\" is the only class chosen"));
  }
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                read_classes(tree.path(), std::vector<std::string>{"forest", "empty"});
              }),
              HasSubstr(tree / "empty: no image"));
}

TEST(Corpus, FoldersThatDoNotServeAreNamed) {
  Tree tree;
  tree.make_folder("empty");
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_corpus(tree.path()); }),
              HasSubstr(tree / "empty: no image"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_corpus(tree / "forest"); }),
              HasSubstr("0 folders"));
  EXPECT_THROW(read_corpus(tree / "nowhere"), IoError);
  const test::TempFolder one;
  std::filesystem::create_directory(one / "only");
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_corpus(one.path()); }),
              HasSubstr("1 folder in it"));
}

TEST(Corpus, AListNamesFilesFromItsFolderOnAndClassesByName) {
  const Tree tree;
  test::save(tree / "list.txt",
             "# files\nforest/b 2.jpg   forest\r\n\nclass9/x.jpg\tclass9\nclass10/y.JPG class10");
  const Corpus corpus = read_corpus(tree / "list.txt");
  EXPECT_THAT(corpus.classes, ElementsAre("class9", "class10", "forest"));
  EXPECT_THAT(corpus.labels, ElementsAre(2, 0, 1));
  EXPECT_EQ(corpus.paths[0], tree / "forest/b 2.jpg");
}

TEST(Corpus, NumbersHaveTheirNamesFromTheFileBeside) {
  const Tree tree;
  test::save(tree / "classes.txt", "1 dark forest\n0 city\n");
  test::save(tree / "list.txt", "forest/a9.png 1\nclass9/x.jpg 0\n");
  const Corpus corpus = read_corpus(tree / "list.txt");
  EXPECT_THAT(corpus.classes, ElementsAre("city", "dark forest"));
  EXPECT_THAT(corpus.labels, ElementsAre(1, 0));
  test::save(tree / "list.txt", "forest/a9.png 1\nclass9/x.jpg 2\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_corpus(tree / "list.txt"); }),
              HasSubstr("list.txt: line 2: class 2"));
  test::save(tree / "list.txt", "forest/a9.png 1\nclass9/x.jpg 1\n");
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_corpus(tree / "list.txt"); }),
              HasSubstr("class city has no image"));
  test::save(tree / "list.txt", "forest/a9.png 1\nclass9/x.jpg village\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_corpus(tree / "list.txt"); }),
              HasSubstr("\"village\" is none of city, dark forest"));
  test::save(tree / "classes.txt", "0 city\n2 forest\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_corpus(tree / "list.txt"); }),
              HasSubstr("class 1 has no name"));
  test::save(tree / "classes.txt", "0 city\n0 forest\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_corpus(tree / "list.txt"); }),
              HasSubstr("second time"));
  test::save(tree / "classes.txt", "city\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_corpus(tree / "list.txt"); }),
              HasSubstr("\"city\", expected"));
}

TEST(Corpus, ATestListHasTheClassesOfTraining) {
  const Tree tree;
  const std::vector<std::string> classes{"forest", "class9"};
  test::save(tree / "test.txt", "forest/a9.png forest\n");
  EXPECT_THAT(read_corpus(tree / "test.txt", classes).labels, ElementsAre(0));
  test::save(tree / "test.txt", "class9/x.jpg desert\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_corpus(tree / "test.txt", classes); }),
              HasSubstr("\"desert\" is none of forest, class9"));
}

TEST(Corpus, ListsThatDoNotServeAreNamed) {
  const Tree tree;
  const std::string list = tree / "list.txt";
  const auto why = [&](std::string_view text) {
    test::save(list, text);
    return message_of<Error>([&] { read_corpus(list); });
  };
  EXPECT_THAT(why("forest/none.jpg a\n"), HasSubstr("line 1: " + (tree / "forest/none.jpg")));
  EXPECT_THAT(why("forest/a9.png\n"), HasSubstr("expected a file and its class"));
  EXPECT_THAT(why("forest/a9.png a\n"), HasSubstr("all images are of class a"));
  EXPECT_THAT(why("\n# nothing\n"), HasSubstr("names no image"));
  EXPECT_THAT(why(std::string_view("\x89PNG\0\0", 6)), HasSubstr("is no list"));
}

}  // namespace
}  // namespace fovea::scenes
