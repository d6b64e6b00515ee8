#include "cli/program/output_paths.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OutputPaths, OneInput) {
  const test::TempFolder folder;
  EXPECT_THAT(output_paths("b.png", {"x/a.jpg"}), ElementsAre("b.png"));
  EXPECT_THAT(output_paths(folder.path(), {"x/a.jpg"}), ElementsAre(folder / "a.jpg"));
  EXPECT_THAT(output_paths(folder / "new/", {"x/a.jpg"}), ElementsAre(folder / "new/a.jpg"));
  EXPECT_THAT(output_paths(folder.path(), {"x/a.jpg"}, ".npy"), ElementsAre(folder / "a.npy"));
  EXPECT_THAT(output_paths(folder.path(), {"-"}), ElementsAre(folder / "stdin.png"));
  EXPECT_THAT(output_paths(folder / "{}-b.tif", {"x/a.jpg"}), ElementsAre(folder / "a-b.tif"));
  EXPECT_THAT(output_paths(folder / "fresh", {"x/a.bmp"}), ElementsAre(folder / "fresh/a.png"));
  EXPECT_THAT(output_paths(folder / "fresh", {"x/a.webp"}), ElementsAre(folder / "fresh/a.png"));
  EXPECT_THAT(output_paths("/dev/null", {"x/a.jpg"}), ElementsAre("/dev/null"));
  EXPECT_THAT(output_paths("-", {"x/a.jpg"}), ElementsAre("-"));
}

TEST(OutputPaths, InputsOfOneNameKeepTheirFolders) {
  const test::TempFolder folder;
  EXPECT_THAT(output_paths(folder / "out", {"p/x/a.png", "p/y/a.png", "p/b.png"}),
              ElementsAre(folder / "out/x/a.png", folder / "out/y/a.png", folder / "out/b.png"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "out/y"));
}

TEST(OutputPaths, InputsAreNotReplaced) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  EXPECT_THAT(test::message_of<InvalidArgument>(
                  [&] { output_paths(folder.path() + "/.", {folder / "a.png"}); }),
              HasSubstr("a.png is an input and would be replaced by a result"));
  EXPECT_THROW(output_paths(folder / "a.png", {folder / "a.png"}), InvalidArgument);
  EXPECT_NO_THROW(output_paths(folder / "b.png", {folder / "a.png"}));
}

TEST(OutputPaths, MustNotCollide) {
  const test::TempFolder folder;
  EXPECT_EQ(test::message_of<InvalidArgument>([&] {
              output_paths("c.png", {"a.png", "b.png"});
            }),
            "-o c.png names one file, but there are 2 inputs; give a folder, or a pattern such as "
            "out/{}.png");
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                output_paths(folder.path(), {"x/a.png", "x/a.png"});
              }),
              HasSubstr("x/a.png and x/a.png would both be written to"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                output_paths(folder.path(), {"a.png", "a.jpg"}, ".npy");
              }),
              HasSubstr("a.png and a.jpg would both be written to"));
}

TEST(OutputPaths, VerbsWithOneOutputReplaceNoInputEither) {
  const test::TempFolder folder;
  ASSERT_EQ(run_here({"flow", "scene", "--size", "32x24", "-o", folder.path()}).status, kDone);
  const std::string a = folder / "frame10.png", b = folder / "frame11.png";
  const std::string flow = folder / "flow10.flo";
  const std::string before = test::load(a), field = test::load(flow);
  const std::vector<std::vector<std::string>> commands{
      {"flow", "lk", a, b, "-o", a},
      {"flow", "lk", a, b, "--picture", "wheel", b},
      {"flow", "show", flow, "--field", flow},
      {"flow", "show", flow, "--kind", "arrows", "--image", a, "-o", a},
      {"emd", "map", a, "--target", "1,1,2,2", "--picture", a},
      {"people", "show", a, "-o", a}};
  for (const auto& words : commands) {
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kUsage) << words[0] << " " << words[1] << ": " << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("is an input and would be replaced by a result"));
    EXPECT_EQ(test::load(a), before);
    EXPECT_EQ(test::load(flow), field);
  }
  EXPECT_EQ(run_here({"flow", "show", flow, "--field", flow, "--overwrite"}).status, kDone);
}

TEST(OutputPaths, FramesDoNotGoToTheFolderOfTheInputs) {
  const test::TempFolder folder;
  ASSERT_EQ(run_here({"flow", "scene", "--size", "32x24", "-o", folder.path()}).status, kDone);
  const test::TempFolder frames;
  for (const char* name : {"000000.png", "000001.png", "000002.png"})
    std::filesystem::copy(folder / "frame10.png", frames / name);
  const std::string before = test::load(frames / "000000.png");
  const std::string input = frames.path();
  const std::vector<std::vector<std::string>> commands{
      {"flow", "segment", input, "-o", input},
      {"flow", "segment", input, "--picture", input + "/"},
      {"flow", "lk", input, "-o", input, "--format", "png"},
      {"flow", "lk", input, "-o", folder / "fields", "--picture", "wheel", input},
      {"flow", "segment", frames / "000000.png", frames / "000001.png", frames / "000002.png", "-o",
       input},
      {"actions", "points", input, "--annotated", input}};
  for (const auto& words : commands) {
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kUsage) << words[0] << " " << words[1] << ": " << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("the folder has the inputs, which results could replace"));
    EXPECT_EQ(test::load(frames / "000000.png"), before);
  }
}

TEST(OutputPaths, OneFileIsNotWrittenByTwoOptions) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended = run_here({"emd", "map", folder / "a.png", "--target", "1,1,2,2", "-o",
                                folder / "m.tif", "--picture", folder / "m.tif"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("m.tif would be written twice, by -o and by --picture"));
  const Ended other = run_here({"emd", "map", folder / "a.png", "--target", "1,1,2,2", "-o",
                                folder / "m.tif", "--picture", folder / "./m.tif"});
  EXPECT_THAT(other.err, HasSubstr("m.tif would be written twice"));
}

}  // namespace
}  // namespace fovea::cli
