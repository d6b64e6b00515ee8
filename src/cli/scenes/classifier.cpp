// fovea scenes classifier: trains the classifier of a model from features.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ClassifierRequest {
  std::string labels{};
  std::string dictionary{};
  std::string output{};
  scenes::TrainClassifierOptions classifier{};
};

void describe(OptionVisitor& visit, ClassifierRequest& request) {
  visit.path("labels", request.labels, TextUse::kInput,
             "table with the class of each row, .csv with a column named class");
  visit.path("dictionary", request.dictionary, TextUse::kModel,
             "dictionary that the features were made with, or a model whose words are taken");
  visit.path("output", request.output, TextUse::kOutput, "model file to write, .safetensors");
  describe(visit, request.classifier);
}

int run_classifier(ClassifierRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  if (request.labels.empty() || request.dictionary.empty())
    throw InvalidArgument("scenes classifier needs --labels FILE.csv and --dictionary WORDS");
  check_outputs(context, {{"-o", request.output}}, {request.labels, request.dictionary});
  resolve_device(context);
  const scenes::Dictionary dictionary = read_dictionary_or_model(request.dictionary);
  const Image<float> features = read_table(context.inputs[0]);
  const scenes::LabelTable labels = scenes::read_labels(request.labels);
  if (labels.labels.size() != static_cast<std::size_t>(features.height()))
    throw InvalidArgument(fmt::format("{} has {}, but {} has {}", context.inputs[0],
                                      detail::counted(features.height(), "row"), request.labels,
                                      labels.labels.size()));
  request.classifier.exec = context.exec;
  const scenes::Model model = scenes::train_model(dictionary, features.view(), labels.labels,
                                                  labels.classes, request.classifier);
  model.write(request.output);
  context.console.end_progress();
  if (context.json)
    print_result(context, record_ref(ModelReport(request.output, model, features.height())));
  else
    context.console.print(fmt::format("{}: {}, {}\n", request.output,
                                      detail::counted(dictionary.size(), "word"),
                                      detail::counted(labels.classes.size(), "class", "classes")));
  return kDone;
}

}  // namespace

Command scenes_classifier_command() {
  return {.system = "scenes",
          .verb = "classifier",
          .summary = "train a model's classifier from histograms",
          .text =
              "Trains a classifier on the histograms that fovea scenes features wrote and writes a "
              "model, which is the file that fovea scenes train writes for the same images, "
              "options and seed. The classifier is the vote of the nearest images (by chi-squared, "
              "Euclidean or cosine distance), support vector machines or logistic regression. "
              "fovea scenes eval tells how well it does on such a table.",
          .arguments = {{"FEATURES", "array of histograms, one per row, .npy"}},
          .examples =
              {{"fovea scenes classifier f.npy --labels l.csv --dictionary dic -o m.safetensors",
                "let the 10 nearest images vote; --classifier logistic trains another kind"}},
          .request = make_request<ClassifierRequest, run_classifier>,
          .result = {.record = sample_record<ModelReport>}};
}

}  // namespace fovea::cli
