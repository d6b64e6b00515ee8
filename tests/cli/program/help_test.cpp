#include "cli/program/help.h"

#include <gtest/gtest.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(Wrap, BreaksBetweenWords) {
  const std::string word(30, 'x');
  EXPECT_EQ(wrap(word + " " + word + " " + word, 4), word + " " + word + "\n    " + word);
  EXPECT_EQ(wrap("", 4), "");
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

}  // namespace
}  // namespace fovea::cli
