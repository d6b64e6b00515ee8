// fovea people eval: measures how well models find people, in images or in windows.
#include "cli/people/eval.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <set>

#include "cli/program/batch.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

std::vector<std::string> images_of(const std::string& word) {
  return io::expand_inputs(std::span(&word, 1), io::image_files());
}

EvalImages images_to_search(const EvalRequest& request, std::uint64_t max_pixels) {
  EvalImages images;
  images.paths = images_of(request.images);
  images.truth = people::annotations_of(images.paths, request.annotations, request.annotation);
  if (!request.negatives.empty()) {
    for (std::string& path : images_of(request.negatives)) {
      images.truth.push_back({.name = path});
      images.paths.push_back(std::move(path));
    }
  }
  const bool anybody =
      std::any_of(images.truth.begin(), images.truth.end(),
                  [](const people::AnnotatedImage& image) { return !image.people.empty(); });
  if (!anybody)
    throw FormatError(fmt::format("{}: has nobody with the label '{}' in {} images; see --label",
                                  request.annotations, request.annotation.label,
                                  images.paths.size()));
  images.files = people::StoredImages(images.paths, max_pixels);
  return images;
}

void check_request(const EvalRequest& request) {
  const bool images = !request.images.empty(), crops = !request.crops.empty();
  if (images == crops)
    throw InvalidArgument(
        "people eval needs either --images and --annotations, or --crops and --negatives");
  if (images && request.annotations.empty())
    throw InvalidArgument(
        "people eval needs --annotations with --images: a folder or file that says where people "
        "are");
  if (crops && request.negatives.empty())
    throw InvalidArgument("people eval needs --negatives with --crops: images without people");
  if (crops && !request.annotations.empty())
    throw InvalidArgument("--annotations go with --images; crops have none");
  if (request.calibrate.empty()) return;
  if (crops || request.models.size() > 1)
    throw InvalidArgument("--calibrate goes with --images and one model");
  if (std::filesystem::path(request.calibrate).extension() != ".safetensors")
    throw InvalidArgument(fmt::format("--calibrate {}: the name of a model ends in .safetensors",
                                      detail::shown(request.calibrate)));
}

// Passes fields on that not every result has: images and windows have different ones, and those of
// a single model are in the object itself. `after` is called with the name of each.
class SomeFields final : public FieldVisitor {
 public:
  using After = std::function<void(SomeFields& visit, std::string_view name)>;
  SomeFields(FieldVisitor& to, After after) : to_(to), after_(std::move(after)) {}

 private:
  void field(const Field& field) override {
    if (!seen_.emplace(field.name).second) return;  // a schema lists both kinds of result
    FieldTraits traits = field.traits;
    traits.later = true;
    FieldValue value = field.value;
    to_(field.name, value, field.help, traits);
    if (after_) after_(*this, field.name);
  }

  FieldVisitor& to_;
  After after_;
  std::set<std::string, std::less<>> seen_{};
};

// How one model differs from the first.
struct EvalDifference {
  std::string to{};
  double log_average_miss_rate = 0, standard_deviation = 0;
};
void describe(FieldVisitor& visit, EvalDifference& difference) {
  visit("to", difference.to, "the first model");
  visit("log_average_miss_rate", difference.log_average_miss_rate, "minus that of the first model");
  visit("standard_deviation", difference.standard_deviation,
        "of the difference, over the same bootstrap samples");
}

// What is printed of a model. Without a result it has the fields of all results.
struct EvalNumbers {
  const EvalResult* result = nullptr;
  const EvalResult* first = nullptr;
  const EvalRequest* request = nullptr;
};

// What stands between the numbers of images.
void visit_after(SomeFields& visit, std::string_view name, const EvalNumbers& numbers) {
  if (name == "standard_deviation" && numbers.result != numbers.first) {
    const people::ImageReport &measured = numbers.result->images, &first = numbers.first->images;
    EvalDifference difference{numbers.first->model.label,
                              measured.log_average_miss_rate - first.log_average_miss_rate,
                              people::paired_deviation(measured, first)};
    visit("difference", difference, "to the first model");
  } else if (name == "curve_ends_at") {
    people::EvaluateOptions options = numbers.request->measure.evaluate;
    visit("match_overlap", options.match_overlap, "least intersection over union of a match");
    visit("match_aspect", options.match_aspect, "to which boxes are set before; 0: to none");
  }
}

