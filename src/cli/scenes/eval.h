// The options and results of fovea scenes eval, and its page.
#pragma once
#include <fovea/scenes/evaluate.h>

#include <string>
#include <vector>

namespace fovea::cli {

struct ScenesEvalRequest {
  int splits = 20;
  double share = 0.8;
  std::string train{};
  std::string test{};
  std::string model{};
  std::string output{};
  scenes::EvaluateOptions evaluate{};
};
void describe(OptionVisitor& visit, ScenesEvalRequest& request);

struct ScenesEvalResult {
  std::vector<std::string> classes;
  scenes::EvaluationReport evaluation;
  int images = 0;
  double seconds = 0;
};

// What made the page, for its last lines.
struct ScenesEvalRun {
  std::string command;
  std::string options;
  std::string device;
  std::uint64_t seed = 0;
};

// Writes confusion.csv, confusion.svg, index.html and, for knn, neighbors.csv and neighbors.svg
// into the folder.
void write_scenes_evaluation(const std::string& folder, const ScenesEvalResult& result,
                             const ScenesEvalRun& run);

}  // namespace fovea::cli
