// Verbs of programs beside this one, fovea-bench and fovea-demo: the users' program knows their
// names and what they do, and starts the program that does them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// What a verb does, in one line: for the program that does it and for the one that names it.
std::string_view beside_summary(std::string_view system, std::string_view verb = "");

// Entries of the table that name the verbs of a system and the program that does them.
std::vector<Command> named_commands(std::string_view system);

// The entries of the table of the running program. fovea-bench and fovea-demo define their own; all
// other programs name them (bench_named.cpp, demo_named.cpp), so that nothing of them is linked.
std::vector<Command> bench_commands();
std::vector<Command> demo_commands();

// The file of a program: beside the running one, in the libexec folder of the installation, or in
// PATH; empty where it is in none of them.
std::string find_beside(std::string_view program);

// Becomes the program that does a named command, with the words that follow the system. Throws
// Error where it is not there.
[[noreturn]] void start_beside(const Command& command, std::span<const std::string> words,
                               Console& console);

}  // namespace fovea::cli