void describe(FieldVisitor& to, EvalNumbers& numbers) {
  static const EvalRequest kUsual;
  static const EvalResult kAny{.model = {"", "", std::make_shared<const people::Model>()}}, kOther;
  const bool all = numbers.result == nullptr;
  const EvalNumbers used = all ? EvalNumbers{&kAny, &kOther, &kUsual} : numbers;
  EvalModel model = used.result->model;
  SomeFields visit(to, [&](SomeFields& more, std::string_view name) {
    if (all || used.request->crops.empty()) visit_after(more, name, used);
  });
  visit("label", model.label, "the name of the model in the report");
  visit("model", model.name, "a shipped model or a file");
  describe(visit, const_cast<people::Model&>(*model.model));
  const EvalResult& result = *used.result;
  if (all || used.request->crops.empty()) {
    people::ImageMeasurement measured{.report = result.images,
                                      .found = {},
                                      .lowest_score = result.lowest_score,
                                      .counts = result.counts,
                                      .stages = result.stages,
                                      .seconds = result.seconds};
    describe(visit, measured);
  }
  if (all || !used.request->crops.empty()) {
    people::WindowMeasurement measured{result.windows, result.counts, result.stages,
                                       result.seconds};
    describe(visit, measured);
  }
}

// The model that --calibrate has written.
struct CalibratedModel {
  std::string output{};
  people::Calibration calibration{};
};
void describe(FieldVisitor& visit, CalibratedModel& written) {
  visit("output", written.output, "the file");
  describe(visit, written.calibration);
}

// All of it. The members of a single model are in the object itself, those of several models in a
// list.
struct EvalAnswer {
  std::vector<EvalNumbers> models{};  // none: the fields of all answers
  std::optional<std::string> page{};
  std::optional<CalibratedModel> calibrated{};
  report::Evaluation evaluation{};
};
void describe(FieldVisitor& visit, EvalAnswer& answer) {
  EvalNumbers none;
  if (answer.models.size() < 2) describe(visit, answer.models.empty() ? none : answer.models[0]);
  if (answer.models.size() != 1)
    visit("models", answer.models, "where there are several: the numbers of each", {.later = true});
  visit("page", answer.page, "the page of the report");
  visit("calibrated", answer.calibrated, "the model that was written with a calibration");
  visit("evaluation", answer.evaluation, "curves and worst mistakes, which fovea view shows");
}

// Nothing where no such model is asked for.
std::optional<CalibratedModel> write_calibrated(const EvalRequest& request,
                                                const EvalResult& result) {
  if (request.calibrate.empty()) return {};
  const people::Model model =
      people::calibrated(*result.model.model, result.found, result.images.matches);
  model.write(request.calibrate);
  return CalibratedModel{request.calibrate, *model.calibration};
}

void print_json(const EvalRequest& request, const Context& context,
                const std::vector<EvalResult>& results, const EvalImages* images,
                const std::optional<CalibratedModel>& calibrated) {
  EvalAnswer answer{.calibrated = calibrated,
                    .evaluation = people_evaluation(request, results, images)};
  for (const EvalResult& result : results)
    answer.models.push_back({&result, &results.front(), &request});
  if (!request.output.empty())
    answer.page = (std::filesystem::path(request.output) / "index.html").string();
  print_result(context, record_ref(answer));
}

// What a run with a manifest says where its scores are not low enough.
struct LowerScores {
  bool finished = false;
  std::vector<int> lower{};
  std::vector<std::string> unfinished{};
};
void describe(FieldVisitor& visit, LowerScores& needed) {
  visit("finished", needed.finished, "false: lower scores are needed");
  visit("lower", needed.lower, "the --lower with which all shards are to run again");
  visit("unfinished", needed.unfinished, "the models that need it");
}

std::string line_of(const EvalResult& result, const EvalRequest& request) {
  const std::int64_t weightless = result.counts.zero_weight_windows;
  const std::string work =
      fmt::format("{:.3g} million windows, {:.3g} evaluations per window{}{}",
                  1e-6 * static_cast<double>(result.counts.windows),
                  people::evaluations_per_window(result.counts),
                  result.seconds > 0 ? fmt::format(", {:.1f} s", result.seconds) : "",
                  weightless > 0 ? fmt::format(", {} left out of mean shift for a weight of 0",
                                               detail::counted(weightless, "window"))
                                 : "");
  const bool windows = !request.crops.empty();
  const std::string tested =
      windows ? detail::counted(result.windows.positives, "crop")
              : fmt::format("{} in {}", people_text(static_cast<std::size_t>(result.images.people)),
                            detail::counted(result.images.images, "image"));
  return fmt::format("{}: {}; {}, {}\n", result.model.label, miss_rate_text(result, windows),
                     tested, work);
}

