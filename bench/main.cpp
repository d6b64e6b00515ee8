// fovea-bench, which measures speed. fovea bench starts it with the words that follow.
#include "cli/program/run.h"

int main(int argc, char** argv) {
  std::vector<std::string> words{"bench"};
  if (argc > 0) words.insert(words.end(), argv + 1, argv + argc);
  return fovea::cli::run_process(words);
}
