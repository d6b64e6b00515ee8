// What the parts of fovea people eval pass to each other: the models and images, the detections of
// each model, and the report.
#pragma once
#include <fovea/people/measure.h>
#include <fovea/report/evaluation_page.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/people/people.h"

namespace fovea::cli {

struct EvalRequest {
  std::vector<std::string> models{"channels"};  // each MODEL or LABEL=MODEL
  std::string images{};                         // images with annotated people
  std::string annotations{};
  std::string crops{};      // windows with a person in their middle
  std::string negatives{};  // images without people
  std::string output{};
  std::string calibrate{};   // the model that is written with a calibration
  std::vector<int> lower{};  // MeasureOptions::lower: of all models, or of each
  int sheet = 24;            // pictures in each contact sheet
  people::AnnotationOptions annotation{};
  people::MeasureOptions measure{};
};
void describe(OptionVisitor& visit, EvalRequest& request);

struct EvalModel {
  std::string label;
  std::string name;  // as the user wrote it
  std::shared_ptr<const people::Model> model;
};
std::vector<EvalModel> read_eval_models(const std::vector<std::string>& words);

// The images that all models are measured on.
struct EvalImages {
  std::vector<std::string> paths;
  std::vector<people::AnnotatedImage> truth;  // one per image; images without people have nobody
  people::StoredImages files{{}};             // of the paths
};

// What was measured for one model.
struct EvalResult {
  EvalModel model;
  people::ScanCounts counts{};
  double seconds = 0;
  // Measured on images.
  double lowest_score = 0;
  int lower = 0;            // the MeasureOptions::lower to search with next,
  bool unfinished = false;  // where another search is needed
  std::vector<people::EvaluatedImage> found{};
  people::ImageReport images{};
  // Measured on windows.
  people::WindowReport windows{};
  std::vector<people::StageCount> stages{};  // the stages of a cascade
};

// The options for the model with this number.
people::MeasureOptions measure_options(const EvalRequest& request, const Exec& exec,
                                       std::size_t model);
EvalResult measure_on_images(const EvalModel& model, const EvalImages& images,
                             const people::MeasureOptions& options);
// The same for all models with a manifest, whose images are the units; nothing where it is that of
// a shard.
std::vector<EvalResult> measure_recorded(const std::vector<EvalModel>& models,
                                         const EvalImages& images, const EvalRequest& request,
                                         Context& context);

struct EvalWindows {
  people::StoredImages crops{{}};
  people::StoredImages negatives{{}};
};
EvalResult measure_on_windows(const EvalModel& model, const EvalWindows& windows,
                              const people::MeasureOptions& options);

// A curve by its name, and the file that has all points of some of them; `kind` is the title of the
// column of names.
using MissRates = std::pair<std::string, const std::vector<people::CurvePoint>*>;
void write_miss_rates(const std::string& path, const std::string& kind, bool windows,
                      const std::vector<MissRates>& curves);

// "log-average miss rate 23.1 % (deviation 1.2), average precision 80.2 %"
std::string miss_rate_text(const EvalResult& result, bool windows);

// What the models are and what was measured, as tables.
std::vector<report::Table> people_tables(const std::vector<EvalResult>& results, bool windows);
// Nothing for models that are no cascades.
std::optional<report::Table> stages_table(const EvalResult& result);
// The blocks of each stage and what is rejected, also as blocks_NAME.svg and rejected_NAME.svg.
report::EvaluationPictures stages_pictures(const EvalResult& result, const std::string& name);

// All of it as fovea view shows it. `images` is null where windows were measured.
report::Evaluation people_evaluation(const EvalRequest& request,
                                     const std::vector<EvalResult>& results,
                                     const EvalImages* images);

// Writes the folder: that of every evaluation, curve.csv, and detections as COCO JSON. `images` is
// null where windows were measured.
void write_eval_folder(const EvalRequest& request, const Context& context,
                       const std::vector<EvalResult>& results, const EvalImages* images);

}  // namespace fovea::cli
