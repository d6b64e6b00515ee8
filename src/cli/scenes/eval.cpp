// fovea scenes eval: measures how often images are classified correctly.
#include "cli/scenes/eval.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/program/batch.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, ScenesEvalRequest& request) {
  describe(visit, request.split);
  describe_classes(visit, request.classes);
  visit.path("train", request.train, TextUse::kInput,
             "list of the images to train on, instead of a random choice; its file names are "
             "relative to INPUT");
  visit.path("test", request.test, TextUse::kInput,
             "list of the images to test with, together with --train");
  visit.path("model", request.model, TextUse::kModel,
             "test this model (the name of a shipped one, or a file) with all images, and train "
             "nothing");
  visit.path("labels", request.labels, TextUse::kInput,
             "where INPUT is a table of features: the class of each row, .csv with a column named "
             "class");
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the confusion matrix and curves as pictures, CSV and a page, and "
             "evaluation.json for fovea view");
  visit("sweep-samples", request.sweep_samples,
        "evaluate with each of these numbers of --samples, in which the word all stands for "
        "--all-places, and print a table of their accuracies; -o draws it",
        {.value_name = "N,N,..."});
  describe(visit, request.evaluate);
}

namespace {

scenes::SplitCorpus make_task(const ScenesEvalRequest& request, const Context& context) {
  const std::string& input = context.inputs[0];
  if (request.train.empty() && request.test.empty())
    return scenes::split_corpus(scenes::read_classes(input, request.classes), request.split,
                                context.exec.seed);
  if (request.train.empty() || request.test.empty())
    throw InvalidArgument("--train and --test go together: each names a list");
  return scenes::given_split(input, request.train, request.test);
}

void print_learning(const std::vector<scenes::WordLearning>& learning, const Context& context) {
  if (learning.empty()) return;
  if (learning.size() == 1) return context.console.print(learning_text(learning[0]) + "\n");
  const auto [least, most] = std::ranges::minmax(learning, {}, &scenes::WordLearning::iterations);
  const auto ended = std::ranges::count(learning, true, &scenes::WordLearning::converged);
  double inertia = 0;
  for (const scenes::WordLearning& one : learning)
    inertia += one.inertia / static_cast<double>(learning.size());
  context.console.print(
      fmt::format("k-means ended in {} of {} splits, after {} to {} iterations, mean inertia "
                  "{:.6g}\n",
                  ended, learning.size(), least.iterations, most.iterations, inertia));
}

void print_words(const ScenesEvalResult& result, const Context& context) {
  const scenes::EvaluateReport& evaluation = result.evaluation;
  const Interval interval = evaluation.total.interval();
  std::string line = fmt::format("accuracy {:.2f} %", 100 * evaluation.accuracy_mean);
  if (evaluation.splits.size() > 1)
    line += fmt::format(" +- {:.2f} over {} splits of {}", 100 * evaluation.accuracy_deviation,
                        evaluation.splits.size(), detail::counted(result.images, "image"));
  else
    line += fmt::format(" ({:.1f} to {:.1f} with 95 % confidence) on {}", 100 * interval.low,
                        100 * interval.high, detail::counted(evaluation.total.total(), "image"));
  context.console.print(line + "\n");
  const std::vector<double> recall = evaluation.total.recall();
  for (std::size_t c = 0; c < result.classes.size(); ++c)
    context.console.print(fmt::format("  {:<24} {:5.1f} %\n", result.classes[c], 100 * recall[c]));
  print_learning(evaluation.learning, context);
}

// Trains and tests classifiers on splits of features that fovea scenes features wrote.
std::optional<ScenesEvalResult> evaluate_table(ScenesEvalRequest& request, Context& context,
                                               FailedImages& failed) {
  const std::string& input = context.inputs[0];
  if (!request.model.empty() || !request.train.empty() || !request.test.empty())
    throw InvalidArgument(
        fmt::format("{} is a table of features, which --splits divides; --model, --train and "
                    "--test go with images",
                    input));
  if (request.labels.empty())
    throw InvalidArgument(
        fmt::format("{} is a table of features and needs --labels FILE.csv", input));
  const Image<float> features = read_table(input);
  const scenes::LabelTable table = scenes::read_labels(request.labels);
  if (table.labels.size() != static_cast<std::size_t>(features.height()))
    throw InvalidArgument(fmt::format("{} has {}, but {} has {}", input,
                                      detail::counted(features.height(), "row"), request.labels,
                                      table.labels.size()));
  check_options(request.split);
  ScenesEvalResult result;
  result.classes = table.classes;
  result.images = features.height();
  const auto classes = static_cast<int>(table.classes.size());
  const std::vector<scenes::Split> splits = scenes::random_splits(
      table.labels, classes, request.split.splits, request.split.share, context.exec.seed);
  scenes::TrainClassifierOptions options = request.evaluate.train.classifier;
  options.exec = context.exec;
  const SplitsTask task{{{"",
                          [&](std::span<const scenes::Split> some, const scenes::ImageFailure&,
                              const scenes::SplitFinished& finished) {
                            scenes::evaluate_features(features, table.labels, classes, some,
                                                      options, finished);
                          }}},
                        splits,
                        scenes::DictionaryFrom::kSplit,
                        {input, request.labels}};
  auto reports = evaluate_splits(task, context, failed);
  if (!reports) return {};
  result.evaluation = std::move(reports->front());
  return result;
}

bool is_feature_table(const std::string& input) {
  return std::filesystem::path(input).extension() == ".npy";
}

// Trains and tests on splits, or tests a trained model. Nothing where this is a shard of a job.
std::optional<ScenesEvalResult> evaluate(ScenesEvalRequest& request, Context& context,
                                         std::vector<std::string>& paths, FailedImages& failed) {
  if (is_feature_table(context.inputs[0])) return evaluate_table(request, context, failed);
  if (!request.labels.empty())
    throw InvalidArgument(fmt::format(
        "--labels {} goes with a table of features (.npy); the classes of images come from their "
        "folders or lists",
        request.labels));
  ScenesEvalResult result;
  if (!request.model.empty()) {
    scenes::Classifier classifier(request.model, {.exec = context.exec});
    result.classes = classifier.classes();
    const scenes::Corpus corpus = scenes::read_corpus(context.inputs[0], result.classes);
    paths = corpus.paths;
    result.labels = corpus.labels;
    auto report = evaluate_images(classifier, corpus, context, failed);
    if (!report) return {};
    result.evaluation = std::move(*report);
  } else {
    const scenes::SplitCorpus task = make_task(request, context);
    result.classes = task.corpus.classes;
    paths = task.corpus.paths;
    result.labels = task.corpus.labels;
    request.evaluate.exec = context.exec;
    const InputImages images(context, paths);
    const SplitsTask splits{
        {{"",
          [&](std::span<const scenes::Split> some, const scenes::ImageFailure& skip,
              const scenes::SplitFinished& finished) {
            scenes::evaluate(images, task.corpus.labels,
                             static_cast<int>(task.corpus.classes.size()), some, request.evaluate,
                             skip, finished);
          }}},
        task.splits,
        request.evaluate.dictionary_from,
        paths};
    auto reports = evaluate_splits(splits, context, failed);
    if (!reports) return {};
    result.evaluation = std::move(reports->front());
  }
  result.images = static_cast<int>(paths.size());
  result.paths = paths;
  return result;
}

int run_sweep(const ScenesEvalRequest& request, Context& context) {
  if (is_feature_table(context.inputs[0]))
    throw InvalidArgument("--sweep-samples learns words from images; a table has no images");
  if (!request.model.empty())
    throw InvalidArgument("--sweep-samples trains models, and --model trains none; choose one");
  const scenes::SplitCorpus task = make_task(request, context);
  SkippedImages skipped(context, task.corpus.paths);
  FailedImages failed(skipped);
  sweep_samples(request, task, InputImages(context, task.corpus.paths), context, failed);
  return skipped.status();
}

// Tables, models and lists have their classes.
void check_classes(const ScenesEvalRequest& request, const Context& context) {
  if (request.classes.empty()) return;
  if (is_feature_table(context.inputs[0]) || !request.model.empty() || !request.train.empty())
    throw InvalidArgument(
        "--classes chooses folders of images that are divided at random; a table, --model and "
        "--train have classes of their own");
}

int run_scenes_eval(ScenesEvalRequest& request, Context& context) {
  resolve_device(context);
  check_classes(request, context);
  if (!request.sweep_samples.empty()) return run_sweep(request, context);
  std::vector<std::string> paths;
  SkippedImages skipped(context, paths);
  FailedImages failed(skipped);
  const std::optional<ScenesEvalResult> result = evaluate(request, context, paths, failed);
  if (!result) return skipped.status();
  if (!request.output.empty()) write_scenes_evaluation(request.output, *result, context);
  if (!context.json) print_words(*result, context);
  else
    print_result(context,
                 record_ref(scenes::summarize(result->evaluation, result->images, result->classes)),
                 scenes_evaluation(*result));
  return skipped.status();
}

}  // namespace

