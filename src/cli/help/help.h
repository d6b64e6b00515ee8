// Help on three levels (program, system and command), made from the table of commands.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

inline constexpr std::size_t kHelpColumns = 80;

std::string help_overview(std::size_t columns = kHelpColumns);
// Throws InvalidArgument where there is no such system.
std::string help_system(std::string_view system, std::size_t columns = kHelpColumns);
std::string help_command_text(const Command& command, std::size_t columns = kHelpColumns);

// Breaks `text` between words into lines of at most `columns`; lines after the first are indented.
std::string wrap(std::string_view text, std::size_t indent, std::size_t columns = kHelpColumns);

// An option as it is written ("-o, --output OUT", "--no-clean") and its explanation.
struct OptionLine {
  std::string form;
  std::string help;  // with range and default, where they are useful
};
std::vector<OptionLine> option_lines(const std::vector<OptionField>& fields);

// The name of a command's manual page without its section, such as "fovea-ops-gradient".
std::string page_name(const Command& command);
// All manual pages: the overview, the systems, the commands.
std::vector<std::string> page_names();

struct StatusLine {
  int status;
  std::string_view meaning;
};
const std::vector<StatusLine>& exit_statuses();

}  // namespace fovea::cli
