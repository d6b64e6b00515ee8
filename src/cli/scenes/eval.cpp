// fovea scenes eval: how often the class of an image is told right.
#include "cli/scenes/eval.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <filesystem>
#include <numeric>
#include <optional>

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, ScenesEvalRequest& request) {
  visit("splits", request.splits, "times that the images are divided by chance", 1, 1000);
  visit("share", request.share, "of each class' images that is trained on", 0.01, 0.99);
  visit("train", request.train,
        "list of the images to train on, instead of chance; names count from INPUT on");
  visit("test", request.test, "list of the images to test with, together with --train");
  visit("model", request.model,
        "test this model (sun8 or a file) with all images; nothing is trained");
  visit(
      "dictionary-from", request.evaluate.dictionary_from,
      "all: words once from all images, without their labels, as in the paper; split: anew from "
      "those that each split trains on, so that nothing of a test image is seen, in so many times "
      "the time");
  visit("output", request.output,
        "folder for confusion matrix and curves as pictures, CSV and page");
  describe(visit, request.evaluate.train);
}

namespace {

// Images, their classes, and how they are divided.
struct Task {
  scenes::Corpus corpus;
  std::vector<scenes::Split> splits;
};

Task given_split(const ScenesEvalRequest& request, const std::string& folder) {
  if (request.train.empty() || request.test.empty())
    throw InvalidArgument("--train and --test go together: a list each");
  Task task{scenes::read_corpus(request.train, {}, folder), {}};
  const scenes::Corpus test = scenes::read_corpus(request.test, task.corpus.classes, folder);
  scenes::Split split;
  split.train.resize(task.corpus.paths.size());
  std::iota(split.train.begin(), split.train.end(), 0);
  split.test.resize(test.paths.size());
  std::iota(split.test.begin(), split.test.end(), static_cast<int>(split.train.size()));
  task.corpus.paths.insert(task.corpus.paths.end(), test.paths.begin(), test.paths.end());
  task.corpus.labels.insert(task.corpus.labels.end(), test.labels.begin(), test.labels.end());
  task.splits.push_back(std::move(split));
  return task;
}

Task make_task(const ScenesEvalRequest& request, const Context& context) {
  const std::string& input = context.inputs[0];
  if (!request.train.empty() || !request.test.empty()) return given_split(request, input);
  Task task{scenes::read_corpus(input), {}};
  task.splits =
      scenes::random_splits(task.corpus.labels, static_cast<int>(task.corpus.classes.size()),
                            request.splits, request.share, context.exec.seed);
  return task;
}

// A trained model on images that it has to tell apart.
scenes::Evaluation test_model(const scenes::Model& model, const scenes::Corpus& corpus,
                              const Exec& exec, const scenes::ImageFailure& failed) {
  const scenes::FeatureTable table = scenes::make_features(
      io::ImageFileSet(corpus.paths), model.dictionary, model.pyramid, exec, failed);
  const auto all = scenes::best_classes(model.classifier.scores(table.features.view(), exec));
  std::vector<std::int32_t> truth, told;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!table.usable[i]) continue;
    truth.push_back(corpus.labels[i]);
    told.push_back(all[i]);
  }
  scenes::Evaluation result;
  result.total = count_confusion(truth, told, static_cast<int>(model.classes.size()));
  result.splits.push_back(result.total);
  result.accuracy_mean = result.total.accuracy();
  result.failed = static_cast<int>(all.size() - truth.size());
  return result;
}