Command scenes_eval_command() {
  return {
      .system = "scenes",
      .verb = "eval",
      .summary = "measure how often images are classified correctly",
      .text =
          "Divides the images into those to train on and those to test with, at random (--splits "
          "times) or as --train and --test say, trains and tests, and reports the mean accuracy, "
          "its "
          "deviation between splits and which classes are confused with which. With "
          "--classifier knn it also reports the accuracy for each K. With --model it "
          "tests a trained model instead. Test images take no part in training the classifier; "
          "they help to find the words, without their labels, unless --dictionary-from split is "
          "given. INPUT may be the table that fovea scenes features wrote, with --labels: then "
          "only "
          "classifiers are trained and tested, which takes seconds, so that many can be compared. "
          "Shards divide the splits or, with --model, the images; with --dictionary-from all each "
          "of them learns the words of all images.",
      .arguments = {{"INPUT",
                     "folder with one folder of images per class, a list of files and classes, or "
                     "a table of features, .npy"}},
      .examples = {{"fovea scenes eval places --splits 20 --color lab",
                    "evaluate twenty random splits that train on four fifths of the images"},
                   {"fovea scenes eval places --train train.txt --test test.txt -o report",
                    "evaluate a given split and write pictures"},
                   {"fovea scenes eval places --sweep-samples 25,100,400,all -o sweep",
                    "see how many places per image words need; all takes every pixel"},
                   {"fovea scenes eval features.npy --labels labels.csv --classifier logistic",
                    "compare classifiers on features that are there"},
                   {"fovea scenes eval places --model sun8",
                    "evaluate the shipped model on your images"}},
      .request = make_request<ScenesEvalRequest, run_scenes_eval>,
      .result = {.record = sample_record<scenes::EvaluationSummary>,
                 .other = sample_record<SweepReport>,
                 .evaluates = true},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
