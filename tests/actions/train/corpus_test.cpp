// Covers: corpus_text
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

struct Tree : test::TempFolder {
  Tree() {
    for (const char* name : {"walk", "run"}) std::filesystem::create_directory(*this / name);
    for (const char* name :
         {"walk/ann_walk.avi", "walk/bob_walk.y4m", "run/bob_run2.avi", "run/ann_run.avi",
          "run/notes.txt", "run/.hidden.avi", "walk/two words.avi"})
      test::save(*this / name, "");
  }
};

TEST(Corpus, AFolderOfFoldersNamesActionsAndSubjects) {
  const Tree tree;
  const Corpus corpus = read_corpus(tree.path());
  EXPECT_THAT(corpus.classes, ElementsAre("run", "walk"));
  ASSERT_EQ(corpus.clips.size(), 5U);
  EXPECT_EQ(corpus.clips[0].path, tree / "run/ann_run.avi");
  EXPECT_EQ(corpus.clips[1].subject, "bob");
  EXPECT_EQ(corpus.clips[1].label, 0);
  EXPECT_EQ(corpus.clips[1].frames, 0);
  EXPECT_THAT(corpus.subjects(), ElementsAre("ann", "bob", "two words"));
}

TEST(Corpus, AListHasRangesAndScenarios) {
  const Tree tree;
  test::save(tree / "list.txt",
             "# clips\r\nwalk/ann_walk.avi walk ann 3-12 d1\r\n\n\"walk/two words.avi\"\trun\tbob\n"
             "run/ann_run.avi run ann 1-1\n");
  const Corpus corpus = read_corpus(tree / "list.txt");
  EXPECT_THAT(corpus.classes, ElementsAre("run", "walk"));
  ASSERT_EQ(corpus.clips.size(), 3U);
  EXPECT_EQ(corpus.clips[0].first, 2);
  EXPECT_EQ(corpus.clips[0].frames, 10);
  EXPECT_EQ(corpus.clips[0].scenario, "d1");
  EXPECT_EQ(corpus.clips[1].path, tree / "walk/two words.avi");
  EXPECT_EQ(corpus.clips[1].frames, 0);
  EXPECT_EQ(corpus.clips[2].frames, 1);
}

TEST(Corpus, WhatDoesNotServeIsNamed) {
  const Tree tree;
  const std::string list = tree / "list.txt";
  const auto why = [&](std::string_view text) {
    test::save(list, text);
    return message_of<Error>([&] { read_corpus(list); });
  };
  EXPECT_THAT(why("walk/ann_walk.avi walk\n"), HasSubstr("line 1: \"walk/ann_walk.avi walk\""));
  EXPECT_THAT(why("# a\nwalk/none.avi walk ann\n"), HasSubstr("line 2: "));
  EXPECT_THAT(why("walk/ann_walk.avi walk ann 5-4\n"), HasSubstr("frames \"5-4\""));
  EXPECT_THAT(why("walk/ann_walk.avi walk ann 0-4\n"), HasSubstr("frames \"0-4\""));
  EXPECT_THAT(why("walk/ann_walk.avi walk ann 1-99999999999\n"), HasSubstr("expected first-last"));
  EXPECT_THAT(why("walk/ann_walk.avi walk ann\n"), HasSubstr("all clips are of class walk"));
  EXPECT_THAT(why("#\n"), HasSubstr("names no video"));
  EXPECT_THAT(why(std::string_view("RIFF\0\0", 6)), HasSubstr("is no list"));
  EXPECT_THROW(read_corpus(tree / "nowhere"), IoError);
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_corpus(tree / "walk"); }),
              HasSubstr("0 folders"));
  std::filesystem::create_directory(tree / "empty");
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_corpus(tree.path()); }),
              HasSubstr("empty: no video"));
}

}  // namespace
}  // namespace fovea::actions
