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
  EXPECT_EQ(count, 1 + systems().size() + commands().size());
  EXPECT_EQ(run_here({"man", "fovea-ops-gradeint"}).err,
            "fovea: there is no manual page 'fovea-ops-gradeint'; did you mean "
            "fovea-ops-gradient?\n");
}

TEST(Manual, TakesWordsAsHelpDoes) {
  const Ended verb = run_here({"man", "people", "detect"});
  EXPECT_EQ(verb.status, kDone) << verb.err;
  EXPECT_EQ(verb.out, run_here({"man", "fovea-people-detect"}).out);
  EXPECT_EQ(run_here({"man", "info"}).out, run_here({"man", "fovea-info"}).out);

  const Ended system = run_here({"man", "people"});
  EXPECT_EQ(system.status, kDone) << system.err;
  EXPECT_TRUE(system.out.starts_with(".TH FOVEA\\-PEOPLE 1 ")) << system.out;
  for (const Command* command : verbs_of("people")) {
    std::string name = command->name();  // troff writes a hyphen with a backslash
    if (const auto hyphen = name.find('-'); hyphen != std::string::npos) name.insert(hyphen, "\\");
    EXPECT_NE(system.out.find(name), std::string::npos) << name;
  }

  const Ended unknown = run_here({"man", "people", "detec"});
  EXPECT_EQ(unknown.status, kUsage);
  EXPECT_EQ(unknown.err,
            "fovea: there is no manual page 'fovea-people-detec'; did you mean "
            "fovea-people-detect?\n");
}

}  // namespace
}  // namespace fovea::cli
