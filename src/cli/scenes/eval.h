// The options and results of fovea scenes eval, and its page.
#pragma once
#include <fovea/report/page.h>
#include <fovea/scenes/evaluate.h>

#include <string>
#include <vector>

namespace fovea::cli {

struct ScenesEvalRequest {
  scenes::SplitOptions split{};
  std::string train{};
  std::string test{};
  std::string model{};
  std::string labels{};
  std::string output{};
  scenes::EvaluateOptions evaluate{};
};
void describe(OptionVisitor& visit, ScenesEvalRequest& request);

struct ScenesEvalResult {
  std::vector<std::string> classes;
  scenes::EvaluateReport evaluation;
  int images = 0;
};

// Writes confusion.csv, confusion.svg, index.html and, for knn, neighbors.csv and neighbors.svg
// into the folder. `provenance` stands at the foot of the page.
void write_scenes_evaluation(const std::string& folder, const ScenesEvalResult& result,
                             const report::Provenance& provenance);

}  // namespace fovea::cli
