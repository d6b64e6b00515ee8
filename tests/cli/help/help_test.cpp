#include "cli/help/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(Wrap, BreaksBetweenWords) {
  const std::string word(30, 'x');
  EXPECT_EQ(wrap(word + " " + word + " " + word, 4), word + " " + word + "\n    " + word);
  EXPECT_EQ(wrap("", 4), "");
}

TEST(Wrap, IsAsWideAsAsked) {
  EXPECT_EQ(wrap("one two three", 0, 7), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 0, 120), "one two three");
}

struct Things {
  bool clean = true;
  bool fresh = true;
  bool old = false;
  std::optional<double> weight{};
  std::optional<double> limit = 3;
  std::string folder{};
  int count = 1048576;
};
void describe(OptionVisitor& visit, Things& things) {
  visit("clean", things.clean, "clean the things", {.off_help = "keep the dirt"});
  visit("fresh", things.fresh, "only fresh things");
  visit("old", things.old, "old things too");
  visit("weight", things.weight, "how heavy", 0, 2, {.absent = "as heavy as it is"});
  visit("limit", things.limit, "how many at most", 0, 9, {.absent = "no limit"});
  visit.path("folder", things.folder, TextUse::kFolder, "where they are");
  visit("count", things.count, "how many", 0, 2097152);
}

TEST(Help, SaysWhatAFlagTurnsOffAndWhatIsAbsent) {
  Things things;
  std::vector<OptionField> fields;
  for_each_option(things, [&](const OptionField& field) { fields.push_back(field); });
  std::string text;
  for (const OptionLine& line : option_lines(fields)) text += line.form + ": " + line.help + "\n";
  EXPECT_EQ(text,
            "--no-clean: keep the dirt\n"
            "--no-fresh: turn off: only fresh things\n"
            "--old: old things too\n"
            "--weight X: how heavy (0 to 2; default: as heavy as it is)\n"
            "--limit X: how many at most (0 to 9; default 3; '' is no limit)\n"
            "--folder DIR: where they are\n"
            "--count N: how many (0 to 2097152; default 1048576)\n");
}

TEST(Help, OverviewNamesEverything) {
  const std::string help = help_overview();
  for (const Command& command : commands())
    EXPECT_NE(help.find(command.name()), std::string::npos) << command.name();
  EXPECT_EQ(run_here({}).out, help);
  EXPECT_EQ(run_here({"--help"}).out, help);
  EXPECT_EQ(run_here({"help"}).out, help);
  EXPECT_EQ(run_here({"ops"}).out, help_system("ops"));
  EXPECT_EQ(run_here({"ops", "--help"}).out, help_system("ops"));
}

TEST(Help, ANumberOfPartsHasAShortForm) {
  EXPECT_THAT(run_here({"mesh", "segment", "--help"}).out, testing::HasSubstr("-k, --parts"));
  EXPECT_THAT(run_here({"emd", "track", "--help"}).out,
              testing::Not(testing::HasSubstr("-k, --parts")));
}

}  // namespace
}  // namespace fovea::cli
