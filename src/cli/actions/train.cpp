// fovea actions train: makes a model from videos sorted by action.
#include <fovea/actions/distances.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include "cli/actions/actions.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ActionsTrainRequest : ClipTraining {
  std::string output{};
  std::string distances{};
};

void describe(OptionVisitor& visit, ActionsTrainRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "model file to write, .safetensors");
  visit.path("distances", request.distances, TextUse::kInput,
             "distances that fovea actions distances measured with the same clips and options; "
             "without them they are measured");
  describe(visit, static_cast<ClipTraining&>(request));
}

struct TrainResult {
  std::string model{};
  std::int64_t clips = 0;
  int failed = 0;
  std::int64_t subjects = 0;
  std::vector<std::string> classes{};
  std::int64_t prototypes = 0;
  double scale = 0;
};
void describe(FieldVisitor& visit, TrainResult& result) {
  visit.record("TrainResult", "a model that was trained");
  visit("model", result.model, "the file that was written");
  visit("clips", result.clips, "that were trained on");
  visit("failed", result.failed, "clips that could not be read");
  visit("subjects", result.subjects, "people in these clips");
  visit("classes", result.classes, "names of the actions");
  visit("prototypes", result.prototypes, "that the model has");
  visit("scale", result.scale, "by which features are divided");
}

int run_actions_train(ActionsTrainRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  actions::TrainOptions& options = request.train;
  actions::check_cut(options.cut);
  resolve_device(context);
  options.exec = context.exec;
  const double start = steady_seconds();
  std::optional<actions::TrainDistances> distances;
  if (!request.distances.empty()) distances = actions::TrainDistances::read(request.distances);
  const ClipSet clips = load_clips(actions::read_corpus(context.inputs[0]), options.points,
                                   request.cut_first, context);
  const actions::Model model = distances
                                   ? actions::train(clips.corpus, clips.points, *distances, options)
                                   : actions::train(clips.corpus, clips.points, options);
  const double seconds = steady_seconds() - start;
  model.write(request.output);
  context.console.end_progress();
  if (context.json) {
    print_result(context, record_ref(TrainResult{.model = request.output,
                                                 .clips = clips.points.size(),
                                                 .failed = clips.failed,
                                                 .subjects = std::ssize(clips.corpus.subjects()),
                                                 .classes = clips.corpus.classes,
                                                 .prototypes = std::ssize(model.prototypes),
                                                 .scale = model.features.scale}));
  } else {
    context.console.print(fmt::format("{}: {} of {} from {}, {:.0f} s\n", request.output,
                                      detail::counted(model.prototypes.size(), "prototype"),
                                      detail::counted(model.classes.size(), "action"),
                                      detail::counted(clips.points.size(), "clip"), seconds));
  }
  return clips.status();
}

}  // namespace

Command actions_train_command() {
  return {
      .system = "actions",
      .verb = "train",
      .summary = "train a model on videos sorted by action",
      .text =
          "Learns actions from short clips that show one action each. INPUT is a folder that has "
          "one folder of videos per action, with files named SUBJECT_anything, or a list with "
          "lines \"file class subject [first-last [scenario]]\". Prototypes are cut from the "
          "clips, as they were filmed and mirrored, and each gets a reject level: a match with a "
          "greater distance is not reported in streams. For whole clips a rule is learned that "
          "rejects unknown actions: each subject and each action is left out in turn. Whole clips "
          "are classified by matching, single descriptors and visual words together, with weights "
          "that are learned by leaving out each subject in turn (--no-late-fusion: by matching "
          "alone). A clip that "
          "cannot be read is named and left out. Text files with points and descriptors in the "
          "format of STIP-2.0 stand for videos. "
          "The same clips, options and seed give the same model on any device and with any number "
          "of threads.",
      .arguments =
          {{"INPUT",
            "folder with one folder of videos or files of points per action, or a list of clips"}},
      .examples = {{"fovea actions train clips -o m.safetensors", "keep all prototypes"},
                   {"fovea actions train clips.txt -o m.safetensors --no-late-fusion",
                    "classify whole clips by matching alone, with a smaller model"},
                   {"fovea actions train clips.txt -o m.safetensors --distances d.safetensors",
                    "take distances that shards of fovea actions distances have measured"},
                   {"fovea actions train clips -o m.safetensors --paper",
                    "train as the paper does: floating selection, no dummies"}},
      .request = make_request<ActionsTrainRequest, run_actions_train>,
      .preset = "paper",
      .result = {.record = sample_record<TrainResult>},
      .reads_images = true};
}

}  // namespace fovea::cli
