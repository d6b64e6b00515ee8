// fovea scenes train: makes a model from one folder of images per class, or from a list.
#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/stopwatch.h"
#include "cli/scenes/scenes.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ScenesTrainRequest {
  std::string output{};
  std::vector<std::string> classes{};
  scenes::TrainOptions train{};
};

void describe(OptionVisitor& visit, ScenesTrainRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "model file to write, .safetensors");
  describe_classes(visit, request.classes);
  describe(visit, request.train);
}

int run_scenes_train(ScenesTrainRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  resolve_device(context);
  const scenes::Corpus corpus = scenes::read_classes(context.inputs[0], request.classes);
  context.console.note(fmt::format("{} of {}", detail::counted(corpus.paths.size(), "image"),
                                   detail::counted(corpus.classes.size(), "class", "classes")));
  SkippedImages skipped(context, corpus.paths);
  const InputImages images(context, corpus.paths);
  const double start = steady_seconds();
  request.train.exec = context.exec;
  const scenes::Model model =
      scenes::train(images, corpus.labels, corpus.classes, request.train, skipped.report());
  const double seconds = steady_seconds() - start;
  model.write(request.output);
  context.console.end_progress();
  if (context.json) {
    ModelReport report(request.output, model, static_cast<int>(corpus.paths.size()));
    report.failed = skipped.count();
    report.dimensions = model.dictionary.words.width();
    report.kmeans = model.dictionary.learning;
    print_result(context, record_ref(report));
  } else {
    context.console.print(fmt::format(
        "{}: {}, {}, in {}; {}\n", request.output, detail::counted(model.dictionary.size(), "word"),
        detail::counted(corpus.classes.size(), "class", "classes"), seconds_text(seconds),
        learning_text(model.dictionary.learning)));
  }
  return skipped.status();
}

}  // namespace

Command scenes_train_command() {
  return {
      .system = "scenes",
      .verb = "train",
      .summary = "train a model from images sorted by class",
      .text =
          "Trains a model that fovea scenes classify uses. INPUT is a folder with one folder of "
          "images per class, or a list of lines \"file class\" (a class is given by its name, or "
          "by "
          "a number whose name stands in classes.txt beside the list). Words are learned from "
          "random places of the images, every image becomes a histogram of its words, and the "
          "classifier is trained on the histograms; --coding makes other features of words. An "
          "image that cannot be read is named and left "
          "out. The same images, options and seed give the same model on any device and with any "
          "number of threads.",
      .arguments = {{"INPUT",
                     "folder with one folder of images per class, or a list of files and classes"}},
      .examples =
          {{"fovea scenes train places -o m.safetensors --color lab",
            "learn words of color, which are more accurate than those of gray values"},
           {"fovea scenes train train.txt -o m.safetensors --classifier knn --pyramid 0",
            "let the 10 nearest images vote, as in the paper, which also has --no-standardize"},
           {"fovea scenes train places -o m.safetensors --classes beach,forest,street",
            "choose three of the folders in places"},
           {"fovea scenes train places -o m.safetensors --all-places",
            "learn words from every pixel instead of 200 random ones per image"},
           {"fovea scenes train places -o m.safetensors --classifier logistic",
            "use multinomial logistic regression"},
           {"fovea scenes train places -o m.safetensors --words gradients",
            "learn words of gradients instead of filters"},
           {"fovea scenes train places -o m.safetensors --coding vlad --kernel linear",
            "sum up how places differ from their words; --coding fisher is more accurate still, "
            "and --color-words 64 adds words of color"}},
      .request = make_request<ScenesTrainRequest, run_scenes_train>,
      .result = {.record = sample_record<ModelReport>},
      .reads_images = true};
}

}  // namespace fovea::cli
