// The entries of fovea-demo in its table of commands.
// Covers: commands
#include "cli/program/every_command.h"

namespace fovea::cli {
namespace {

INSTANTIATE_TEST_SUITE_P(Demo, EveryCommand, testing::ValuesIn(entries_of({"demo"})), test_name);

}  // namespace
}  // namespace fovea::cli
