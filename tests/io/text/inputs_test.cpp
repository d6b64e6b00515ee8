// Covers: input_list
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Inputs : public testing::Test {
 protected:
  void make(const std::string& name, const std::string& content = "") {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    test::save(folder_ / name, content);
  }
  // Expands words and gives the paths relative to the folder.
  std::vector<std::string> expand(std::vector<std::string> words,
                                  const InputKind& kind = image_files()) {
    for (std::string& word : words) {
      if (word != "-") word = word[0] == '@' ? "@" + (folder_ / word.substr(1)) : folder_ / word;
    }
    auto paths = expand_inputs(words, kind);
    for (std::string& path : paths) {
      if (path.starts_with(folder_.path())) path = path.substr(folder_.path().size() + 1);
    }
    return paths;
  }
  std::string refusal(const std::vector<std::string>& words) {
    return message_of<IoError>([&] { expand(words); });
  }

  test::TempFolder folder_;
};

TEST(NaturalOrder, CountsAsPeopleDo) {
  std::vector<std::string> names = {"frame10",
                                    "frame2",
                                    "frame02",
                                    "a",
                                    "frame1.png",
                                    "frame",
                                    "a2b10",
                                    "a2b9",
                                    "a10b1",
                                    "99999999999999999999998",
                                    "7",
                                    "007",
                                    "99999999999999999999999",
                                    "ab/1",
                                    "ab-c",
                                    "ab/0"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_THAT(names, ElementsAre("007", "7", "99999999999999999999998", "99999999999999999999999",
                                 "a", "a2b9", "a2b10", "a10b1", "ab/0", "ab/1", "ab-c", "frame",
                                 "frame1.png", "frame02", "frame2", "frame10"));
}

TEST(NaturalOrder, IsAStrictWeakOrder) {
  const std::vector<std::string> names = {"",    "0",   "00",  "a",    "a0",  "a00",
                                          "a1",  "a01", "a/",  "a/0",  "a-",  "1a",
                                          "01a", "1",   "a1b", "a01b", "\xFF"};
  for (const auto& x : names) {
    EXPECT_FALSE(natural_less(x, x)) << x;
    for (const auto& y : names) {
      EXPECT_EQ(x == y, !natural_less(x, y) && !natural_less(y, x)) << x << ' ' << y;
      for (const auto& z : names)
        if (natural_less(x, y) && natural_less(y, z)) {
          EXPECT_TRUE(natural_less(x, z)) << x << ' ' << y << ' ' << z;
        }
    }
  }
}

TEST_F(Inputs, FoldersGiveTheirKindInNaturalOrder) {
  for (const char* name : {"f/10.png", "f/9.PNG", "f/1.jpg", "f/note.txt", "f/.11.png",
                           "f/clip.mp4", "f/deep/3.png", "f/dir.png/x"})
    make(name);
  EXPECT_THAT(expand({"f"}), ElementsAre("f/1.jpg", "f/9.PNG", "f/10.png"));
  EXPECT_THAT(expand({"f"}, video_files()), ElementsAre("f/clip.mp4"));
  EXPECT_THAT(expand({"f"}, image_and_video_files()), testing::SizeIs(4));
  EXPECT_THAT(expand({"f"}, {"note", {"txt"}}), ElementsAre("f/note.txt"));
}

TEST_F(Inputs, WordsKeepTheirOrder) {
  for (const char* name : {"b.png", "a.png", "odd.xyz"}) make(name);
  EXPECT_THAT(expand({"odd.xyz", "b.png", "-", "a.png"}),
              ElementsAre("odd.xyz", "b.png", "-", "a.png"));
}

TEST_F(Inputs, GlobsMatchFilesOnly) {
  for (const char* name : {"a/f2.png", "a/f10.png", "b/f1.png", "fd.png/x", "[1].png"}) make(name);
  EXPECT_THAT(expand({"*/f*.png"}), ElementsAre("a/f2.png", "a/f10.png", "b/f1.png"));
  EXPECT_THAT(expand({"a/f?.png"}), ElementsAre("a/f2.png"));
  EXPECT_THAT(expand({"[1].png"}), ElementsAre("[1].png")) << "a name that exists is itself";
  EXPECT_THAT(refusal({"f*.png"}), HasSubstr("f*.png: no file matches"));
}

TEST_F(Inputs, ListsAreRelativeToThemselves) {
  for (const char* name : {"l/x.png", "l/in/2.png", "l/in/1.png", "l/with space.png"}) make(name);
  make("l/all.txt", "# a comment\r\nx.png\r\n\n  with space.png  \nin\n" + (folder_ / "l/x.png"));
  EXPECT_THAT(expand({"@l/all.txt"}),
              ElementsAre("l/x.png", "l/with space.png", "l/in/1.png", "l/in/2.png", "l/x.png"));
  make("l/nested.txt", "x.png\n@all.txt\n");
  EXPECT_THAT(refusal({"@l/nested.txt"}), AllOf(HasSubstr("line 2"), HasSubstr("@all.txt")));
  make("l/empty.txt", "# nothing\n");
  EXPECT_THAT(refusal({"@l/empty.txt"}), HasSubstr("names no file"));
  make("l/broken.txt", "absent.png\n");
  EXPECT_THAT(refusal({"@l/broken.txt"}), HasSubstr("l/absent.png: cannot open"));
  make("l/binary.txt", std::string("x.png\0y", 7));
  EXPECT_THAT(message_of<FormatError>([&] { expand({"@l/binary.txt"}); }),
              HasSubstr("l/binary.txt: is not a list"));
  EXPECT_THAT(refusal({"@absent.txt"}), HasSubstr("absent.txt: cannot open"));
  EXPECT_THAT(refusal({"@l"}), HasSubstr("folder"));
}

TEST_F(Inputs, StarsStandForAllFoldersBelow) {
  for (const char* name :
       {"f/1.png", "f/a/2.jpg", "f/a/b/3.png", "f/a/note.txt", "f/.hidden/4.png", "f/a/.5.png"})
    make(name);
  EXPECT_THAT(expand({"f/**"}), ElementsAre("f/1.png", "f/a/2.jpg", "f/a/b/3.png"));
  EXPECT_THAT(expand({"f/**/*.png"}), ElementsAre("f/1.png", "f/a/b/3.png"));
  EXPECT_THAT(refusal({"f/**/*.tif"}), HasSubstr("no image in this folder or below it"));
  EXPECT_THAT(refusal({"f/**.png"}), HasSubstr("** stands for all folders below"));
  EXPECT_THAT(refusal({"f/**/a/*.png"}), HasSubstr("** stands for all folders below"));
}

TEST_F(Inputs, AMissingFileAmongSeveralIsKept) {
  make("a.png");
  make("list", "a.png\nabsent.png\n");
  EXPECT_THAT(expand({"absent.png", "a.png"}), ElementsAre("absent.png", "a.png"));
  EXPECT_THAT(expand({"@list"}), ElementsAre("a.png", "absent.png"));
}

TEST_F(Inputs, CamerasAndStreamsStandForThemselvesWhereVideosDo) {
  for (const InputKind& kind : {video_files(), image_and_video_files()})
    for (const char* live : {"rtsp://camera/1", "camera:0", "http://host/a?b=*"})
      EXPECT_THAT(expand_inputs(std::array{std::string(live)}, kind), ElementsAre(live));
  const auto message = [](const std::string& word, const InputKind& kind) {
    return message_of<IoError>([&] { expand_inputs(std::array{word}, kind); });
  };
  EXPECT_THAT(message("rtsp://me:secret@camera/1", image_files()),
              AllOf(HasSubstr("rtsp://***@camera/1: is a camera or the address of a stream"),
                    testing::Not(HasSubstr("secret"))));
  EXPECT_THAT(message("ftp://camera/1", video_files()), HasSubstr("expected rtsp://"));
  EXPECT_THAT(message("ftp://" + std::string(100000, 'x'), video_files()).size(),
              testing::Lt(400U));
}

TEST_F(Inputs, AListNamesNoCameraAndNoStream) {
  for (const char* live : {"rtsp://me:secret@host/1", "http://host/v.mp4", "camera:0"}) {
    make("list", std::string("a.png\n") + live + "\n");
    for (const InputKind& kind : {image_files(), image_and_video_files()})
      EXPECT_THAT(message_of<IoError>([&] { expand({"@list"}, kind); }),
                  AllOf(HasSubstr("given as the input itself"), HasSubstr(source_name(live))))
          << live;
  }
}

TEST_F(Inputs, FailuresNameTheWord) {
  make("f/note.txt");
  EXPECT_THAT(refusal({"absent.png"}), AllOf(HasSubstr("absent.png: "), HasSubstr("No such file")));
  EXPECT_THAT(refusal({"f"}), AllOf(HasSubstr("/f: no image"), HasSubstr(".png .jpg")));
  EXPECT_THROW(expand_inputs(std::vector<std::string>{""}, image_files()), IoError);
}

}  // namespace
}  // namespace fovea::io
