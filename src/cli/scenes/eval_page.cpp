// The folder of an evaluation of scenes: what every evaluation has, and accuracy against K as CSV
// (figure 6 of Chen).
#include <filesystem>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/scenes/eval.h"

namespace fovea::cli {

void write_scenes_evaluation(const std::string& folder, const ScenesEvalResult& result,
                             const Context& context) {
  make_folder(folder);
  const scenes::EvaluateReport& evaluation = result.evaluation;
  if (!evaluation.neighbors.empty())
    write_csv_file((std::filesystem::path(folder) / "neighbors.csv").string(),
                   {"neighbors", "accuracy"}, [&](io::CsvWriter& csv) {
                     for (std::size_t i = 0; i < evaluation.neighbors.size(); ++i)
                       csv.row(evaluation.neighbors[i], evaluation.neighbors_accuracy[i]);
                   });
  write_evaluation_folder(folder, context, scenes_evaluation(result));
}

}  // namespace fovea::cli
