// The program as a function.
#pragma once
#include <string>
#include <vector>

#include "cli/program/console.h"

namespace fovea::cluster {
struct JobIdentity;
}

namespace fovea::cli {

enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kBadInput = 3,          // an input is unreadable or malformed
  kNoDevice = 4,          // the chosen device is not available
  kSomeFailed = 5,        // some inputs failed, and are named; the others are done
  kMoreToDo = 6,          // goes on after another command, which is named
  kInterrupted = 130,     // by a signal; what was finished is kept
  kReaderGone = 128 + 13  // a shell reports this for a program that SIGPIPE ended
};

// The exit status for an error; errors are mapped to statuses only here.
ExitStatus status_of(const std::exception& error);

class Journal;
struct Context;
// A command as a manifest has it, and what the user says to it.
struct RecordedCommand {
  const std::vector<std::string>& words;
  const cluster::JobIdentity& job;
  std::string output{};  // where files go that all inputs share; empty: where the words say
  bool trust = false;    // the words may name outputs anywhere
};
// Runs it again, with the results in the journal instead of work. Throws InvalidArgument where
// options, or the models and other files that they name, are not those of the job, and where the
// words name an output that does not lie below the current folder.
int run_again(const RecordedCommand& recorded, Journal& journal, const Context& context);

// Runs the program; `args` are the words after its name. Never throws.
int run(const std::vector<std::string>& args, const Streams& streams);

// The same with the streams, terminal, environment and signals of this process, with which nothing
// else deals.
int run_process(const std::vector<std::string>& args);

}  // namespace fovea::cli
