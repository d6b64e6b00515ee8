// fovea people train: trains a model from a folder of crops and a folder of images without people.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/people/train.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/people/people.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct TrainRequest {
  people::Kind kind = people::Kind::kHog;
  std::string positives{};
  std::string negatives{};
  std::string output{};
  people::TrainOptions train{};
};

void describe(OptionVisitor& visit, TrainRequest& request) {
  visit("kind", request.kind, "kind of detector");
  visit("preset", request.train.preset,
        "options of a cascade as a paper has them: thesis is that of Bilgic with 23 stages, zhu "
        "that of Zhu et al. with 30; what is given beside it counts");
  visit.path("positives", request.positives, TextUse::kFolder,
             "folder of crops, each with one person's window in its middle");
  visit.path("negatives", request.negatives, TextUse::kFolder,
             "folder of whole images without people");
  visit.path("output", request.output, TextUse::kOutput, "model file to write, .safetensors");
  visit.path(
      "checkpoint", request.train.checkpoint, TextUse::kOutput,
      "file that stores the state of an unfinished training; by default the output's name with "
      ".checkpoint");
  describe(visit, request.train);
}

void preset_chosen(TrainRequest& request) { use_preset(request.train, request.train.preset); }

people::ImageFileSet image_set(const Context& context, const std::string& option,
                               const std::string& word) {
  if (word.empty()) throw InvalidArgument(fmt::format("people train needs --{} FOLDER", option));
  return people::ImageFileSet(io::expand_inputs(std::vector<std::string>{word}, io::image_files()),
                              context.max_pixels);
}

int run_train(TrainRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  settle_device(context);
  const people::ImageFileSet positives = image_set(context, "positives", request.positives);
  const people::ImageFileSet negatives = image_set(context, "negatives", request.negatives);
  std::string& checkpoint = request.train.checkpoint;
  if (checkpoint.empty()) checkpoint = request.output + ".checkpoint";
  if (std::filesystem::exists(checkpoint)) context.console.note("continuing from " + checkpoint);
  context.console.note(fmt::format(
      "{}, {} without people, at most {} of samples", detail::counted(positives.count(), "crop"),
      detail::counted(negatives.count(), "image"), bytes_text(request.train.sample_bytes)));
  const double start = steady_seconds();
  request.train.exec = context.exec;
  const people::Model model = people::train(request.kind, {positives, negatives}, request.train);
  const double seconds = steady_seconds() - start;
  model.write(request.output);
  std::error_code ignored;
  std::filesystem::remove(checkpoint, ignored);
  context.console.end_progress();
  if (context.json) {
    print_result(context, [&](io::JsonWriter& json) {
      json.member("model", request.output).member("kind", people::to_string(model.kind));
      json.member("threshold", model.threshold).member("crops", positives.count());
      json.member("negatives", negatives.count()).key("facts").begin_object();
      for (const auto& [key, value] : model.facts) json.member(key, value);
      json.end_object();
    });
  } else {
    context.console.print(fmt::format("{}: {} after {:.0f} s\n", request.output,
                                      people::to_string(model.kind), seconds));
  }
  return kDone;
}

}  // namespace

Command people_train_command() {
  return {
      .system = "people",
      .verb = "train",
      .summary = "train a model from crops of people and images without people",
      .text =
          "Learns a detector. The positives are crops that show one person each: the detection "
          "window (64x128 pixels by default) lies in the middle, with some surroundings, and the "
          "program adds their mirror images. The negatives are whole images, which are searched at "
          "all sizes for windows that look like people, on the GPU where there is "
          "one; everything else runs on the threads of the CPU. The same data, options and seed "
          "give the same model on any device with any number of threads. When a training was "
          "interrupted, the same command continues it from the last stage that was finished.",
      .examples =
          {{"fovea people train --positives crops --negatives scenes -o hog.safetensors",
            "train the classic detector from folders of crops and scenes"},
           {"fovea people train --kind cascade --positives p --negatives n -o c.safetensors",
            "train a cascade; with --preset thesis, as that paper does; --kind channels and "
            "--kind filtered work in the same way"}},
      .request = make_request<TrainRequest, run_train>,
      .reads_images = true};
}

}  // namespace fovea::cli
