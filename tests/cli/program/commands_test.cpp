#include "cli/program/command.h"

#include <set>

#include "cli/program/every_command.h"

namespace fovea::cli {
namespace {

INSTANTIATE_TEST_SUITE_P(Table, EveryCommand, testing::ValuesIn(entries_of({})), test_name);

TEST(Table, EverySystemHasVerbsAndEveryVerbASystem) {
  std::set<std::string_view> names;
  for (const System& system : systems()) {
    EXPECT_FALSE(verbs_of(system.name).empty()) << system.name;
    names.insert(system.name);
  }
  for (const Command& command : commands())
    EXPECT_EQ(names.count(command.system), command.verb.empty() ? 0U : 1U) << command.name();
}

}  // namespace
}  // namespace fovea::cli
