// fovea scenes dictionary: learns words from descriptors.
#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "cli/scenes/scenes.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct DictionaryRequest {
  std::string output{};
  scenes::DescriptorOptions descriptor{};
  scenes::DictionaryOptions dictionary{};
};

void describe(OptionVisitor& visit, DictionaryRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "dictionary to write, .safetensors");
  describe(visit, request.descriptor);
  describe(visit, request.dictionary);
}

int run_dictionary(DictionaryRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  check_outputs(context, {{"-o", request.output}});
  settle_device(context);
  const Image<float> samples = read_table(context.inputs[0]);
  const double start = steady_seconds();
  request.dictionary.exec = context.exec;
  const scenes::Dictionary dictionary =
      scenes::learn_dictionary(samples.view(), request.descriptor, request.dictionary);
  const double seconds = steady_seconds() - start;
  dictionary.write(request.output);
  context.console.end_progress();
  if (context.json)
    print_result(context, [&](io::JsonWriter& json) {
      json.member("dictionary", request.output).member("words", dictionary.size());
      json.member("dimensions", dictionary.words.width());
      json.key("kmeans").begin_object();
      add_learning(json, dictionary.learning);
      json.end_object();
    });
  else
    context.console.print(fmt::format("{}: {}; {}, in {}\n", request.output,
                                      detail::counted(dictionary.size(), "word"),
                                      learning_text(dictionary.learning), seconds_text(seconds)));
  return kDone;
}

}  // namespace

Command scenes_dictionary_command() {
  return {
      .system = "scenes",
      .verb = "dictionary",
      .summary = "learn words from descriptors",
      .text =
          "Standardizes the descriptors that fovea scenes sample wrote, or those of another "
          "program, and finds words among them by k-means. The options that say how places are "
          "described must be those of the samples: images are described by them later.",
      .arguments = {{"SAMPLES", "array of descriptors, one per row, .npy"}},
      .examples = {{"fovea scenes dictionary samples.npy -o words.safetensors", "learn 500 words"}},
      .request = make_request<DictionaryRequest, run_dictionary>};
}

}  // namespace fovea::cli