// The rest of a curve that ends early is taken as constant, about which readers are warned.
void warn_of_short_curve(const EvalResult& result, Context& context) {
  const auto& curve = result.images.curve;
  const double end = curve.empty() ? 0 : curve.back().false_positives;
  if (end >= 1) return;
  context.console.note(
      fmt::format("{}: all scores from {:.3g} on give only {:.3g} false positives per image; from "
                  "there to 1 the curve is taken as constant",
                  result.model.label, result.lowest_score, end));
}

// A run with a manifest searches at one level. Where that is not enough, prints which one is next
// for each model, as JSON in any case: there is no result yet, and programs repeat the shards.
bool ask_for_lower_scores(const std::vector<EvalResult>& results, const Context& context) {
  if (std::ranges::none_of(results, &EvalResult::unfinished)) return false;
  LowerScores needed;
  for (const EvalResult& result : results) {
    needed.lower.push_back(result.lower);
    if (result.unfinished) needed.unfinished.push_back(result.model.label);
  }
  print_result(context, record_ref(needed));
  context.console.complain(
      fmt::format("{}: the scores that were searched do not reach 1 false positive per image; run "
                  "all shards again, with new manifests, with --lower {}",
                  fmt::join(needed.unfinished, ", "), fmt::join(needed.lower, ",")));
  return true;
}

int run_eval(EvalRequest& request, Context& context) {
  check_request(request);
  if (context.journal != nullptr && !request.crops.empty())
    throw InvalidArgument(
        "--shard, --resume and --manifest go with --images; windows of --crops are measured in one "
        "run");
  resolve_device(context);
  const std::vector<EvalModel> models = read_eval_models(request.models);
  if (request.lower.size() > 1 && request.lower.size() != models.size())
    throw InvalidArgument(fmt::format("--lower has {} numbers, expected one or {}",
                                      request.lower.size(), models.size()));
  const bool windows = !request.crops.empty();
  EvalImages images;
  EvalWindows to_score;
  if (windows)
    to_score = {people::StoredImages(images_of(request.crops), context.max_pixels),
                people::StoredImages(images_of(request.negatives), context.max_pixels)};
  else images = images_to_search(request, context.max_pixels);
  std::vector<EvalResult> results;
  const auto print = [&](const EvalResult& result) {
    if (!windows) warn_of_short_curve(result, context);
    if (!context.json) context.console.print(line_of(result, request));
  };
  if (context.journal != nullptr) {
    results = measure_recorded(models, images, request, context);
    if (results.empty()) return kDone;
    if (ask_for_lower_scores(results, context)) return kMoreToDo;
    for (const EvalResult& result : results) print(result);
  } else {
    for (std::size_t m = 0; m < models.size(); ++m) {
      const people::MeasureOptions options = measure_options(request, context.exec, m);
      results.push_back(windows ? measure_on_windows(models[m], to_score, options)
                                : measure_on_images(models[m], images, options));
      context.console.end_progress();
      print(results.back());
    }
  }
  const EvalImages* searched = windows ? nullptr : &images;
  if (!request.output.empty()) write_eval_folder(request, context, results, searched);
  std::optional<CalibratedModel> calibrated;
  std::exception_ptr refused;  // what was measured is printed all the same
  try {
    calibrated = write_calibrated(request, results.front());
  } catch (...) {
    refused = std::current_exception();
  }
  if (context.json) print_json(request, context, results, searched, calibrated);
  else if (calibrated)
    context.console.print(fmt::format(
        "{}: confidence is 1 / (1 + exp(-({:.4g} * score {} {:.4g})))\n", calibrated->output,
        calibrated->calibration.slope, calibrated->calibration.offset < 0 ? '-' : '+',
        std::abs(calibrated->calibration.offset)));
  if (refused) std::rethrow_exception(refused);
  return kDone;
}

}  // namespace

