#include <gtest/gtest.h>

#include <sstream>

#include "cli/program/command.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

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
