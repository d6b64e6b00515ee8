#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// What bash offers for the last word of a command line, in a folder with one file.
std::vector<std::string> offered(const std::string& words) {
  const test::TempFolder folder;
  test::save(folder / "script", run_here({"completion", "bash"}).out);
  std::filesystem::create_directory(folder / "work");
  test::save(folder / "work/photo one.pgm", "");
  const std::string script = "cd " + (folder / "work") + " && source ../script && COMP_WORDS=(" +
                             words +
                             ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _fovea && printf "
                             "'%s\\n' \"${COMPREPLY[@]}\"";
  const Ended ended = Process({"bash", "-c", script}).wait();
  EXPECT_EQ(ended.err, "");
  std::istringstream lines(ended.out);
  std::vector<std::string> replies;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) replies.push_back(line);
  }
  return replies;
}

TEST(BashCompletion, SystemsVerbsAndHelp) {
  EXPECT_THAT(offered("fovea ''"), Contains("ops"));
  EXPECT_THAT(offered("fovea ''"), Contains("info"));
  EXPECT_THAT(offered("fovea be"), ElementsAre("bench"));
  EXPECT_THAT(offered("fovea ops ''"), Contains("gradient"));
  EXPECT_THAT(offered("fovea ops grad"), ElementsAre("gradient"));
  EXPECT_THAT(offered("fovea man fovea-ops-g"), ElementsAre("fovea-ops-gradient"));
  EXPECT_THAT(offered("fovea man op"), ElementsAre("ops"));
  EXPECT_THAT(offered("fovea man ops grad"), ElementsAre("gradient"));
  EXPECT_THAT(offered("fovea man --l"), ElementsAre("--list"));
  EXPECT_THAT(offered("fovea help op"), ElementsAre("ops"));
  EXPECT_THAT(offered("fovea help ops grad"), ElementsAre("gradient"));
}

TEST(BashCompletion, OptionsOfTheVerb) {
  EXPECT_THAT(offered("fovea ops gradient --ke"), ElementsAre("--kernel"));
  EXPECT_THAT(offered("fovea ops gradient x --"), Contains("--device"));
  EXPECT_THAT(offered("fovea info --"), Contains("--json"));
  EXPECT_THAT(offered("fovea info --"), Not(Contains("--device")));
}

TEST(BashCompletion, ValuesOfChoices) {
  EXPECT_THAT(offered("fovea ops gradient --kernel ''"),
              UnorderedElementsAre("centered", "sobel", "scharr"));
  EXPECT_THAT(offered("fovea ops gradient --kernel = so"), ElementsAre("sobel"));
  EXPECT_THAT(offered("fovea ops gradient --kernel ="), Contains("scharr"));
  EXPECT_THAT(offered("fovea ops blur --device c"), UnorderedElementsAre("cpu", "cuda"));
  EXPECT_THAT(offered("fovea completion ''"), UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST(BashCompletion, FilesWhereFilesBelong) {
  EXPECT_THAT(offered("fovea ops gradient pho"), ElementsAre("photo one.pgm"));
  EXPECT_THAT(offered("fovea ops gradient x -o ''"), ElementsAre("photo one.pgm"));
  EXPECT_THAT(offered("fovea ops gradient --config ''"), ElementsAre("photo one.pgm"));
  EXPECT_THAT(offered("fovea ops gradient --bins ''"), IsEmpty());
}

TEST(BashCompletion, NamesOfShippedModels) {
  EXPECT_THAT(offered("fovea people detect --model people/ch"), ElementsAre("people/channels"));
  EXPECT_THAT(offered("fovea people eval --model people/c"),
              UnorderedElementsAre("people/cascade", "people/channels"));
  EXPECT_THAT(offered("fovea scenes classify --model scenes/su"), Contains("scenes/sun8"));
  EXPECT_THAT(offered("fovea actions recognize --model actions/"), Contains("actions/weizmann"));
  EXPECT_THAT(offered("fovea people detect --model pho"), ElementsAre("photo one.pgm"))
      << "a model may be a file";
}

TEST(BashCompletion, OnlyFoldersWhereFoldersBelong) {
  EXPECT_THAT(offered("fovea flow scene -o ''"), IsEmpty()) << "there is no folder";
}

class OtherShell : public testing::TestWithParam<const char*> {};

TEST_P(OtherShell, ScriptIsSound) {
  const std::string shell = GetParam();
  const test::TempFolder folder;
  test::save(folder / "script", run_here({"completion", shell}).out);
  const Ended checked = Process({shell, "-n", folder / "script"}).wait();
  if (checked.status == 127) GTEST_SKIP() << shell << " is not installed";
  EXPECT_EQ(checked.status, 0);
  EXPECT_EQ(checked.err, "");
}

INSTANTIATE_TEST_SUITE_P(Shells, OtherShell, testing::Values("bash", "zsh", "fish"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace fovea::cli
