// The options and results of fovea scenes eval, and its page.
#pragma once
#include <fovea/report/page.h>
#include <fovea/scenes/evaluate.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

struct ScenesEvalRequest {
  scenes::SplitOptions split{};
  std::string train{};
  std::string test{};
  std::string model{};
  std::string labels{};
  std::string output{};
  std::vector<std::string> sweep_samples{};
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

// What a sweep over numbers of samples runs with.
struct SweepRun {
  Context& context;
  scenes::ImageFailure failed;        // for the first number,
  scenes::ImageFailure failed_again;  // and for the others
};
// Evaluates every number of samples of the request, prints a table and writes samples.csv,
// samples.svg and index.html into the folder of the request, if it has one.
void sweep_samples(const ScenesEvalRequest& request, const scenes::SplitCorpus& task,
                   const io::ImageSet& images, const SweepRun& run);

}  // namespace fovea::cli
