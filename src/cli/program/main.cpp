#include "cli/program/run.h"

int main(int argc, char** argv) {
  return fovea::cli::run_process({argv + (argc > 0 ? 1 : 0), argv + argc});
}
