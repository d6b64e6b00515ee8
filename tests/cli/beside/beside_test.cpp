// The programs that fovea starts: where they are looked for, and what they are given.
// Covers: become, bench_named, demo_named
#include "cli/beside/beside.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A copy of fovea in a prefix of its own, with stand-ins for the programs beside it, which print
// where they stand and their words.
class Beside : public testing::Test {
 protected:
  Beside() {
    fs::create_directories(folder_ / "bin");
    std::error_code error;
    fs::create_hard_link(FOVEA_PROGRAM, fovea(), error);
    if (error) fs::copy_file(FOVEA_PROGRAM, fovea());
  }
  std::string fovea() const { return folder_ / "bin/fovea"; }
  void put(const std::string& place, const std::string& name) const {
    fs::create_directories(folder_ / place);
    const std::string file = folder_ / place + "/" + name;
    test::save(file, "#!/bin/sh\necho " + place + " \"$@\"\nexit 7\n");
    fs::permissions(file, fs::perms::owner_all);
  }
  Ended run_copy(std::vector<std::string> words) const {
    words.insert(words.begin(), {"env", "PATH=" + (folder_ / "path") + ":/usr/bin:/bin", fovea()});
    return Process(words).wait();
  }
  test::TempFolder folder_;
};

TEST_F(Beside, TheProgramBesideIsTakenFirstThenLibexecThenPath) {
  for (const char* place : {"path", "libexec/fovea", "bin"}) {
    put(place, "fovea-bench");
    const Ended ended = run_copy({"bench", "ops", "--filter", "a b", "--json"});
    EXPECT_EQ(ended.status, 7) << ended.err;
    EXPECT_EQ(ended.out, place + std::string(" ops --filter a b --json\n"));
  }
}

TEST_F(Beside, HelpIsThatOfTheProgram) {
  put("bin", "fovea-bench");
  put("bin", "fovea-demo");
  EXPECT_EQ(run_copy({"bench", "ops", "--help"}).out, "bin ops --help\n");
  EXPECT_EQ(run_copy({"help", "bench", "ops"}).out, "bin ops --help\n");
  EXPECT_EQ(run_copy({"help", "demo"}).out, "bin --help\n");
  EXPECT_EQ(run_copy({"demo", "-o", "x"}).out, "bin -o x\n");
}

TEST_F(Beside, WhereItIsMissingOneLineSaysWhatToBuild) {
  for (const std::string name : {"bench", "demo"}) {
    const Ended ended = run_copy(name == "bench" ? std::vector<std::string>{"bench", "ops"}
                                                 : std::vector<std::string>{"demo"});
    EXPECT_EQ(ended.status, kFailed);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr("fovea-" + name));
    EXPECT_THAT(ended.err, HasSubstr("make " + name));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1);
  }
  // What only needs names does not need the program.
  EXPECT_EQ(run_copy({"bench"}).status, kDone);
  EXPECT_EQ(run_copy({"bench", "zebra"}).status, kUsage);
  EXPECT_EQ(run_copy({"man", "bench", "ops"}).status, kDone);
}

TEST_F(Beside, AFileThatCannotRunIsPassedOver) {
  put("path", "fovea-demo");
  test::save(folder_ / "bin/fovea-demo", "no program");
  EXPECT_EQ(run_copy({"demo"}).out, "path\n");
}

TEST(BesideNames, AreInTheTableWithTheirSummaries) {
  for (const char* system : {"bench", "demo"}) {
    const std::vector<Command> named = named_commands(system);
    EXPECT_FALSE(named.empty());
    for (const Command& command : named) {
      const Command* entry = find_command(command.system, command.verb);
      ASSERT_NE(entry, nullptr) << command.name();
      EXPECT_EQ(entry->program, "fovea-" + std::string(system));
      EXPECT_EQ(entry->summary, beside_summary(command.system, command.verb));
    }
  }
  EXPECT_THROW(beside_summary("bench", "zebra"), InvalidArgument);
  EXPECT_EQ(find_beside("fovea-zebra"), "");
}

}  // namespace
}  // namespace fovea::cli
