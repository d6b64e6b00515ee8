// fovea scenes dictionary: learns words from descriptors.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>

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

// From a table of samples, or from images of which it draws them.
scenes::Dictionary learn(const DictionaryRequest& request, Context& context, int& status) {
  const std::string& input = context.inputs[0];
  if (std::filesystem::path(input).extension() == ".npy") {
    if (request.dictionary.all_places)
      throw InvalidArgument(fmt::format(
          "--all-places needs images, but {} holds samples; give the folder or list", input));
    return scenes::learn_dictionary(read_table(input).view(), request.descriptor,
                                    request.dictionary);
  }
  const scenes::Corpus corpus = scenes::read_corpus(input);
  SkippedImages skipped(context, corpus.paths);
  scenes::Dictionary dictionary = scenes::learn_dictionary(
      InputImages(context, corpus.paths), request.descriptor, request.dictionary, skipped.report());
  status = skipped.status();
  return dictionary;
}

int run_dictionary(DictionaryRequest& request, Context& context) {
  require_model_output(context.command.name(), request.output);
  check_outputs(context, {{"-o", request.output}});
  settle_device(context);
  const double start = steady_seconds();
  request.dictionary.exec = context.exec;
  int status = kDone;
  const scenes::Dictionary dictionary = learn(request, context, status);
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
  return status;
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
          "described must be those of the samples: images are described by them later. From a "
          "folder or list of images it draws the samples itself; --all-places then goes on with "
          "every place of every image, by mini-batches, in memory for one of them.",
      .arguments = {{"INPUT",
                     "array of descriptors, one per row, .npy; or images as fovea scenes sample "
                     "takes them"}},
      .examples = {{"fovea scenes dictionary samples.npy -o words.safetensors", "learn 500 words"},
                   {"fovea scenes dictionary places --all-places -o words.safetensors",
                    "learn 500 words from every pixel of the images"}},
      .request = make_request<DictionaryRequest, run_dictionary>,
      .reads_images = true};
}

}  // namespace fovea::cli