void describe(OptionVisitor& visit, EvalRequest& request) {
  visit("model", request.models,
        "models to evaluate, with commas between them: shipped ones (channels, filtered, cascade, "
        "hog) or "
        "files. NAME=FILE gives one a name in the report",
        {.use = TextUse::kModel});
  visit("images", request.images,
        "images in which people are annotated: a folder, file, glob or @list",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit.path("annotations", request.annotations, TextUse::kInput,
             "folder or file with the annotations: PASCAL 1.00 text or COCO JSON");
  visit.path("crops", request.crops, TextUse::kInput,
             "instead of --images: crops, each with one person's window in its middle");
  visit("negatives", request.negatives, "images without people",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the report: a page, the curve, the detections, and evaluation.json for "
             "fovea view");
  visit.path("calibrate", request.calibrate, TextUse::kOutput,
             "model file to write, .safetensors: the model with a calibration, by which its "
             "detections get a confidence beside their score; the images must be others than those "
             "that it was trained on");
  visit("lower", request.lower,
        "begin with this level of least scores for all models or for each: 0 to 3 are 0.5, 1, 2 "
        "and 4 below the model's threshold; shards search at this level only",
        {.value_name = "LEVELS"});
  visit("sheet", request.sheet, "how many of the worst mistakes of each sort the page shows", 0,
        500);
  describe(visit, request.measure);
  describe(visit, request.annotation);
}

std::vector<EvalModel> read_eval_models(const std::vector<std::string>& words) {
  std::vector<EvalModel> models;
  for (std::string word : words) {
    std::string label = std::filesystem::path(word).stem().string();
    const auto equals = word.find('=');
    if (equals != std::string::npos && word.find('/') > equals) {
      label = word.substr(0, equals);
      word.erase(0, equals + 1);
    }
    if (word.empty() || label.empty())
      throw InvalidArgument(
          "--model has an empty name; expected models with commas between them, such as hog or "
          "a=FILE,b=FILE");
    for (const EvalModel& other : models) {
      if (other.label == label)
        throw InvalidArgument(fmt::format(
            "--model names '{}' twice; give each model a name, such as a=FILE,b=FILE", label));
    }
    models.push_back({label, word, people::load_model(word)});
  }
  return models;
}

Command people_eval_command() {
  return {
      .system = "people",
      .verb = "eval",
      .summary = "measure how well models find people",
      .text =
          "With --images and --annotations, people are searched in whole images. The report has "
          "the "
          "miss rate over false positives per image, and its log-average over 0.01 to 1 false "
          "positives per image, by which the field compares detectors. A detection has found a "
          "person where their boxes, set to the same aspect, overlap by half of their union. The "
          "standard deviation comes from bootstrap samples of the images. Images of --negatives "
          "count as well. Scores down to 0.5 below the model's threshold are used, and lower ones "
          "where those do not reach 1 false positive per image. With --crops and --negatives, "
          "single windows are classified, and the report has the miss rate over false positives "
          "per window. The folder -o gets a page, the curve as CSV and SVG, the detections as COCO "
          "JSON, and evaluation.json, which fovea view opens as a page with a threshold to choose "
          "and the worst mistakes; so it does with the output of --json. Several models are "
          "measured on the same images and drawn into one chart. With --calibrate the model is "
          "written again with a logistic function, fitted to what was found, that gives the share "
          "of people among detections of a score; a model that has one is also measured by how far "
          "the confidence of its detections is from the share of people among them. An "
          "image that cannot be read ends the run, because the other images alone would measure "
          "something else. Shards search whole images; where their scores do not reach 1 false "
          "positive per image, fovea merge ends with status 6 and prints, as JSON, the --lower "
          "with "
          "which all shards are to run again, as a single run does by itself.",
      .examples =
          {{"fovea people eval --model hog --images pos --annotations boxes -o report",
            "measure the miss rate in images"},
           {"fovea people eval --model hog,my=my.safetensors --images pos --annotations txt",
            "compare two models in one chart"},
           {"fovea people eval --images pos --annotations txt --calibrate mine.safetensors",
            "fit the confidence of a model's detections"},
           {"fovea people eval --model hog --crops crops --negatives scenes --ratio 1.2",
            "measure the miss rate in windows"},
           {"fovea people eval --images pos --annotations boxes --shard 0/8",
            "search the first of eight parts; fovea merge measures what all have found"}},
      .request = make_request<EvalRequest, run_eval>,
      .result = {sample_record<EvalAnswer>},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output", "calibrate"}};
}

}  // namespace fovea::cli
