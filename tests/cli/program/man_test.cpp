#include <gtest/gtest.h>

#include <sstream>

#include "cli/program/command.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(Manual, HasADate) {
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(run_here({"man"}).out.substr(0, 14), ".TH FOVEA 1 \"2");
  setenv("SOURCE_DATE_EPOCH", "86400", 1);
  EXPECT_TRUE(run_here({"man"}).out.starts_with(".TH FOVEA 1 \"1970-01-02\" "));
  setenv("SOURCE_DATE_EPOCH", "soon", 1);
  EXPECT_EQ(run_here({"man"}).out.substr(0, 14), ".TH FOVEA 1 \"2");
  unsetenv("SOURCE_DATE_EPOCH");
}

TEST(Manual, ListsEveryPage) {
  const Ended list = run_here({"man", "--list"});
  std::istringstream lines(list.out);
  std::size_t count = 0;
  for (std::string page; std::getline(lines, page); ++count)
    EXPECT_EQ(run_here({"man", page}).status, kDone) << page;
  EXPECT_EQ(count, commands().size() + 1);
  EXPECT_EQ(run_here({"man", "fovea-ops-gradeint"}).err,
            "fovea: there is no manual page 'fovea-ops-gradeint'; did you mean "
            "fovea-ops-gradient?\n");
}

}  // namespace
}  // namespace fovea::cli
