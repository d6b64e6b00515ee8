// The entries of fovea-bench in its table of commands.
// Covers: commands
#include "cli/program/every_command.h"

namespace fovea::cli {
namespace {

INSTANTIATE_TEST_SUITE_P(Bench, EveryCommand, testing::ValuesIn(entries_of({"bench"})), test_name);

}  // namespace
}  // namespace fovea::cli
