// fovea people train: trains a model from a folder of crops and a folder of images without people.
#include <fovea/core/error.h>
#include <fovea/core/record_values.h>
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
  std::string mined{};
  people::TrainOptions train{};
};

// Ends a training that needs a search of its negatives.
struct SearchNeeded {
  std::string what;
  std::string search;  // the file that says what to search for
  std::string mined;   // the file with what was found
  std::size_t images = 0;
  bool finished = false;
};
void describe(FieldVisitor& visit, SearchNeeded& needed) {
  visit("finished", needed.finished, "false: the training waits for a search");
  visit("what", needed.what, "what the search is for");
  visit("search", needed.search, "the file that says what to search for");
  visit("mined", needed.mined, "the file that the search is to write");
  visit("negatives", needed.images, "images that are to be searched");
}

struct TrainResult {
  std::string output{};
  people::Model model{};
  int crops = 0, negatives = 0;
};
void describe(FieldVisitor& visit, TrainResult& result) {
  FieldValue facts = detail::named_texts(result.model.facts);
  visit("model", result.output, "the file that was written");
  visit("kind", result.model.kind, "of detector");
  visit("threshold", result.model.threshold, "windows with this score or more are people");
  visit("crops", result.crops, "how many the training has");
  visit("negatives", result.negatives, "images without people that the training has");
  visit("facts", facts, "how it was made: data, command, counts");
}

void describe(OptionVisitor& visit, TrainRequest& request) {
  visit("kind", request.kind, "kind of detector");
  visit("preset", request.train.preset,
        "options of a cascade as a paper has them: thesis is that of Bilgic with 23 stages, zhu "
        "that of Zhu et al. with 30; what is given beside it counts");
  visit("positives", request.positives,
        "folder of crops, each with one person's window in its middle",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit("negatives", request.negatives, "folder of whole images without people",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit.path("output", request.output, TextUse::kOutput, "model file to write, .safetensors");
  visit.path(
      "checkpoint", request.train.checkpoint, TextUse::kOutput,
      "file that stores the state of an unfinished training; by default the output's name with "
      ".checkpoint");
  visit.path("mined", request.mined, TextUse::kFolder,
             "folder through which fovea people mine searches the negatives, in shards or on other "
             "machines; the training ends with status 6 where it needs a search, and goes on from "
             "there when it is called again");
  describe(visit, request.train);
}

void preset_chosen(TrainRequest& request) { use_preset(request.train, request.train.preset); }

people::ImageFileSet image_set(const Context& context, const std::string& option,
                               const std::string& word) {
  if (word.empty()) throw InvalidArgument(fmt::format("people train needs --{} FOLDER", option));
  return people::ImageFileSet(io::expand_inputs(std::vector<std::string>{word}, io::image_files()),
                              context.max_pixels);
}

std::string open_search(const TrainRequest& request) {
  return (std::filesystem::path(request.mined) / "search.safetensors").string();
}

// Takes what was found for a search from its file, or asks for it and ends the training.
std::vector<people::MinedImage> mined_elsewhere(const TrainRequest& request,
                                                const people::SearchRequest& search) {
  const std::string mined = mined_file(request.mined, search), asked = open_search(request);
  if (std::filesystem::exists(mined)) return people::read_mined(mined, search);
  people::write_request(asked, search);
  throw SearchNeeded{search.what, asked, mined, search.images.size(), false};
}

// Says which command the training waits for.
int report_search(const TrainRequest& request, const Context& context, const SearchNeeded& needed) {
  context.console.end_progress();
  if (context.json) print_result(context, record_ref(needed));
  else
    context.console.print(
        fmt::format("{}: {} in {}; next: fovea people mine {} --search {}, then the same command\n",
                    needed.search, needed.what, detail::counted(needed.images, "image"),
                    request.negatives, needed.search));
  return kMoreToDo;
}

int run_train(TrainRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  resolve_device(context);
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
  if (!request.mined.empty()) {
    make_folder(request.mined);
    request.train.search = [&](const people::SearchRequest& search) {
      return mined_elsewhere(request, search);
    };
  }
  people::Model model;
  try {
    model = people::train(request.kind, {positives, negatives}, request.train);
  } catch (const SearchNeeded& needed) {
    return report_search(request, context, needed);
  }
  const double seconds = steady_seconds() - start;
  model.write(request.output);
  std::error_code ignored;
  std::filesystem::remove(checkpoint, ignored);
  if (!request.mined.empty()) std::filesystem::remove(open_search(request), ignored);
  context.console.end_progress();
  if (context.json) {
    const TrainResult result{request.output, std::move(model), positives.count(),
                             negatives.count()};
    print_result(context, record_ref(result));
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
          "interrupted, the same command continues it from the last stage that was finished. With "
          "--mined the negatives are searched by fovea people mine, in shards on any number of "
          "machines, and the model has the same bytes.",
      .examples =
          {{"fovea people train --positives crops --negatives scenes -o hog.safetensors",
            "train the classic detector from folders of crops and scenes"},
           {"fovea people train --kind cascade --positives p --negatives n -o c.safetensors",
            "train a cascade; with --preset thesis, as that paper does; --kind channels and "
            "--kind filtered work in the same way"},
           {"fovea people train --positives p --negatives n -o h.safetensors --mined rounds",
            "learn as far as the searches in a folder reach; status 6 asks for another one"}},
      .request = make_request<TrainRequest, run_train>,
      .preset = "preset",
      .result = {sample_record<TrainResult>},
      .reads_images = true};
}

}  // namespace fovea::cli
