// What the parts of fovea people eval pass to each other: the models and images, the detections of
// each model, and the report.
#pragma once
#include <fovea/people/evaluate.h>

#include <functional>
#include <memory>
#include <string>
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
  int sheet = 24;  // pictures in each contact sheet
  people::DetectOptions detect{};
  people::AnnotationOptions annotation{};
  people::EvaluateOptions measure{};
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
  io::ImageReadOptions read{};
};

// How many windows of some images reached a stage of a cascade, and how many passed it.
struct StageCount {
  int blocks = 0;
  std::int64_t reached = 0;
  std::int64_t passed = 0;
};

// What was measured for one model.
struct EvalResult {
  EvalModel model;
  people::ScanCounts counts{};
  double seconds = 0;
  // Measured on images.
  double lowest_score = 0;
  std::vector<people::EvaluatedImage> found{};
  people::ImageReport images{};
  // Measured on windows.
  people::WindowReport windows{};
  std::vector<StageCount> stages{};  // the stages of a cascade
};

// Calls work(worker, index) for every index on several threads. The exception of the first index
// that failed is thrown; progress is reported from the calling thread.
using EvalWork = std::function<void(std::size_t worker, std::size_t index)>;
void for_each_in_threads(const Exec& exec, std::string_view stage, std::size_t count,
                         const EvalWork& work);
// The number of workers that this uses.
std::size_t eval_workers(const Exec& exec);

EvalResult measure_on_images(const EvalModel& model, const EvalImages& images,
                             const EvalRequest& request, const Exec& exec);

struct EvalWindows {
  std::vector<std::string> crops;
  std::vector<std::string> negatives;
  io::ImageReadOptions read{};
};
EvalResult measure_on_windows(const EvalModel& model, const EvalWindows& windows,
                              const EvalRequest& request, const Exec& exec);

// Adds windows to the counts of a cascade's stages, by their scores. For other models it does
// nothing.
void count_stages(const people::Model& model, std::span<const float> scores,
                  std::vector<StageCount>& stages);

// Writes the folder: curve.csv, curve.svg, detections as COCO JSON, index.html. `images` is null
// where windows were measured.
void write_eval_folder(const EvalRequest& request, const Context& context,
                       const std::vector<EvalResult>& results, const EvalImages* images);

}  // namespace fovea::cli
