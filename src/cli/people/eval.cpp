// fovea people eval: measures how well models find people, in images or in windows.
#include "cli/people/eval.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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
}

double per_window(const people::ScanCounts& counts) {
  return counts.windows > 0
             ? static_cast<double>(counts.evaluations) / static_cast<double>(counts.windows)
             : 0;
}

void write_model(io::JsonWriter& json, const EvalResult& result) {
  const people::Model& model = *result.model.model;
  json.member("label", result.model.label).member("model", result.model.name);
  json.member("kind", people::to_string(model.kind)).member("threshold", model.threshold);
  json.key("window").values(std::vector<int>{model.window().width, model.window().height});
  json.member("person_height", model.person_height).member("person_aspect", model.person_aspect);
  json.key("facts").begin_object();
  for (const auto& [name, value] : model.facts) json.member(name, value);
  json.end_object();
}

void write_counts(io::JsonWriter& json, const EvalResult& result) {
  json.member("windows", result.counts.windows).member("evaluations", result.counts.evaluations);
  json.member("weightless", result.counts.zero_weight_windows);
  json.member("evaluations_per_window", per_window(result.counts));
  if (!result.stages.empty()) {
    json.key("stages").begin_array();
    for (const people::StageCount& stage : result.stages) {
      json.begin_object().member("blocks", stage.blocks).member("reached", stage.reached);
      json.member("passed", stage.passed).end_object();
    }
    json.end_array();
  }
  if (result.seconds > 0) json.member("search_seconds", result.seconds);
}

void write_images(io::JsonWriter& json, const EvalResult& result, const EvalResult& first,
                  const EvalRequest& request) {
  const people::ImageReport& measured = result.images;
  json.member("log_average_miss_rate", measured.log_average_miss_rate);
  json.member("standard_deviation", measured.deviation);
  if (&result != &first) {
    json.key("difference").begin_object().member("to", first.model.label);
    json.member("log_average_miss_rate",
                measured.log_average_miss_rate - first.images.log_average_miss_rate);
    json.member("standard_deviation", people::paired_deviation(measured, first.images));
    json.end_object();
  }
  json.member("average_precision", measured.average_precision);
  json.key("miss_rates").begin_array();
  const auto points = people::reference_points();
  for (std::size_t i = 0; i < points.size(); ++i)
    json.begin_object()
        .member("false_positives_per_image", points[i])
        .member("miss_rate", measured.miss_rates[i])
        .end_object();
  json.end_array();
  json.member("images", measured.images).member("people", measured.people);
  json.member("detections", measured.detections).member("lowest_score", result.lowest_score);
  json.member("curve_ends_at", measured.curve.empty() ? 0 : measured.curve.back().false_positives);
  json.member("match_overlap", request.measure.evaluate.match_overlap);
  json.member("match_aspect", request.measure.evaluate.match_aspect);
}

void write_windows(io::JsonWriter& json, const EvalResult& result) {
  const people::WindowReport& measured = result.windows;
  const double rate = measured.miss_rate_at(1e-4);
  json.member("miss_rate_at_fppw_1e-4", rate);
  json.member("standard_deviation", measured.deviation(rate));
  json.member("miss_rate_at_fppw_1e-3", measured.miss_rate_at(1e-3));
  json.member("miss_rate_at_fppw_1e-5", measured.miss_rate_at(1e-5));
  json.member("crops", measured.positives);
  json.member("blocks_per_window", per_window(result.counts));
}

// The members of a single model are in the object itself, those of several models in a list.
void print_json(const EvalRequest& request, const Context& context,
                const std::vector<EvalResult>& results, const EvalImages* images) {
  print_result(context, [&](io::JsonWriter& json) {
    const auto members = [&](const EvalResult& result) {
      write_model(json, result);
      if (request.crops.empty()) write_images(json, result, results.front(), request);
      else write_windows(json, result);
      write_counts(json, result);
    };
    if (results.size() == 1) {
      members(results.front());
    } else {
      json.key("models").begin_array();
      for (const EvalResult& result : results) {
        json.begin_object();
        members(result);
        json.end_object();
      }
      json.end_array();
    }
    if (!request.output.empty())
      json.member("page", (std::filesystem::path(request.output) / "index.html").string());
    json.key("evaluation");
    report::write_evaluation(json, people_evaluation(request, results, images));
  });
}

