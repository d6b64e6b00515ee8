// fovea bench actions --paper: tables 2, 3 and 4 of the paper, measured here and as printed there.
#pragma once
#include <string>

#include "bench/bench.h"

namespace fovea::cli {

struct ActionsPaperOptions {
  BenchOptions bench{};
  bool paper = false;
  std::string corpus{};  // folder or list of clips, for the rates of table 4
  bool cut_first = false;
};
void describe(OptionVisitor& visit, ActionsPaperOptions& options);

// Measures and prints the tables; returns the exit status.
int run_actions_paper(const ActionsPaperOptions& options, Context& context);

}  // namespace fovea::cli