void print_json(const ScenesEvalResult& result, const Context& context) {
  const scenes::Evaluation& evaluation = result.evaluation;
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
  json.member("device", to_string(context.exec.device)).member("seed", context.exec.seed);
  json.key("options").raw(context.options_json);
  json.member("images", result.images).member("failed", evaluation.failed);
  json.member("splits", evaluation.splits.size());
  json.member("accuracy_mean", evaluation.accuracy_mean);
  json.member("accuracy_deviation", evaluation.accuracy_deviation);
  std::vector<double> accuracies;
  for (const Confusion& split : evaluation.splits) accuracies.push_back(split.accuracy());
  json.key("accuracies").values(accuracies);
  if (!evaluation.neighbors.empty()) {
    json.key("accuracy_against_k").begin_array();
    for (std::size_t i = 0; i < evaluation.neighbors.size(); ++i)
      json.begin_object()
          .member("k", evaluation.neighbors[i])
          .member("accuracy", evaluation.neighbors_accuracy[i])
          .end_object();
    json.end_array();
  }
  json.key("classes").begin_array();
  for (const std::string& name : result.classes) json.value(name);
  json.end_array().key("confusion_matrix").begin_array();
  const auto width = static_cast<std::size_t>(evaluation.total.classes);
  for (std::size_t truth = 0; truth < width; ++truth)
    json.values(std::span(evaluation.total.counts).subspan(truth * width, width));
  json.end_array().member("seconds", result.seconds).end_object().finish();
  context.console.print(text);
}

void print_words(const ScenesEvalResult& result, const Context& context) {
  const scenes::Evaluation& evaluation = result.evaluation;
  context.console.print(fmt::format(
      "accuracy {:.2f} % +- {:.2f} over {} splits of {} images\n", 100 * evaluation.accuracy_mean,
      100 * evaluation.accuracy_deviation, evaluation.splits.size(), result.images));
  const std::vector<double> recall = evaluation.total.recall();
  for (std::size_t c = 0; c < result.classes.size(); ++c)
    context.console.print(fmt::format("  {:<24} {:5.1f} %\n", result.classes[c], 100 * recall[c]));
}

int run_scenes_eval(ScenesEvalRequest& request, Context& context) {
  settle_device(context);
  const double start = steady_seconds();
  ScenesEvalResult result;
  scenes::Corpus corpus;
  std::vector<scenes::Split> splits;
  std::optional<scenes::Model> model;
  if (!request.model.empty()) {
    model = read_scenes_model(request.model);
    corpus = scenes::read_corpus(context.inputs[0], model->classes);
    result.classes = model->classes;
  } else {
    Task task = make_task(request, context);
    corpus = std::move(task.corpus);
    splits = std::move(task.splits);
    result.classes = corpus.classes;
  }
  result.images = static_cast<int>(corpus.paths.size());
  SkippedImages skipped(context, corpus.paths);
  result.evaluation = model ? test_model(*model, corpus, context.exec, skipped.report())
                            : scenes::evaluate(io::ImageFileSet(corpus.paths), corpus.labels,
                                               static_cast<int>(corpus.classes.size()), splits,
                                               request.evaluate, context.exec, skipped.report());
  result.seconds = steady_seconds() - start;
  context.console.end_progress();
  if (!request.output.empty())
    write_scenes_evaluation(request.output, result,
                            {.command = context.command.name(),
                             .options = context.options_json,
                             .device = to_string(context.exec.device),
                             .seed = context.exec.seed});
  if (context.json) print_json(result, context);
  else print_words(result, context);
  return skipped.status();
}

}  // namespace

Command scenes_eval_command() {
  return {
      .system = "scenes",
      .verb = "eval",
      .summary = "how often the class of an image is told right",
      .text =
          "Divides the images into those to train on and those to test with, by chance (--splits "
          "times) or as two lists say, trains, tests, and tells the mean accuracy, its deviation "
          "between splits and which classes are taken for which; with neighbors as classifier "
          "also "
          "the accuracy for each K. With --model it tests a trained model instead. Test images "
          "take "
          "no part in training the classifier; they help to find the words, without their labels, "
          "unless --dictionary-from split is given.",
      .arguments = {{"INPUT", "folder with a folder a class, or a list of files and classes"}},
      .examples = {{"fovea scenes eval places --splits 20 --color lab --pyramid 2 --classifier svm",
                    "twenty splits by chance, four fifths to train on"},
                   {"fovea scenes eval places --train train.txt --test test.txt -o report",
                    "a given split, with pictures"},
                   {"fovea scenes eval places --model sun8", "the shipped model on your images"}},
      .request = make_request<ScenesEvalRequest, run_scenes_eval>};
}

}  // namespace fovea::cli
