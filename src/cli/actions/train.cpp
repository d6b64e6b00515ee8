// fovea actions train: a model out of videos sorted by action.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/actions/actions.h"
#include "cli/program/batch.h"
#include "cli/program/progress.h"

namespace fovea::cli {
namespace {

struct ActionsTrainRequest {
  std::string output{};
  bool paper = false;
  bool cut_first = false;
  actions::TrainOptions train{};
};

void describe(OptionVisitor& visit, ActionsTrainRequest& request) {
  visit("output", request.output, "model file to write, .safetensors");
  visit("paper", request.paper,
        "the paper's letter for every option that is not set to something unusual here");
  visit("cut-first", request.cut_first,
        "cut clips before their points are found, not after: nothing around them counts");
  describe(visit, request.train);
}

int run_actions_train(ActionsTrainRequest& request, Context& context) {
  if (request.output.empty())
    throw InvalidArgument("actions train needs -o MODEL, a file to write");
  if (std::filesystem::path(request.output).extension() != ".safetensors")
    throw InvalidArgument(
        fmt::format("-o {}: a model's name ends in .safetensors", request.output));
  settle_device(context);
  const actions::TrainOptions options =
      request.paper ? paper_unless_asked(request.train) : request.train;
  const double start = steady_seconds();
  const ClipSet clips = load_clips(actions::read_corpus(context.inputs[0]),
                                   {options.points, request.cut_first}, context);
  const actions::Model model = actions::train(clips.corpus, clips.points, options, context.exec);
  const double seconds = steady_seconds() - start;
  model.write(request.output);
  context.console.end_progress();
  if (context.json) {
    std::string text;
    io::JsonWriter json(io::string_sink(text));
    json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
    json.member("device", to_string(context.exec.device)).member("seed", context.exec.seed);
    json.key("options").raw(context.options_json);
    json.member("model", request.output).member("clips", clips.points.size());
    json.member("failed", clips.failed).member("subjects", clips.corpus.subjects().size());
    json.key("classes").begin_array();
    for (const std::string& name : clips.corpus.classes) json.value(name);
    json.end_array().member("prototypes", model.prototypes.size());
    json.member("scale", model.features.scale).member("seconds", seconds).end_object().finish();
    context.console.print(text);
  } else {
    context.console.print(fmt::format(
        "{}: {} prototypes of {} actions from {} clips, after {:.0f} s\n", request.output,
        model.prototypes.size(), model.classes.size(), clips.points.size(), seconds));
  }
  return clips.status();
}

}  // namespace

Command actions_train_command() {
  return {
      .system = "actions",
      .verb = "train",
      .summary = "a model from videos sorted by action",
      .text =
          "Learns to tell actions from short clips that show one each. INPUT is a folder with a "
          "folder of videos an action, named SUBJECT_anything, or a list of lines \"file class "
          "subject [first-last [scenario]]\". Prototypes are cut from the clips, as they are and "
          "as seen in a mirror, with a level each above which a match tells nothing. A clip that "
          "cannot be read is named and left out. The same clips, options and seed give the same "
          "model on any device and however many threads.",
      .arguments = {{"INPUT", "folder with a folder of videos an action, or a list of clips"}},
      .examples = {{"fovea actions train clips -o m.safetensors", "all prototypes of all clips"},
                   {"fovea actions train clips.txt -o m.safetensors --fusion 0.5",
                    "with single descriptors beside chains"},
                   {"fovea actions train clips -o m.safetensors --paper",
                    "as the paper has it: floating selection, no dummies"}},
      .request = make_request<ActionsTrainRequest, run_actions_train>};
}

}  // namespace fovea::cli