std::string line_of(const EvalResult& result, const EvalRequest& request) {
  const std::int64_t weightless = result.counts.zero_weight_windows;
  const std::string work =
      fmt::format("{:.3g} million windows, {:.3g} evaluations per window{}{}",
                  1e-6 * static_cast<double>(result.counts.windows), per_window(result.counts),
                  result.seconds > 0 ? fmt::format(", {:.1f} s", result.seconds) : "",
                  weightless > 0 ? fmt::format(", {} left out of mean shift for a weight of 0",
                                               detail::counted(weightless, "window"))
                                 : "");
  if (!request.crops.empty()) {
    const double rate = result.windows.miss_rate_at(1e-4);
    return fmt::format(
        "{}: miss rate {:.2f} % (deviation {:.2f}) at 1e-4 false positives per window; {}, "
        "{}\n",
        result.model.label, 100 * rate, 100 * result.windows.deviation(rate),
        detail::counted(result.windows.positives, "crop"), work);
  }
  const people::ImageReport& measured = result.images;
  return fmt::format(
      "{}: log-average miss rate {:.1f} % (deviation {:.1f}), average precision "
      "{:.1f} %; {} in {}, {}\n",
      result.model.label, 100 * measured.log_average_miss_rate, 100 * measured.deviation,
      100 * measured.average_precision, people_text(static_cast<std::size_t>(measured.people)),
      detail::counted(measured.images, "image"), work);
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
  std::vector<int> levels;
  std::vector<std::string> names;
  for (const EvalResult& result : results) {
    levels.push_back(result.lower);
    if (result.unfinished) names.push_back(result.model.label);
  }
  print_result(context, [&](io::JsonWriter& json) {
    json.member("finished", false).key("lower").values(levels);
    json.key("unfinished").begin_array();
    for (const std::string& name : names) json.value(name);
    json.end_array();
  });
  context.console.complain(
      fmt::format("{}: the scores that were searched do not reach 1 false positive per image; run "
                  "all shards again, with new manifests, with --lower {}",
                  fmt::join(names, ", "), fmt::join(levels, ",")));
  return true;
}

int run_eval(EvalRequest& request, Context& context) {
  check_request(request);
  if (context.journal != nullptr && !request.crops.empty())
    throw InvalidArgument(
        "--shard, --resume and --manifest go with --images; windows of --crops are measured in one "
        "run");
  settle_device(context);
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
  if (context.json) print_json(request, context, results, searched);
  return kDone;
}

}  // namespace

void describe(OptionVisitor& visit, EvalRequest& request) {
  visit("model", request.models,
        "models to evaluate, with commas between them: shipped ones (channels, filtered, cascade, "
        "hog) or "
        "files. NAME=FILE gives one a name in the report",
        {.use = TextUse::kModel});
  visit.path("images", request.images, TextUse::kFolder,
             "images in which people are annotated: a folder, file, glob or @list");
  visit.path("annotations", request.annotations, TextUse::kInput,
             "folder or file with the annotations: PASCAL 1.00 text or COCO JSON");
  visit.path("crops", request.crops, TextUse::kInput,
             "instead of --images: crops, each with one person's window in its middle");
  visit.path("negatives", request.negatives, TextUse::kFolder, "images without people");
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the report: a page, the curve, the detections, and evaluation.json for "
             "fovea view");
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
          "measured on the same images and drawn into one chart. An "
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
           {"fovea people eval --model hog --crops crops --negatives scenes --ratio 1.2",
            "measure the miss rate in windows"},
           {"fovea people eval --images pos --annotations boxes --shard 0/8",
            "search the first of eight parts; fovea merge measures what all have found"}},
      .request = make_request<EvalRequest, run_eval>,
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
