// The folder of an evaluation of scenes: accuracy against K (figure 6 of Chen), the confusion
// matrix (figure 7), as numbers and pictures, and a page with both.
#include <fovea/io/csv_writer.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/scenes/eval.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

std::string confusion_svg(const ScenesEvalResult& result) {
  const Confusion& total = result.evaluation.total;
  return report::to_svg(report::MatrixChart{.title = "Confusion",
                                            .values = {total.counts.begin(), total.counts.end()},
                                            .rows = total.classes,
                                            .columns = total.classes,
                                            .row_labels = result.classes,
                                            .column_labels = result.classes,
                                            .row_title = "true class",
                                            .column_title = "predicted class",
                                            .value_title = "share of the true class",
                                            .normalize_rows = true,
                                            .width = 720});
}

std::string neighbors_svg(const scenes::EvaluateReport& evaluation) {
  report::Series series{.name = "accuracy"};
  for (std::size_t i = 0; i < evaluation.neighbors.size(); ++i) {
    series.x.push_back(evaluation.neighbors[i]);
    series.y.push_back(100 * evaluation.neighbors_accuracy[i]);
  }
  return report::to_svg(report::LineChart{.title = "Accuracy against the number of neighbors",
                                          .x = {.title = "K"},
                                          .y = {.title = "accuracy (%)", .high = 100},
                                          .series = {series}});
}

void write_confusion_csv(const fs::path& path, const ScenesEvalResult& result) {
  io::FileSink file(path.string());
  std::vector<std::string> header{"true class"};
  header.insert(header.end(), result.classes.begin(), result.classes.end());
  io::CsvWriter csv(file.sink(), header);
  const Confusion& total = result.evaluation.total;
  for (int truth = 0; truth < total.classes; ++truth) {
    csv.field(result.classes[static_cast<std::size_t>(truth)]);
    for (int predicted = 0; predicted < total.classes; ++predicted)
      csv.field(total.at(truth, predicted));
    csv.end_row();
  }
  file.commit();
}

void write_neighbors_csv(const fs::path& path, const scenes::EvaluateReport& evaluation) {
  io::FileSink file(path.string());
  io::CsvWriter csv(file.sink(), {"neighbors", "accuracy"});
  for (std::size_t i = 0; i < evaluation.neighbors.size(); ++i)
    csv.row(evaluation.neighbors[i], evaluation.neighbors_accuracy[i]);
  file.commit();
}

}  // namespace

void write_scenes_evaluation(const std::string& folder, const ScenesEvalResult& result,
                             const Context& context) {
  const fs::path to(folder);
  make_folder(folder);
  write_evaluation_result((to / "evaluation.json").string(), context, scenes_evaluation(result));
  const scenes::EvaluateReport& evaluation = result.evaluation;
  report::Page page("Scenes", fmt::format("{} images of {} classes, {} splits", result.images,
                                          result.classes.size(), evaluation.splits.size()));
  page.section("Accuracy")
      .facts(
          {{"mean", fmt::format("{:.2f} %", 100 * evaluation.accuracy_mean)},
           {"deviation between splits", fmt::format("{:.2f}", 100 * evaluation.accuracy_deviation)},
           {"images that could not be read", std::to_string(evaluation.failed)}});
  report::Table table{.caption = "Each class", .columns = {{"class"}, {"recall", "%"}}};
  const std::vector<double> recall = evaluation.total.recall();
  for (std::size_t c = 0; c < result.classes.size(); ++c)
    table.rows.push_back({result.classes[c], {100 * recall[c], 3}});
  page.table(table);
  const std::string confusion = confusion_svg(result);
  write_text((to / "confusion.svg").string(), confusion);
  write_confusion_csv(to / "confusion.csv", result);
  page.section("Confusion")
      .figure(report::Figure::chart(confusion,
                                    {"Rows are true classes, columns are predicted classes."}));
  if (!evaluation.neighbors.empty()) {
    const std::string neighbors = neighbors_svg(evaluation);
    write_text((to / "neighbors.svg").string(), neighbors);
    write_neighbors_csv(to / "neighbors.csv", evaluation);
    page.section("Neighbors")
        .figure(report::Figure::chart(neighbors, {"The mean over the splits for each K."}));
  }
  page.provenance(page_provenance(context));
  page.write((to / "index.html").string());
}

}  // namespace fovea::cli
